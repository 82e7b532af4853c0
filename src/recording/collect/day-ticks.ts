/** Collects the ticks of one day and writes them into the data directory. */
import { assert } from '../../domain/assert.ts';
import type { TradingCalendar } from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { type DurationUs, US_PER_DAY, US_PER_MS, US_PER_SECOND } from '../../domain/units.ts';
import { ticksPath } from '../columns/catalogue.ts';
import { columnAs } from '../columns/row-table.ts';
import { type TickGap, tickLayout, type TickMeta, type TickRows, ticksOf } from '../columns/tick-columns.ts';
import { readTickMeta, writeColumns } from '../columns/tick-file.ts';
import type { Collector, SpillFile } from './collector.ts';
import { storeFile, type StoredFile, type StoreOptions } from './store-file.ts';
import { Silences } from './session-times.ts';
import { TimedRows } from './timed-rows.ts';

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
  const path = ticksPath(options.dir, symbol, day);
  const silences = new Silences(options.calendar, day, options.silence);
  const stamps = new StampUnit();
  const noon = momentOf(day, US_PER_DAY / 2, 0);
  const watched = function* (): Generator<TickRows> {
    for (const part of ticks.inOrder()) {
      origin.complete?.(part);
      silences.add(part);
      stamps.add(part);
      yield part;
    }
  };
  return storeFile(path, readTickMeta, options.replace, (accept) =>
    writeColumns(path, depth, watched(), (totals) => {
      const now: TickMeta = {
        kind: 'ticks',
        version: 1,
        symbol,
        day,
        tickSize: options.tickSize,
        lotSize: options.lotSize,
        utcOffsetMinutes: options.zone.offsetAtMoment(noon),
        stampUs: stamps.unit,
        sides: origin.sides,
        depth,
        ...(origin.quotes === undefined ? {} : { quotes: origin.quotes }),
        gaps: [...(origin.gaps ?? []), ...silences.gaps()].toSorted((a, b) => a.fromUs - b.fromUs),
        badRows: origin.badRows,
        source: origin.source,
        ...totals,
      };
      return accept(now);
    }),
  );
}

/** The coarsest unit that all stamps are whole multiples of. */
class StampUnit {
  unit: number = US_PER_SECOND;

  add({ rows, tsUs }: TickRows): void {
    let before = 0;
    for (let i = 0; i < rows && this.unit > 1; i += 1) {
      const at = tsUs[i] ?? 0;
      if (at === before) continue;
      before = at;
      while (at % this.unit !== 0) this.unit = this.unit === US_PER_SECOND ? US_PER_MS : 1;
    }
  }
}
