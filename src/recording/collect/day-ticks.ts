/** Collects the ticks of one day, with its auctions and silences, and writes them into the data directory. */
import { assert } from '../../domain/assert.ts';
import { type TradingCalendar, isAuction, isSession } from '../../domain/calendar.ts';
import { momentOf, type TradingDay, timeOfDayUs } from '../../domain/civil-date.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { type DurationUs, US_PER_DAY, US_PER_SECOND, tsUs } from '../../domain/units.ts';
import { ticksPath } from '../columns/catalogue.ts';
import { columnAs } from '../columns/row-table.ts';
import {
  type TickGap,
  tickLayout,
  type TickMeta,
  type TickRows,
  ticksOf,
  readTickMeta,
  writeColumns,
} from '../columns/tick-file.ts';
import { type Collector, type SpillFile, TimedRows } from './collector.ts';
import { storeFile, type StoredFile, type StoreOptions } from '../columns/whole-file.ts';

interface DayShape {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly depth: number;
}

export class DayTicks extends TimedRows<TickRows> {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly depth: number;
  #last = 0;

  constructor({ symbol, day, depth }: DayShape, spillFile: SpillFile) {
    super(tickLayout(depth), ticksOf, spillFile);
    this.symbol = symbol;
    this.day = day;
    this.depth = depth;
  }

  push(tsUs: number, price: number, qty: number, side: number): void {
    const i = this.next();
    const tail = this.tail;
    tail.tsUs[i] = tsUs;
    tail.priceTicks[i] = price;
    tail.qty[i] = qty;
    tail.side[i] = side;
    this.#last = i;
  }

  /** The book after the row pushed last. */
  setBook(bids: readonly BookLevel[], asks: readonly BookLevel[]): void {
    for (let level = 0; level < this.depth; level += 1) {
      const { price: bid = 0, qty: bidQty = 0 } = bids[level] ?? NO_LEVEL;
      const { price: ask = 0, qty: askQty = 0 } = asks[level] ?? NO_LEVEL;
      this.setLevel(level, bid, bidQty, ask, askQty);
    }
  }

  /** One level of it; 0 is the best. */
  setLevel(level: number, bid: number, bidQty: number, ask: number, askQty: number): void {
    const { book } = this.tail;
    assert(book !== null, 'only days with a book have levels');
    const row = this.#last;
    columnAs(book.bidPrice[level], Int32Array)[row] = bid;
    columnAs(book.bidQty[level], Int32Array)[row] = bidQty;
    columnAs(book.askPrice[level], Int32Array)[row] = ask;
    columnAs(book.askQty[level], Int32Array)[row] = askQty;
  }
}

const NO_LEVEL: Partial<BookLevel> = {};

export const openDay = (collector: Collector<DayTicks>, shape: DayShape): DayTicks =>
  collector.at(`${shape.symbol} ${shape.day}`, (spillFile) => new DayTicks(shape, spillFile));

export interface StoreDayOptions extends StoreOptions {
  readonly zone: { offsetAtMoment(us: number): number };
  /** Trading hours: for auctions and silences. Null where they are not known. */
  readonly calendar: TradingCalendar | null;
  /** A longer time without a trade in continuous trading is noted as a gap. */
  readonly silence: DurationUs;
}

interface TickOrigin {
  readonly source: string;
  readonly badRows: number;
  readonly sides: TickMeta['sides'];
  readonly quotes?: 'sized' | 'unsized';
  /** Completes a part before it is written. */
  readonly complete?: (part: TickRows) => void;
  /** Gaps that the source itself reports. */
  readonly gaps?: readonly TickGap[];
}

export function storeDay(
  ticks: DayTicks,
  options: StoreDayOptions,
  origin: TickOrigin,
): StoredFile<TickMeta> {
  const { symbol, day, depth } = ticks;
  const { dir, tickSize, lotSize, zone, calendar, silence, replace } = options;
  const { complete, gaps = [], ...from } = origin;
  const silences = new SilenceTracker(calendar, day, silence);
  const noon = momentOf(day, US_PER_DAY / 2, 0);
  const watched = function* (): Generator<TickRows> {
    for (const part of ticks.inOrder()) {
      complete?.(part);
      silences.add(part);
      yield part;
    }
  };
  const path = ticksPath(dir, symbol, day);
  return storeFile(path, readTickMeta, replace, (accept) =>
    writeColumns(path, depth, watched(), (totals) =>
      accept({
        kind: 'ticks',
        version: 1,
        symbol,
        day,
        tickSize,
        lotSize,
        utcOffsetMinutes: zone.offsetAtMoment(noon),
        depth,
        ...from,
        gaps: [...gaps, ...silences.gaps()].toSorted((a, b) => a.fromUs - b.fromUs),
        ...totals,
      }),
    ),
  );
}

interface TradingStretch {
  readonly fromUs: number;
  /** The uncross of an auction is printed in the second that begins here. */
  readonly toUs: number;
}

/** Recognises times of an auction, where no side crosses a spread, even if a tape has one. */
export class AuctionStamps {
  readonly #auctions: readonly TradingStretch[];
  readonly #utcOffsetMinutes: number;
  #second = NaN;
  #isUncross = false;

  constructor(calendar: TradingCalendar | null) {
    const phases = calendar?.phases ?? [];
    this.#auctions = phases.filter(({ phase }) => isAuction(phase));
    this.#utcOffsetMinutes = calendar?.utcOffsetMinutes ?? 0;
  }

  /** In an auction, or in the second in which its result is printed. */
  isUncross(at: number): boolean {
    const second = Math.floor(at / US_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      const time = timeOfDayUs(tsUs(second * US_PER_SECOND), this.#utcOffsetMinutes);
      this.#isUncross = this.#auctions.some(({ fromUs, toUs }) => time >= fromUs && time <= toUs);
    }
    return this.#isUncross;
  }
}

/** Finds stretches of continuous trading without a trade: in a liquid contract a sign of missing data. */
class SilenceTracker {
  readonly #longest: number;
  readonly #spans: readonly TradingStretch[];
  readonly #gaps: TickGap[] = [];
  /** The span that was not over at the last row, and the time of its last row. */
  #span = 0;
  #lastUs: number;

  constructor(calendar: TradingCalendar | null, day: TradingDay, longest: DurationUs) {
    this.#longest = longest;
    const phases = calendar === null || !isSession(calendar, day) ? [] : calendar.phases;
    this.#spans = phases
      .filter(({ phase }) => phase === 'continuous')
      .map(({ fromUs, toUs }) => ({
        fromUs: momentOf(day, fromUs, calendar?.utcOffsetMinutes ?? 0),
        toUs: momentOf(day, toUs, calendar?.utcOffsetMinutes ?? 0),
      }));
    this.#lastUs = this.#spans[0]?.fromUs ?? Infinity;
  }

  add({ rows, tsUs }: TickRows): void {
    for (let i = 0; i < rows; i += 1) {
      const at = tsUs[i] ?? 0;
      while (at >= this.#endUs()) this.#closeSpan();
      if (at - this.#lastUs > this.#longest) this.#note(this.#lastUs, at);
      if (at > this.#lastUs) this.#lastUs = at;
    }
  }

  /** Call once, after all rows. */
  gaps(): readonly TickGap[] {
    while (this.#span < this.#spans.length) this.#closeSpan();
    return this.#gaps;
  }

  #endUs(): number {
    return this.#spans[this.#span]?.toUs ?? Infinity;
  }

  #closeSpan(): void {
    const end = this.#endUs();
    if (end - this.#lastUs > this.#longest) this.#note(this.#lastUs, end);
    this.#span += 1;
    this.#lastUs = this.#spans[this.#span]?.fromUs ?? Infinity;
  }

  #note(fromUs: number, toUs: number): void {
    this.#gaps.push({ fromUs, toUs, kind: 'silence', qty: null });
  }
}
