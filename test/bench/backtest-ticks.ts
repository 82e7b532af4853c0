/** The ticks that our backtest and its peers are measured with: a walk like the real prints of VN30F, from a seed. */
import { momentOf, type TradingDay, tradingDay } from '../../src/domain/civil-date.ts';
import { US_PER_HOUR } from '../../src/domain/units.ts';
import { allocateRows, type TickRows } from '../../src/recording/columns/tick-file.ts';
import { Random } from '../../src/venue/market/random.ts';

export const BENCH_DAY = tradingDay('2026-03-04');
export const BENCH_START_TICKS = 13_000;
/** Between two ticks: longer than a call and its answer take, so that each turn is done before the next tick asks for another. */
const TICK_US = 10_000;
/** Of 1,000 prints: the aggressor changes his side (real: 210), and the touch moves (real: 0.34 new prices of the touch a print). */
const SIDE_FLIPS = 210;
const TOUCH_MOVES = 170;
/** Quantities of prints: so many of them at most, of this size, so that one contract finds all of its counterpart at the touch. */
const PRINT_MAX = 9;
const LOT = 100;

/** One walk over as many days as are asked for: each goes on where the one before ended. */
export class BenchWalk {
  readonly #random: Random;
  #bid = BENCH_START_TICKS;
  #side = 1;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  next(rows: number, day: TradingDay, fromUs = 9 * US_PER_HOUR, everyUs = TICK_US): TickRows {
    const random = this.#random;
    const startUs = momentOf(day, fromUs, 420);
    const columns = allocateRows(0, rows);
    let bid = this.#bid;
    let side = this.#side;
    for (let row = 0; row < rows; row += 1) {
      if (random.chance(SIDE_FLIPS)) side = -side;
      if (random.chance(TOUCH_MOVES)) bid += side;
      columns.tsUs[row] = startUs + row * everyUs;
      columns.priceTicks[row] = side > 0 ? bid + 1 : bid;
      columns.qty[row] = LOT * (1 + random.below(PRINT_MAX));
      columns.side[row] = side;
    }
    this.#bid = bid;
    this.#side = side;
    return columns;
  }
}

export const benchRows = (rows: number, seed = 1): TickRows => new BenchWalk(seed).next(rows, BENCH_DAY);

/** `rows` prints over so many contracts, each with a walk of its own; all print at the same moments. */
export const benchTapes = (rows: number, contracts: number): TickRows[] =>
  Array.from({ length: contracts }, (_, place) => benchRows(Math.floor(rows / contracts), place + 1));
