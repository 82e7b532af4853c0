/** Stretches of columns of ticks, as views of the same memory. */
import { firstAtLeast } from '../../domain/first-at-least.ts';
import type { BookColumns, TickRows } from './tick-columns.ts';

/** The first row at or after a moment; the number of rows where there is none. */
export const firstRowAt = ({ tsUs, rows }: TickRows, atUs: number): number =>
  firstAtLeast(tsUs, atUs, 0, rows);

/** Rows `from` to `to`. */
export function rowsBetween(
  { tsUs, priceTicks, qty, side, book }: TickRows,
  from: number,
  to: number,
): TickRows {
  return {
    rows: to - from,
    tsUs: tsUs.subarray(from, to),
    priceTicks: priceTicks.subarray(from, to),
    qty: qty.subarray(from, to),
    side: side.subarray(from, to),
    book: book === null ? null : bookBetween(book, from, to),
  };
}

function bookBetween(book: BookColumns, from: number, to: number): BookColumns {
  const cut = (levels: readonly Int32Array[]): Int32Array[] =>
    levels.map((level) => level.subarray(from, to));
  return {
    depth: book.depth,
    bidPrice: cut(book.bidPrice),
    bidQty: cut(book.bidQty),
    askPrice: cut(book.askPrice),
    askQty: cut(book.askQty),
  };
}
