/** Collects the ticks of one symbol and day in the order in which a file has them, and gives them back in the order of time. */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { allocateRows, copyRows, PART_ROWS, sliceRows, type TickRows } from '../columns/tick-columns.ts';
import { inOrder, isNewestFirst } from './in-order.ts';
import { mergeStretches, type Stretch } from './merge-spilled.ts';
import type { SpilledRows, SpillFile } from './spill-file.ts';

const FIRST_ROWS = 1 << 10;

export class DayTicks {
  readonly symbol: string;
  readonly day: TradingDay;
  readonly depth: number;
  readonly #spillFile: SpillFile;
  readonly #onGrow: () => void;
  #tail: TickRows;
  #tailRows = 0;
  #spilled: SpilledRows[] = [];
  #isReversed = false;

  constructor(
    of: { readonly symbol: string; readonly day: TradingDay; readonly depth: number },
    spillFile: SpillFile,
    onGrow: () => void,
  ) {
    this.symbol = of.symbol;
    this.day = of.day;
    this.depth = of.depth;
    this.#spillFile = spillFile;
    this.#onGrow = onGrow;
    this.#tail = allocateRows(of.depth, FIRST_ROWS);
  }

  get rows(): number {
    return this.#spilled.reduce((rows, part) => rows + part.rows, this.#tailRows);
  }

  /** Rows for which memory is held. */
  get capacity(): number {
    return this.#tail.rows;
  }

  push(tsUs: number, price: number, qty: number, side: number): void {
    if (this.#tailRows === this.#tail.rows) this.#grow();
    const i = this.#tailRows;
    const tail = this.#tail;
    tail.tsUs[i] = tsUs;
    tail.priceTicks[i] = price;
    tail.qty[i] = qty;
    tail.side[i] = side;
    this.#tailRows = i + 1;
  }

  /** The book that stands after the row pushed last. */
  setBook(bids: readonly BookLevel[], asks: readonly BookLevel[]): void {
    const { book } = this.#tail;
    if (book === null) return;
    const row = this.#tailRows - 1;
    for (let level = 0; level < book.depth; level += 1) {
      const bid = bids[level];
      const ask = asks[level];
      set(book.bidPrice[level], row, bid?.price);
      set(book.bidQty[level], row, bid?.qty);
      set(book.askPrice[level], row, ask?.price);
      set(book.askQty[level], row, ask?.qty);
    }
  }

  /** Moves what is in memory to the disk. */
  spill(): void {
    if (this.#tailRows === 0) return;
    const part = sliceRows(this.#tail, 0, this.#tailRows);
    if (this.#spilled.length === 0) this.#isReversed = isNewestFirst(part);
    this.#spilled.push(this.#spillFile.write(inOrder(part, this.#isReversed)));
    this.#tail = allocateRows(this.depth, FIRST_ROWS);
    this.#tailRows = 0;
  }

  /** In parts of `PART_ROWS`; may be asked for again. */
  *inOrder(): Generator<TickRows> {
    if (this.#spilled.length === 0) {
      const part = sliceRows(this.#tail, 0, this.#tailRows);
      if (part.rows > 0) yield inOrder(part, isNewestFirst(part));
      return;
    }
    this.spill();
    const stretches = this.#spilled.map((part): Stretch => ({
      rows: part.rows,
      read: (from, count) => this.#spillFile.read(part, this.depth, from, count),
    }));
    yield* mergeStretches(this.#isReversed ? stretches.toReversed() : stretches, this.depth);
  }

  #grow(): void {
    if (this.#tailRows >= PART_ROWS) return this.spill();
    const grown = allocateRows(this.depth, 2 * this.#tailRows);
    copyRows(grown, 0, this.#tail, 0, this.#tailRows);
    this.#tail = grown;
    this.#onGrow();
  }
}

function set(column: Int32Array | undefined, row: number, value: number | undefined): void {
  if (column !== undefined) column[row] = value ?? 0;
}
