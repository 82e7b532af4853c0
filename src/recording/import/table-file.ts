/** Reads a table of text: finds its delimiter and header, then passes each row to its reader. */
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { cellText, type CsvRow, CsvRows } from './csv-rows.ts';

export interface TableHead {
  /** Null for a table without one. */
  readonly header: readonly string[] | null;
  readonly width: number;
}

interface TableReader {
  readonly header: boolean;
  readonly delimiter?: string | undefined;
  /** Numbers have a comma for the point, so it is no delimiter. */
  readonly decimalComma?: boolean | undefined;
  /** Gets the first row; gives the function that takes each row. */
  begin(head: TableHead): (row: CsvRow) => void;
  readonly progress: (bytes: number, size: number) => void;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const NEWLINE = 10;

/** Resolves when the file was read to its end. */
export async function readTable(path: string, reader: TableReader): Promise<void> {
  let rows: CsvRows | undefined = undefined;
  for await (const chunk of chunksOf(path, reader.progress)) {
    const bytes = rows === undefined ? withoutMark(path, chunk) : chunk;
    rows ??= new CsvRows(reader.delimiter ?? delimiterOf(bytes, reader.decimalComma), takeFrom(reader));
    rows.write(bytes);
  }
  rows?.end();
}

function takeFrom(reader: TableReader): (row: CsvRow) => void {
  let take: ((row: CsvRow) => void) | undefined = undefined;
  return (row) => {
    if (take !== undefined) return take(row);
    const texts = Array.from({ length: row.cells }, (_, cell) => cellText(row, cell));
    take = reader.begin({ header: reader.header ? texts : null, width: row.cells });
    if (!reader.header) take(row);
  };
}

/** First bytes of files that are no table of text, and what to do with them. */
const OTHER_FILES = [
  ['\xff\xfe', 'UTF-16: save it as UTF-8'],
  ['\xfe\xff', 'UTF-16: save it as UTF-8'],
  ['PAR1', 'Parquet: export it as CSV'],
  ['PK\x03\x04', 'a zip file, or a workbook: unpack it, or export its sheet as CSV'],
  ['\x1f\x8b', 'gzip: let its name end with .gz'],
] as const;

function withoutMark(path: string, chunk: Buffer): Buffer {
  const head = chunk.toString('latin1', 0, 1_000);
  const other = OTHER_FILES.find(([start]) => head.startsWith(start))?.[1];
  const kind = other ?? (head.includes('\0') ? 'binary: export it as CSV' : undefined);
  if (kind !== undefined)
    throw new SourceFileError(`${path}: expected a table of text in UTF-8, was ${kind}`);
  return chunk.subarray(0, BOM.length).equals(BOM) ? chunk.subarray(BOM.length) : chunk;
}

/** The one the first line has most of. */
function delimiterOf(bytes: Buffer, hasComma = false): string {
  const end = bytes.indexOf(NEWLINE);
  const line = bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return (
    DELIMITERS.filter((each) => !hasComma || each !== ',').toSorted((a, b) => count(b) - count(a))[0] ?? ','
  );
}

// The bytes of a file, packed or not, a piece at a time.

/** Thrown for a file that cannot be read as a whole. */
export class SourceFileError extends Error {
  override readonly name = 'SourceFileError';
}

const CHUNK_BYTES = 1 << 20;

/** `progress` gets the bytes of the file that were read, and how many it has. */
export async function* chunksOf(
  path: string,
  progress: (bytes: number, size: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const { size } = statSync(path);
  const raw = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const isPacked = path.endsWith('.gz');
  // Its errors reach the loop.
  const stream = isPacked ? pipeline(raw, createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined) : raw;
  try {
    for await (const chunk of stream) {
      yield chunk as Buffer; // oxlint-disable-line typescript/no-unsafe-type-assertion -- no encoding is set
      progress(raw.bytesRead, size);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new SourceFileError(`${path}: expected a whole gzip file, was not: ${error.message}`);
    }
    throw error;
  } finally {
    raw.destroy();
  }
}
