/**
 * The ticks of one symbol and day (or of a stretch of it) as columns, in files `ticks/<symbol>/<day>.arrow`: every backtest reads them.
 * A file is read into shared memory: posting the struct to a worker thread shares the columns without a copy. They are never written.
 */
import { assert } from '../../domain/assert.ts';
import { isTradingDay, type TradingDay } from '../../domain/civil-date.ts';
import { firstAtLeast } from '../../domain/lists.ts';
import type { TapeColumns } from '../../domain/ticks.ts';
import {
  allocateTable,
  columnAs,
  type ColumnSpec,
  copyTable,
  type FileMeta,
  type Layout,
  parseMeta,
  type RowTable,
  sliceTable,
  type TableTotals,
} from './row-table.ts';
import { readMeta, readTables, type TableKind, writeTable } from './arrow-file.ts';

export interface TickColumns extends TickRows {
  readonly meta: TickMeta;
}

export interface TickRows extends TapeColumns {
  readonly bars: BarTape | null;
}

/** Where rows are the path of bars, this many of them a bar. */
export interface BarTape {
  /** Length of a bar; a session may end sooner. */
  readonly everyUs: number;
  /** Whole lots of each bar. */
  readonly volume: Float64Array;
}

const whole = (name: string): ColumnSpec => ({ name, kind: 'whole' });

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

export function ticksOf(
  { rows, columns }: RowTable,
  isQuotes = false,
  bars: BarTape | null = null,
): TickRows {
  const depth = (columns.length - LEVELS_FROM) / 4;
  const levels = (kind: number): Int32Array[] =>
    Array.from({ length: depth }, (_, level) =>
      columnAs(columns[LEVELS_FROM + 4 * level + kind], Int32Array),
    );
  const [tsUs, priceTicks, qty, side] = columns;
  return {
    rows,
    tsUs: columnAs(tsUs, Float64Array),
    priceTicks: columnAs(priceTicks, Int32Array),
    qty: columnAs(qty, Int32Array),
    side: columnAs(side, Int8Array),
    book:
      depth === 0
        ? null
        : { depth, bidPrice: levels(0), bidQty: levels(1), askPrice: levels(2), askQty: levels(3) },
    bars,
    isQuotes,
  };
}

export function rowTableOf({ rows, tsUs, priceTicks, qty, side, book }: TickRows): RowTable {
  const levels = Array.from({ length: book?.depth ?? 0 }, (_, level) =>
    [book?.bidPrice, book?.bidQty, book?.askPrice, book?.askQty].map((columns) =>
      columnAs(columns?.[level], Int32Array),
    ),
  );
  return { rows, columns: [tsUs, priceTicks, qty, side, ...levels.flat()] };
}

export const allocateRows = (depth: number, rows: number, memory: 'own' | 'shared' = 'own'): TickRows =>
  ticksOf(allocateTable(tickLayout(depth), rows, memory));

export interface TickMeta extends FileMeta {
  readonly kind: 'ticks';
  readonly day: TradingDay;
  /** Offset of the exchange on that day; `day` is a date of that zone. */
  readonly utcOffsetMinutes: number;
  /** Source of the aggressor's side: the data, or the touch before the trade. */
  readonly sides: 'source' | 'touch';
  /** Levels of the book a side; 0 where the source had none. */
  readonly depth: number;
  /** Where rows are quotes: whether the source has their sizes. */
  readonly quotes?: 'sized' | 'unsized';
  readonly trades: number;
  /** Stretches that are not, or not wholly, in the file; oldest first. */
  readonly gaps: readonly TickGap[];
}

const isQuotes = ({ quotes }: TickMeta): boolean => quotes !== undefined;

export interface TickGap {
  readonly fromUs: number;
  readonly toUs: number;
  /** `missed`: the source itself proves that trades are missing. `silence`: nothing came while the market was open. `cut`: no stream. */
  readonly kind: 'missed' | 'silence' | 'cut';
  /** Missing lots, where the source counts them. */
  readonly qty: number | null;
}

// Stretches of columns of ticks, as views of the same memory.

/** The first row at or after a moment; the number of rows where there is none. */
export const firstRowAt = ({ tsUs, rows }: TickRows, atUs: number): number =>
  firstAtLeast(tsUs, atUs, 0, rows);

/** Rows `from` to `to` of a tape, or the first rows of a path. */
export function rowsBetween(ticks: TickRows, from: number, to: number): TickRows {
  assert(ticks.bars === null || from === 0, 'bars are cut at their end alone');
  return ticksOf(sliceTable(rowTableOf(ticks), from, to), ticks.isQuotes, ticks.bars);
}

// Their files.

const TICK_FILE: TableKind<TickMeta> = {
  what: 'a file of ticks',
  parse(text) {
    const meta = parseMeta<TickMeta>(text, 'ticks');
    return meta !== undefined && isTradingDay(meta.day) ? meta : undefined;
  },
  layout: ({ depth }) => tickLayout(depth),
};

export type TickTotals = TableTotals & Pick<TickMeta, 'trades' | 'volume'>;

/** Writes `parts` in their order; all but the last have as many rows as fit a part. */
export function writeColumns(
  path: string,
  depth: number,
  parts: Iterable<TickRows>,
  describe: (totals: TickTotals) => TickMeta,
): TickMeta {
  let [trades, volume] = [0, 0];
  const tables = function* (): Generator<RowTable> {
    for (const part of parts) {
      for (let i = 0; i < part.rows; i += 1) {
        const size = part.qty[i] ?? 0;
        volume += size;
        if (size > 0) trades += 1;
      }
      yield rowTableOf(part);
    }
  };
  return writeTable(path, tickLayout(depth), tables(), (totals) => describe({ ...totals, trades, volume }));
}

/** All ticks of the file. A file of one part, which is any ordinary day, is not copied. */
export function readColumns(path: string): TickColumns {
  const parts = [...readParts(path)];
  const [first] = parts;
  if (first === undefined) {
    const meta = readTickMeta(path);
    return { meta, ...ticksOf(allocateTable(tickLayout(meta.depth), 0), isQuotes(meta)) };
  }
  if (parts.length === 1) return first;
  const { meta } = first;
  const all = allocateTable(tickLayout(meta.depth), meta.rows, 'shared');
  let at = 0;
  for (const part of parts) {
    copyTable(all, at, rowTableOf(part), 0, part.rows);
    at += part.rows;
  }
  return { meta, ...ticksOf(all, isQuotes(meta)) };
}

export function* readParts(path: string): Generator<TickColumns> {
  for (const { meta, table } of readTables(path, TICK_FILE))
    yield { meta, ...ticksOf(table, isQuotes(meta)) };
}

export const readTickMeta = (path: string): TickMeta => readMeta(path, TICK_FILE);
