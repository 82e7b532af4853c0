/**
 * The ticks of one symbol and day (or of a stretch of it) as columns: what every backtest reads. All arrays lie on shared
 * memory: posting the struct to a worker thread shares them, nothing is copied. Nobody writes to them.
 */
import type { TickMeta } from './tick-meta.ts';

export interface TickColumns extends TickRows {
  readonly meta: TickMeta;
}

export interface TickRows {
  readonly rows: number;
  /** Whole microseconds since 1970, never falling from row to row. */
  readonly tsUs: Float64Array;
  /** Price of the trade in whole ticks; in a row that is no trade the last one (0 before the first). */
  readonly priceTicks: Int32Array;
  /** Whole lots that were traded; 0 in a row that only changes the book. */
  readonly qty: Int32Array;
  /** Who crossed the spread: 1 the buyer, -1 the seller, 0 nobody or not known (auctions). */
  readonly side: Int8Array;
  /** The book that stands after the row; null where the source had none. */
  readonly book: BookColumns | null;
}

/** Best level first: `bidPrice[0][row]`. A level that is not there has quantity 0 and price 0. */
export interface BookColumns {
  readonly depth: number;
  readonly bidPrice: readonly Int32Array[];
  readonly bidQty: readonly Int32Array[];
  readonly askPrice: readonly Int32Array[];
  readonly askQty: readonly Int32Array[];
}

/** Rows of one record batch at most, so that a day of any length can be worked through in little memory. */
export const PART_ROWS = 1 << 20;

const BYTES_PER_ROW = 8 + 4 + 4 + 1;

/** Empty columns for `rows` rows on one piece of memory; `shared` where workers are to read them. */
export function allocateRows(depth: number, rows: number, kind: 'own' | 'shared' = 'own'): TickRows {
  const padded = (rows + 1) & ~1;
  const bytes = padded * (BYTES_PER_ROW + 16 * depth);
  const memory = kind === 'shared' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  let at = 0;
  const take = (bytesPerRow: number): number => {
    const from = at;
    at += bytesPerRow * padded;
    return from;
  };
  const int32 = (): Int32Array => new Int32Array(memory, take(4), rows);
  const levels = (): Int32Array[] => Array.from({ length: depth }, int32);
  return {
    rows,
    tsUs: new Float64Array(memory, take(8), rows),
    priceTicks: int32(),
    qty: int32(),
    book:
      depth === 0
        ? null
        : { depth, bidPrice: levels(), bidQty: levels(), askPrice: levels(), askQty: levels() },
    side: new Int8Array(memory, take(1), rows),
  };
}

/** Rows `from` to `to`, on the same memory. */
export function sliceRows(columns: TickRows, from: number, to: number): TickRows {
  const { book } = columns;
  const cut = (column: Int32Array): Int32Array => column.subarray(from, to);
  return {
    rows: to - from,
    tsUs: columns.tsUs.subarray(from, to),
    priceTicks: cut(columns.priceTicks),
    qty: cut(columns.qty),
    side: columns.side.subarray(from, to),
    book:
      book === null
        ? null
        : {
            depth: book.depth,
            bidPrice: book.bidPrice.map(cut),
            bidQty: book.bidQty.map(cut),
            askPrice: book.askPrice.map(cut),
            askQty: book.askQty.map(cut),
          },
  };
}

/** The columns of four bytes in the order in which files hold them. */
export function int32Columns({ priceTicks, qty, book }: TickRows): readonly Int32Array[] {
  if (book === null) return [priceTicks, qty];
  const levels = Array.from({ length: book.depth }, (_, level) =>
    [book.bidPrice, book.bidQty, book.askPrice, book.askQty].map((columns) => columns[level] ?? EMPTY),
  );
  return [priceTicks, qty, ...levels.flat()];
}

const EMPTY = new Int32Array(0);

/** Copies `count` rows. */
export function copyRows(
  into: TickRows,
  intoAt: number,
  from: TickRows,
  fromAt: number,
  count: number,
): void {
  const rows = fromAt === 0 && count === from.rows ? from : sliceRows(from, fromAt, fromAt + count);
  into.tsUs.set(rows.tsUs, intoAt);
  into.side.set(rows.side, intoAt);
  const columns = int32Columns(into);
  for (const [i, column] of int32Columns(rows).entries()) columns[i]?.set(column, intoAt);
}
