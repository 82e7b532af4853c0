/** Files of bars: `bars/<symbol>/<length>/<year>.arrow`. */
import { join } from 'node:path';
import type { SessionPhase } from '../../domain/calendar.ts';
import { formatBarLength } from '../../text/durations.ts';
import { readMeta, readRange, readTables, type TableKind, writeTable } from './arrow-file.ts';
import {
  columnAs,
  type FileMeta,
  type Layout,
  parseMeta,
  type RowTable,
  type TableTotals,
  timesOf,
} from './row-table.ts';

/** Bars as columns: made of a tape of trades, or read from a file of bars. */
export interface BarRows {
  readonly rows: number;
  /** Time bars: the stretch itself. Others: the first trade, and the trade or the end of the session that closed it. */
  readonly startUs: Float64Array;
  readonly endUs: Float64Array;
  /** Whole ticks. */
  readonly open: Int32Array;
  readonly high: Int32Array;
  readonly low: Int32Array;
  readonly close: Int32Array;
  /** Whole lots. */
  readonly volume: Float64Array;
  /** 0 where a file of bars has no such figure. */
  readonly trades: Int32Array;
  /** Place in `BAR_PHASES`. */
  readonly phase: Int8Array;
  /** 1 when every trade of the stretch was seen, 0 when it touches a gap of the tape. */
  readonly complete: Int8Array;
}

export const BAR_PHASES: readonly SessionPhase[] = [
  'closed',
  'opening_auction',
  'continuous',
  'break',
  'closing_auction',
];

/** In the order of the file, with their names there. */
const COLUMNS = [
  ['startUs', 'ts', 'time'],
  ['endUs', 'end', 'time'],
  ['open', 'open_ticks', 'whole'],
  ['high', 'high_ticks', 'whole'],
  ['low', 'low_ticks', 'whole'],
  ['close', 'close_ticks', 'whole'],
  ['volume', 'volume', 'double'],
  ['trades', 'trades', 'whole'],
  ['phase', 'phase', 'small'],
  ['complete', 'complete', 'small'],
] as const;

export const BAR_LAYOUT: Layout = COLUMNS.map(([, name, kind]) => ({ name, kind }));

export function barsOf(table: RowTable): BarRows {
  const { rows, columns } = table;
  return {
    rows,
    startUs: timesOf(table),
    endUs: columnAs(columns[1], Float64Array),
    open: columnAs(columns[2], Int32Array),
    high: columnAs(columns[3], Int32Array),
    low: columnAs(columns[4], Int32Array),
    close: columnAs(columns[5], Int32Array),
    volume: columnAs(columns[6], Float64Array),
    trades: columnAs(columns[7], Int32Array),
    phase: columnAs(columns[8], Int8Array),
    complete: columnAs(columns[9], Int8Array),
  };
}

export const tableOfBars = (bars: BarRows): RowTable => ({
  rows: bars.rows,
  columns: COLUMNS.map(([of]) => bars[of]),
});

export interface BarMeta extends FileMeta {
  readonly kind: 'bars';
  readonly everyUs: number;
  readonly year: number;
  /** Zone of the exchange, as the import named it: `+07:00`, `Asia/Ho_Chi_Minh`. */
  readonly timeZone: string;
}

const BAR_FILE: TableKind<BarMeta> = {
  what: 'a file of bars',
  parse: (text) => parseMeta(text, 'bars'),
  layout: () => BAR_LAYOUT,
};

export const barsPath = (dir: string, symbol: string, everyUs: number, year: number): string =>
  join(dir, 'bars', symbol, formatBarLength(everyUs), `${year}.arrow`);

export const writeBars = (
  path: string,
  parts: Iterable<RowTable>,
  describe: (totals: TableTotals) => BarMeta,
): BarMeta => writeTable(path, BAR_LAYOUT, parts, describe);

export function* readBarParts(path: string): Generator<BarRows> {
  for (const { table } of readTables(path, BAR_FILE)) yield barsOf(table);
}

export const readBars = (path: string, from: number, to: number): BarRows =>
  barsOf(readRange(path, BAR_FILE, from, to));

export const readBarMeta = (path: string): BarMeta => readMeta(path, BAR_FILE);
