/** Bars as columns: what a tape of trades comes to, or what a file of bars says. */
import type { SessionPhase } from '../../domain/calendar.ts';
import { type Column, type Layout, type RowTable, timesOf } from '../columns/row-table.ts';

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
  /** 0 where a file of bars does not say. */
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

export const BAR_LAYOUT: Layout = [
  { name: 'ts', kind: 'time' },
  { name: 'end', kind: 'time' },
  { name: 'open_ticks', kind: 'whole' },
  { name: 'high_ticks', kind: 'whole' },
  { name: 'low_ticks', kind: 'whole' },
  { name: 'close_ticks', kind: 'whole' },
  { name: 'volume', kind: 'double' },
  { name: 'trades', kind: 'whole' },
  { name: 'phase', kind: 'small' },
  { name: 'complete', kind: 'small' },
];

const doubles = (column: Column | undefined): Float64Array => checked(column, Float64Array);
const wholes = (column: Column | undefined): Int32Array => checked(column, Int32Array);
const smalls = (column: Column | undefined): Int8Array => checked(column, Int8Array);

export function barsOf(table: RowTable): BarRows {
  const { rows, columns } = table;
  return {
    rows,
    startUs: timesOf(table),
    endUs: doubles(columns[1]),
    open: wholes(columns[2]),
    high: wholes(columns[3]),
    low: wholes(columns[4]),
    close: wholes(columns[5]),
    volume: doubles(columns[6]),
    trades: wholes(columns[7]),
    phase: smalls(columns[8]),
    complete: smalls(columns[9]),
  };
}

export const tableOfBars = (bars: BarRows): RowTable => ({
  rows: bars.rows,
  columns: [
    bars.startUs,
    bars.endUs,
    bars.open,
    bars.high,
    bars.low,
    bars.close,
    bars.volume,
    bars.trades,
    bars.phase,
    bars.complete,
  ],
});

function checked<T extends Column>(column: Column | undefined, kind: abstract new (...of: never[]) => T): T {
  if (column instanceof kind) return column;
  throw new Error('Invariant: these columns are bars');
}
