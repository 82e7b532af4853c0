/** Writes rows as CSV or Parquet, by the name of the file, in decimals, words and times that other programs read. */
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import { US_PER_SECOND } from '../domain/units.ts';
import { formatLocalTime, formatUtcOffset } from '../text/dates.ts';
import { DecimalStep } from '../text/decimals.ts';
import { BAR_PHASES } from './columns/bar-file.ts';
import { allocateTable, type ColumnArray, type RowTable } from './columns/row-table.ts';
import { rowTableOf, type TickColumns, tickLayout } from './columns/tick-file.ts';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { csvLine } from '../text/table.ts';

type CellWriter = (value: number) => string;

interface ExportField {
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

export async function exportFile(path: string, table: ExportTable): Promise<void> {
  const partial = `${path}.partial`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    if (path.endsWith('.parquet')) await writeParquet(partial, table);
    else await writeText(partial, csvPieces(table), path.endsWith('.gz'));
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

async function writeText(path: string, text: Iterable<string>, isPacked: boolean): Promise<void> {
  const from = Readable.from(text, { objectMode: true });
  // Opened before the rows are read: a stream that opens later would make the file after a failure has taken it away.
  const into = (await open(path, 'w')).createWriteStream();
  if (isPacked) await pipeline(from, createGzip(), into);
  else await pipeline(from, into);
}

const PIECE_ROWS = 1 << 14;

/** An import can read this text back. */
function* csvPieces({ fields, parts, utcOffsetMinutes }: ExportTable): Generator<string> {
  yield csvLine(fields.map(({ element }) => element.name));
  const cells = fields.map((field) => field.cells(utcOffsetMinutes));
  for (const part of parts) {
    for (let from = 0; from < part.rows; from += PIECE_ROWS)
      yield piece(part, cells, from, Math.min(part.rows, from + PIECE_ROWS));
  }
}

function piece({ columns }: RowTable, cells: readonly CellWriter[], from: number, to: number): string {
  let text = '';
  for (let row = from; row < to; row += 1) {
    for (let i = 0; i < cells.length; i += 1) {
      if (i > 0) text += ',';
      text += cells[i]?.(columns[i]?.[row] ?? 0) ?? '';
    }
    text += '\n';
  }
  return text;
}

const GROUP_ROWS = 1 << 17;

/** Writes row group by row group, in memory that does not grow with the file. */
async function writeParquet(path: string, { fields, parts }: ExportTable): Promise<void> {
  const schema = [{ name: 'root', num_children: fields.length }, ...fields.map(({ element }) => element)];
  const file = new ParquetWriter({ writer: fileWriter(path), schema, createdBy: 'tickwright' });
  for (const part of parts) {
    for (let from = 0; from < part.rows; from += GROUP_ROWS) {
      await file.write({
        columnData: columnData(fields, part, from, Math.min(part.rows, from + GROUP_ROWS)),
        rowGroupSize: GROUP_ROWS,
      });
    }
  }
  await file.finish();
}

const columnData = (fields: readonly ExportField[], { columns }: RowTable, from: number, to: number) =>
  fields.map((field, i) => ({
    name: field.element.name,
    data: field.values((columns[i] ?? new Int32Array(to)).subarray(from, to)),
  }));
