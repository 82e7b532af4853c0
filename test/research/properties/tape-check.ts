/**
 * What no fill on ticks may do, whatever was ordered, checked against the tape alone: nothing here knows how the market model works.
 * Recorded times are whole seconds, so what is compared is what was printed in the second of a fill.
 */
import type { BacktestFill } from '../../../src/research/backtest-result.ts';
import { timeOfDayUs } from '../../../src/domain/civil-date.ts';
import type { PriceBand } from '../../../src/domain/contract.ts';
import type { Side } from '../../../src/domain/order.ts';
import { US_PER_HOUR, US_PER_SECOND } from '../../../src/domain/units.ts';
import type { TickRows } from '../../../src/recording/columns/tick-file.ts';

const hour = (hours: number): number => hours * US_PER_HOUR;

/** `uncross`: the second in which the prints of an auction come; at nine o'clock trading has begun as well. */
function windowOf(time: number): 'continuous' | 'opening_second' | 'closing_second' | 'none' {
  if (time >= hour(9) && time < hour(9) + US_PER_SECOND) return 'opening_second';
  if (time >= hour(9) && time < hour(11.5)) return 'continuous';
  if (time >= hour(13) && time < hour(14.5)) return 'continuous';
  return time >= hour(14.75) && time < hour(14.75) + US_PER_SECOND ? 'closing_second' : 'none';
}

/** What was printed at one moment of the tape. */
class Printed {
  last = 0;
  first = 0;
  least = Infinity;
  most = 0;
  readonly #rows: { readonly price: number; readonly qty: number; readonly side: number }[] = [];

  add(price: number, qty: number, side: number): void {
    if (this.first === 0) this.first = price;
    this.last = price;
    this.least = Math.min(this.least, price);
    this.most = Math.max(this.most, price);
    this.#rows.push({ price, qty, side });
  }

  volume(is: (price: number, side: number) => boolean): number {
    return this.#rows.reduce((sum, { price, qty, side }) => sum + (is(price, side) ? qty : 0), 0);
  }
}

/** Moments of the tape, and the last one at or before any time. */
class Moments {
  readonly #times: number[] = [];
  readonly #printed: Printed[] = [];

  constructor({ rows, tsUs, priceTicks, qty, side }: TickRows) {
    for (let row = 0; row < rows; row += 1) {
      if (qty[row] === 0) continue;
      const at = tsUs[row]!;
      if (this.#times.at(-1) !== at) {
        this.#times.push(at);
        this.#printed.push(new Printed());
      }
      this.#printed.at(-1)!.add(priceTicks[row]!, qty[row]!, side[row]!);
    }
  }

  at(atUs: number): Printed | undefined {
    const place = this.#placeAt(atUs);
    return this.#times[place] === atUs ? this.#printed[place] : undefined;
  }

  before(atUs: number): Printed | undefined {
    return this.#printed[this.#placeAt(atUs - 1)];
  }

  #placeAt(atUs: number): number {
    let [from, to] = [0, this.#times.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#times[middle]! <= atUs) from = middle + 1;
      else to = middle;
    }
    return from - 1;
  }
}

type Rule = (fill: BacktestFill, printed: Printed | undefined, before: Printed | undefined) => boolean;

const atOrBetter = (side: Side, price: number, than: number): boolean =>
  side === 'buy' ? price <= than : price >= than;

/** Never better than the tape allows. */
const PRICE_RULES: Readonly<Partial<Record<BacktestFill['clause'], Rule>>> = {
  uncross: ({ priceTicks }, printed) => printed?.first === priceTicks,
  queue_reached: ({ priceTicks }, printed) => (printed?.volume((price) => price === priceTicks) ?? 0) > 0,
  traded_through: ({ side, priceTicks }, printed) =>
    (printed?.volume((price) => price !== priceTicks && atOrBetter(side, price, priceTicks)) ?? 0) > 0,
  // Who takes pays no less than the last trade before, or any trade of the same second.
  shown: ({ side, priceTicks }, printed, before) => {
    const trades = [before?.last, side === 'buy' ? printed?.least : printed?.most].filter(
      (each) => each !== undefined,
    );
    return trades.some((price) => atOrBetter(side, price, priceTicks));
  },
  same_side_trade: ({ side, priceTicks }, printed) =>
    printed !== undefined && atOrBetter(side, side === 'buy' ? printed.least : printed.most, priceTicks),
};

const VOLUME: Readonly<Record<string, (fill: BacktestFill, price: number) => boolean>> = {
  uncross: ({ priceTicks }, price) => price === priceTicks,
  queue_reached: ({ priceTicks }, price) => price === priceTicks,
  traded_through: ({ side, priceTicks }, price) =>
    price !== priceTicks && atOrBetter(side, price, priceTicks),
  same_side_trade: () => true,
};

const TAKEN: ReadonlySet<string> = new Set(['shown', 'shown_later']);

/** With a recorded book, what takes pays no less than the best that the row of that moment shows, or the one before it. */
function shownCheck({ book, tsUs: times, rows }: TickRows): (fill: BacktestFill) => boolean {
  if (book === null) return () => false;
  return ({ side, priceTicks, tsUs, clause }) => {
    if (!TAKEN.has(clause)) return false;
    let row = 0;
    while (row < rows && times[row]! <= tsUs) row += 1;
    const best = (side === 'buy' ? book.askPrice : book.bidPrice)[0]!;
    const shown = [best[row - 1] ?? 0, best[row - 2] ?? 0].filter((price) => price > 0);
    return !shown.some((price) => atOrBetter(side, price, priceTicks));
  };
}

/** What is wrong with the fills of a day; nothing when all is well. */
export function wrongFills(
  rows: TickRows,
  fills: readonly BacktestFill[],
  { floor, ceiling }: Pick<PriceBand, 'floor' | 'ceiling'>,
): readonly string[] {
  const moments = new Moments(rows);
  const isShownBetter = shownCheck(rows);
  const wrong: string[] = [];
  const filled = new Map<string, { qty: number; readonly most: number; readonly name: string }>();
  for (const fill of fills) {
    const { tsUs, priceTicks, qty, side, clause } = fill;
    const name = `${clause}: ${side} ${qty} at ${priceTicks} at ${new Date(tsUs / 1_000 + 7 * 3_600_000).toISOString()}`;
    const window = windowOf(timeOfDayUs(tsUs, 420));
    const fits =
      clause === 'uncross'
        ? window.endsWith('second')
        : window === 'continuous' || window === 'opening_second';
    if (!fits) wrong.push(`${name}: not at this time (${window})`);
    if (priceTicks < floor || priceTicks > ceiling) wrong.push(`${name}: outside ${floor} to ${ceiling}`);
    if (isShownBetter(fill)) wrong.push(`${name}: the book was worse`);
    const printed = moments.at(tsUs);
    if (rows.book !== null && TAKEN.has(clause)) continue;
    if (PRICE_RULES[clause]?.(fill, printed, moments.before(tsUs)) === false)
      wrong.push(`${name}: the tape was worse`);
    const counts = VOLUME[clause];
    if (counts === undefined) continue;
    // One print never fills more than itself, whoever is filled from it.
    const key = `${tsUs} ${clause} ${clause === 'same_side_trade' ? '' : priceTicks} ${clause === 'uncross' ? '' : side}`;
    const most = printed?.volume((price) => counts(fill, price)) ?? 0;
    const all = filled.get(key) ?? { qty: 0, most, name };
    all.qty += qty;
    filled.set(key, all);
  }
  for (const { qty, most, name } of filled.values())
    if (qty > most) wrong.push(`${name}: ${qty} in all, and ${most} were printed`);
  return wrong;
}
