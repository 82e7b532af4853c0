/** Writes an exported table as CSV or Parquet, by the name of the file, which appears when it is whole. */
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { US_PER_SECOND } from '../../domain/units.ts';
import { csvLine } from '../../text/csv.ts';
import { formatLocalTime, formatUtcOffset } from '../../text/dates.ts';
import { DecimalStep } from '../../text/decimals.ts';
import type { ColumnArray } from '../columns/row-table.ts';
import type { ExportField, ExportPart, ExportTable } from './export-table.ts';

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
  yield csvLine(fields.map(({ name }) => name));
  const cells = fields.map((field) => cellWriter(field, utcOffsetMinutes));
  for (const { rows, columns } of parts) {
    for (let from = 0; from < rows; from += PIECE_ROWS) {
      yield piece(columns, cells, from, Math.min(rows, from + PIECE_ROWS));
    }
  }
}

type CellWriter = (value: number) => string;

function piece(columns: readonly ColumnArray[], cells: readonly CellWriter[], from: number, to: number) {
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

function cellWriter(field: ExportField, utcOffsetMinutes: number): CellWriter {
  switch (field.kind) {
    case 'time':
      return timeWriter(utcOffsetMinutes);
    case 'price': {
      const step = new DecimalStep(field.step);
      return (value) => (value === 0 ? '' : step.text(value));
    }
    case 'amount': {
      const step = new DecimalStep(field.step);
      return (value) => step.text(value);
    }
    case 'count':
      return String;
    case 'word':
      return (value) => field.words[value + field.first] ?? '';
  }
}

const US_DIGITS = 6;

/** `2026-03-04T09:00:01+07:00`, with as many digits of the second as there are. */
function timeWriter(utcOffsetMinutes: number): CellWriter {
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

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const GROUP_ROWS = 1 << 17;

/** Writes row group by row group, in memory that does not grow with the file. */
async function writeParquet(path: string, { fields, parts }: ExportTable): Promise<void> {
  const schema: Element[] = [{ name: 'root', num_children: fields.length }, ...fields.map(elementOf)];
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

function elementOf({ name, kind }: ExportField): Element {
  switch (kind) {
    case 'time':
      return {
        name,
        type: 'INT64',
        repetition_type: 'REQUIRED',
        converted_type: 'TIMESTAMP_MICROS',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
      };
    case 'price':
      return { name, type: 'DOUBLE', repetition_type: 'OPTIONAL' };
    case 'amount':
      return { name, type: 'DOUBLE', repetition_type: 'REQUIRED' };
    case 'count':
      return { name, type: 'INT32', repetition_type: 'REQUIRED' };
    case 'word':
      return { name, type: 'BYTE_ARRAY', repetition_type: 'REQUIRED', converted_type: 'UTF8' };
  }
}

const columnData = (fields: readonly ExportField[], { columns }: ExportPart, from: number, to: number) =>
  fields.map((field, i) => ({
    name: field.name,
    data: values(field, (columns[i] ?? new Int32Array(to)).subarray(from, to)),
  }));

function values(field: ExportField, column: ColumnArray) {
  switch (field.kind) {
    case 'time':
      return BigInt64Array.from({ length: column.length }, (_, i) => BigInt(column[i] ?? 0));
    case 'price': {
      const step = new DecimalStep(field.step);
      return Array.from(column, (value) => (value === 0 ? null : step.number(value)));
    }
    case 'amount': {
      const step = new DecimalStep(field.step);
      return Float64Array.from(column, (value) => step.number(value));
    }
    case 'count':
      return Int32Array.from(column);
    case 'word':
      return Array.from(column, (value) => field.words[value + field.first] ?? '');
  }
}
