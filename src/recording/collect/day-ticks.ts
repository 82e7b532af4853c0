/** The ticks of one symbol and day while they are collected. */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { allocateRows, tickLayout, type TickRows, ticksOf } from '../columns/tick-columns.ts';
import type { SpillFile } from './spill-file.ts';
import { TimedRows } from './timed-rows.ts';

export class DayTicks {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly depth: number;
  readonly #rows: TimedRows;
  #tail: TickRows = allocateRows(0, 0);
  #last = 0;

  constructor(
    of: { readonly symbol: string; readonly day: TradingDay; readonly depth: number },
    spillFile: SpillFile,
    onGrow: () => void,
  ) {
    this.symbol = of.symbol;
    this.day = of.day;
    this.depth = of.depth;
    this.#rows = new TimedRows({
      layout: tickLayout(of.depth),
      spillFile,
      onGrow,
      onTail: (tail) => {
        this.#tail = ticksOf(tail);
      },
    });
  }

  get capacity(): number {
    return this.#rows.capacity;
  }

  push(tsUs: number, price: number, qty: number, side: number): void {
    const i = this.#rows.next();
    const tail = this.#tail;
    tail.tsUs[i] = tsUs;
    tail.priceTicks[i] = price;
    tail.qty[i] = qty;
    tail.side[i] = side;
    this.#last = i;
  }

  /** The book that stands after the row pushed last. */
  setBook(bids: readonly BookLevel[], asks: readonly BookLevel[]): void {
    const { book } = this.#tail;
    if (book === null) return;
    const row = this.#last;
    for (let level = 0; level < book.depth; level += 1) {
      const bid = bids[level];
      const ask = asks[level];
      set(book.bidPrice[level], row, bid?.price);
      set(book.bidQty[level], row, bid?.qty);
      set(book.askPrice[level], row, ask?.price);
      set(book.askQty[level], row, ask?.qty);
    }
  }

  spill(): void {
    this.#rows.spill();
  }

  /** In the order of time, in parts; may be asked for again. */
  *inOrder(): Generator<TickRows> {
    for (const part of this.#rows.inOrder()) yield ticksOf(part);
  }
}

function set(column: Int32Array | undefined, row: number, value: number | undefined): void {
  if (column !== undefined) column[row] = value ?? 0;
}
