/** Rows for export: whole numbers become decimals, texts and times of other programs. */
import type { ParquetWriter } from 'hyparquet-writer';
import { US_PER_SECOND } from '../../domain/units.ts';
import { formatLocalTime, formatUtcOffset } from '../../text/dates.ts';
import { DecimalStep } from '../../text/decimals.ts';
import { BAR_PHASES } from '../columns/bar-file.ts';
import { allocateTable, type ColumnArray, type RowTable } from '../columns/row-table.ts';
import { rowTableOf, type TickColumns, tickLayout } from '../columns/tick-columns.ts';

export type CellWriter = (value: number) => string;

/** One column, as both kinds of file write it. */
export interface ExportField {
  /** Its name and type in Parquet. */
  readonly element: ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
  values(column: ColumnArray): Parameters<ParquetWriter['write']>[0]['columnData'][number]['data'];
  /** Its cells in CSV. */
  cells(utcOffsetMinutes: number): CellWriter;
}

export interface ExportTable {
  readonly fields: readonly ExportField[];
  readonly parts: Iterable<RowTable>;
  /** Minutes east of Greenwich in which times are written as text. */
  readonly utcOffsetMinutes: number;
}

/** Whole microseconds. */
const time = (name: string): ExportField => ({
  element: {
    name,
    type: 'INT64',
    repetition_type: 'REQUIRED',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  values: (column) => BigInt64Array.from({ length: column.length }, (_, i) => BigInt(column[i] ?? 0)),
  cells: timeCells,
});

const US_DIGITS = 6;

/** `2026-03-04T09:00:01+07:00`, with as many digits of the second as there are. */
function timeCells(utcOffsetMinutes: number): CellWriter {
  const zone = formatUtcOffset(utcOffsetMinutes);
  let secondBefore = NaN;
  let textBefore = '';
  return (at) => {
    const second = Math.floor(at / US_PER_SECOND);
    if (second !== secondBefore) {
      secondBefore = second;
      textBefore = formatLocalTime(second * US_PER_SECOND, utcOffsetMinutes).slice(0, 19);
    }
    const us = at - second * US_PER_SECOND;
    const part = us === 0 ? '' : `.${String(us).padStart(US_DIGITS, '0').replace(/0+$/, '')}`;
    return `${textBefore}${part}${zone}`;
  };
}

/** Whole steps; nothing where they are 0. */
function price(name: string, size: string): ExportField {
  const step = new DecimalStep(size);
  return {
    element: { name, type: 'DOUBLE', repetition_type: 'OPTIONAL' },
    values: (column) => Array.from(column, (value) => (value === 0 ? null : step.number(value))),
    cells: () => (value) => (value === 0 ? '' : step.text(value)),
  };
}

function amount(name: string, size: string): ExportField {
  const step = new DecimalStep(size);
  return {
    element: { name, type: 'DOUBLE', repetition_type: 'REQUIRED' },
    values: (column) => Float64Array.from(column, (value) => step.number(value)),
    cells: () => (value) => step.text(value),
  };
}

const count = (name: string): ExportField => ({
  element: { name, type: 'INT32', repetition_type: 'REQUIRED' },
  values: (column) => Int32Array.from(column),
  cells: () => String,
});

/** A value is written as `words[value + first]`. */
function word(name: string, words: readonly string[], first: number): ExportField {
  const wordOf = (value: number): string => words[value + first] ?? '';
  return {
    element: { name, type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'UTF8' },
    values: (column) => Array.from(column, wordOf),
    cells: () => wordOf,
  };
}

export const tickFields = (tickSize: string, lotSize: string, depth: number): readonly ExportField[] => [
  time('time'),
  price('price', tickSize),
  amount('volume', lotSize),
  word('side', ['sell', '', 'buy'], 1),
  ...Array.from({ length: depth }, (_, i) => [
    price(`bid_price_${i + 1}`, tickSize),
    amount(`bid_volume_${i + 1}`, lotSize),
    price(`ask_price_${i + 1}`, tickSize),
    amount(`ask_volume_${i + 1}`, lotSize),
  ]).flat(),
];

/** The rows of a day in the columns of `tickFields`; a day with fewer levels has nothing in the others. */
export function tickPart(ticks: TickColumns, depth: number, tradesOnly: boolean): RowTable {
  const { rows, columns } = tradesOnly ? tradesOf(ticks) : rowTableOf(ticks);
  const empty = allocateTable(tickLayout(depth), rows).columns;
  return { rows, columns: empty.map((none, i) => columns[i] ?? none) };
}

function tradesOf(ticks: TickColumns): RowTable {
  const { columns } = rowTableOf(ticks);
  const index: number[] = [];
  for (let i = 0; i < ticks.rows; i += 1) if ((ticks.qty[i] ?? 0) > 0) index.push(i);
  const kept = allocateTable(tickLayout(ticks.meta.depth), index.length);
  for (const [c, column] of kept.columns.entries()) {
    const from = columns[c];
    for (const [i, at] of index.entries()) column[i] = from?.[at] ?? 0;
  }
  return kept;
}

/** In the order of `BAR_LAYOUT`. */
export const barFields = (tickSize: string, lotSize: string): readonly ExportField[] => [
  time('time'),
  time('end'),
  ...['open', 'high', 'low', 'close'].map((name) => price(name, tickSize)),
  amount('volume', lotSize),
  count('trades'),
  word('phase', BAR_PHASES, 0),
  count('complete'),
];
