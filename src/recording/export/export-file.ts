/** Writes an exported table into a file of the kind its name says; it appears when it is whole. */
import { createWriteStream, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { csvText } from './csv-text.ts';
import type { ExportTable } from './export-table.ts';
import { writeParquet } from './parquet-file.ts';

export async function exportFile(path: string, table: ExportTable): Promise<void> {
  const partial = `${path}.partial`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    if (path.endsWith('.parquet')) await writeParquet(partial, table);
    else await writeText(partial, csvText(table), path.endsWith('.gz'));
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
}

async function writeText(path: string, text: Iterable<string>, isPacked: boolean): Promise<void> {
  const from = Readable.from(text, { objectMode: true });
  const into = createWriteStream(path);
  if (isPacked) await pipeline(from, createGzip(), into);
  else await pipeline(from, into);
}
