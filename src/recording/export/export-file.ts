/** Writes an exported table as CSV or Parquet, by the name of the file, which appears when it is whole. */
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { csvLine } from '../../text/table.ts';
import type { RowTable } from '../columns/row-table.ts';
import type { CellWriter, ExportField, ExportTable } from './export-table.ts';

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
