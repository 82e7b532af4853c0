/** Reads a table of text: finds its delimiter and header, then hands row after row to whoever knows what they mean. */
import { CsvRows, cellText, type CsvRow } from './csv-rows.ts';
import { openSource, SourceFileError } from './source-file.ts';

export interface TableHead {
  /** Null for a table without one. */
  readonly header: readonly string[] | null;
  readonly width: number;
}

export interface TableReader {
  readonly hasHeader: boolean;
  readonly delimiter: string | null;
  /** Told the first row; gives what takes each of the rows. */
  begin(head: TableHead): (row: CsvRow) => void;
  progress(bytes: number, size: number): void;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const NEWLINE = 10;

/** Resolves when the file was read to its end. */
export async function readTable(path: string, reader: TableReader): Promise<void> {
  const source = openSource(path);
  let rows: CsvRows | undefined = undefined;
  for await (const chunk of source.chunks()) {
    const bytes = rows === undefined ? withoutMark(path, chunk) : chunk;
    rows ??= new CsvRows(reader.delimiter ?? delimiterOf(bytes), takeFrom(reader));
    rows.write(bytes);
    reader.progress(source.bytesRead, source.size);
  }
  rows?.end();
}

function takeFrom(reader: TableReader): (row: CsvRow) => void {
  let take: ((row: CsvRow) => void) | undefined = undefined;
  return (row) => {
    if (take !== undefined) return take(row);
    const texts = Array.from({ length: row.cells }, (_, cell) => cellText(row, cell));
    take = reader.begin({ header: reader.hasHeader ? texts : null, width: row.cells });
    if (!reader.hasHeader) take(row);
  };
}

function withoutMark(path: string, chunk: Buffer): Buffer {
  if ((chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff)) {
    throw new SourceFileError(`${path}: expected UTF-8, was UTF-16`);
  }
  return chunk.subarray(0, BOM.length).equals(BOM) ? chunk.subarray(BOM.length) : chunk;
}

/** The one the first line has most of. */
function delimiterOf(bytes: Buffer): string {
  const end = bytes.indexOf(NEWLINE);
  const line = bytes.toString('latin1', 0, end === -1 ? bytes.length : end);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}
