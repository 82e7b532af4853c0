/**
 * The ticks of one symbol and day (or of a stretch of it) as columns: what every backtest reads. As they come from a file
 * they lie on shared memory: posting the struct to a worker thread shares them, nothing is copied. Nobody writes to them.
 */
import { allocateTable, type Column, type Field, type Layout, type RowTable } from './row-table.ts';
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

const whole = (name: string): Field => ({ name, kind: 'whole' });

/** `ts`, `price_ticks`, `qty`, `side`, `bid_price_1`, `bid_qty_1`, `ask_price_1`, `ask_qty_1`, ... */
export const tickLayout = (depth: number): Layout => [
  { name: 'ts', kind: 'time' },
  whole('price_ticks'),
  whole('qty'),
  { name: 'side', kind: 'small' },
  ...Array.from({ length: depth }, (_, i) =>
    ['bid_price', 'bid_qty', 'ask_price', 'ask_qty'].map((name) => whole(`${name}_${i + 1}`)),
  ).flat(),
];

const LEVELS_FROM = 4;

/** The columns of a table that has the layout of ticks, by name. */
export function ticksOf({ rows, columns }: RowTable): TickRows {
  const depth = (columns.length - LEVELS_FROM) / 4;
  const levels = (kind: number): Int32Array[] =>
    Array.from({ length: depth }, (_, level) => wholes(columns[LEVELS_FROM + 4 * level + kind]));
  const [tsUs, priceTicks, qty, side] = columns;
  if (!(tsUs instanceof Float64Array) || !(side instanceof Int8Array)) throw notTicks();
  return {
    rows,
    tsUs,
    priceTicks: wholes(priceTicks),
    qty: wholes(qty),
    side,
    book:
      depth === 0
        ? null
        : { depth, bidPrice: levels(0), bidQty: levels(1), askPrice: levels(2), askQty: levels(3) },
  };
}

export function tableOf({ rows, tsUs, priceTicks, qty, side, book }: TickRows): RowTable {
  const levels = Array.from({ length: book?.depth ?? 0 }, (_, level) =>
    [book?.bidPrice, book?.bidQty, book?.askPrice, book?.askQty].map((columns) => wholes(columns?.[level])),
  );
  return { rows, columns: [tsUs, priceTicks, qty, side, ...levels.flat()] };
}

/** Empty columns to be filled. */
export const allocateRows = (depth: number, rows: number, memory: 'own' | 'shared' = 'own'): TickRows =>
  ticksOf(allocateTable(tickLayout(depth), rows, memory));

function wholes(column: Column | undefined): Int32Array {
  if (column instanceof Int32Array) return column;
  throw notTicks();
}

const notTicks = (): Error => new Error('Invariant: these columns are ticks');
