/** Reads a table of text: finds its delimiter and header, then passes each row to its reader. */
import { InputFault } from '../../domain/failure.ts';
import { createReadStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

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
    throw new InputFault('file', `${path}: expected a table of text in UTF-8, was ${kind}`);
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
      throw new InputFault('file', `${path}: expected a whole gzip file, was not: ${error.message}`);
    }
    throw error;
  } finally {
    raw.destroy();
  }
}

// Splits a stream of bytes into rows and cells without making a text of either: a file may have a hundred million rows. Cells are
// handed over as places in the bytes, blanks and quotes around them left out.

/** One row; the object is used again for the next one. */
export interface CsvRow {
  readonly bytes: Buffer;
  /** Counted from 1, blank lines too. */
  readonly line: number;
  readonly cells: number;
  /** Where each cell begins and ends: `bounds[2 * cell]`, `bounds[2 * cell + 1]`. */
  readonly bounds: Int32Array;
}

const LINE_BYTES_MAX = 1 << 20;
const CELLS_MAX = 256;
const NEWLINE = 10;
const BLANK = 32;
const QUOTE = 34;
const NOTHING = Buffer.alloc(0);

export class CsvRows {
  readonly #delimiter: number;
  readonly #onRow: (row: CsvRow) => void;
  readonly #row: { -readonly [Name in keyof CsvRow]: CsvRow[Name] } = {
    bytes: NOTHING,
    line: 0,
    cells: 0,
    bounds: new Int32Array(2 * CELLS_MAX),
  };
  /** Start of a line whose end is in a later chunk. */
  #partial: Buffer = NOTHING;

  constructor(delimiter: string, onRow: (row: CsvRow) => void) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#onRow = onRow;
  }

  write(chunk: Buffer): void {
    let from = 0;
    while (this.#partial.length > 0 && from < chunk.length) {
      const end = chunk.indexOf(NEWLINE, from) + 1;
      const line = Buffer.concat([this.#partial, chunk.subarray(from, end === 0 ? chunk.length : end)]);
      this.#partial = NOTHING;
      if (end === 0) return this.#keep(line, 0);
      // Something is left of it when the line ended within quotes.
      this.#scan(line);
      from = end;
    }
    if (from < chunk.length) this.#scan(chunk.subarray(from));
  }

  /** The last line may lack its end. */
  end(): void {
    if (this.#partial.length > 0) this.write(Buffer.of(NEWLINE));
    if (this.#partial.length > 0)
      throw new InputFault('rows', `line ${this.#row.line + 1}: a quote is not closed`);
  }

  #scan(bytes: Buffer): void {
    const row = this.#row;
    const { bounds } = row;
    const delimiter = this.#delimiter;
    row.bytes = bytes;
    let lineStart = 0;
    let start = 0;
    let cell = 0;
    let linesInQuotes = 0;
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i] ?? 0;
      if (byte === delimiter || byte === NEWLINE) {
        if (cell === CELLS_MAX)
          throw new InputFault('rows', `line ${row.line + 1}: more than ${CELLS_MAX} columns`);
        setBounds(bounds, cell, bytes, start, i);
        cell += 1;
        start = i + 1;
        if (byte === NEWLINE) {
          this.#end(cell);
          row.line += linesInQuotes;
          linesInQuotes = 0;
          cell = 0;
          lineStart = start;
        }
      } else if (byte === QUOTE && i === start) {
        const close = closingQuote(bytes, i);
        if (close === -1) break;
        for (let at = i; at < close; at += 1) if (bytes[at] === NEWLINE) linesInQuotes += 1;
        i = close;
      }
    }
    this.#keep(bytes, lineStart);
  }

  #end(cells: number): void {
    const row = this.#row;
    row.line += 1;
    row.cells = cells;
    if (cells > 1 || row.bounds[0] !== row.bounds[1]) this.#onRow(row);
  }

  #keep(bytes: Buffer, from: number): void {
    if (from === bytes.length) return;
    if (bytes.length - from > LINE_BYTES_MAX) {
      throw new InputFault(
        'rows',
        `line ${this.#row.line + 1}: expected an end within ${LINE_BYTES_MAX} bytes`,
      );
    }
    // A copy: the caller may use the memory of the chunk again.
    this.#partial = Buffer.from(bytes.subarray(from));
  }
}

/** Two quotes in a row mean one within quotes. */
function closingQuote(bytes: Uint8Array, open: number): number {
  let close = bytes.indexOf(QUOTE, open + 1);
  while (close !== -1 && bytes[close + 1] === QUOTE) close = bytes.indexOf(QUOTE, close + 2);
  return close;
}

function setBounds(bounds: Int32Array, cell: number, bytes: Uint8Array, start: number, end: number): void {
  let from = start;
  let to = end;
  while (from < to && (bytes[from] ?? 0) <= BLANK) from += 1;
  while (from < to && (bytes[to - 1] ?? 0) <= BLANK) to -= 1;
  if (to - from >= 2 && bytes[from] === QUOTE && bytes[to - 1] === QUOTE) {
    from += 1;
    to -= 1;
  }
  bounds[2 * cell] = from;
  bounds[2 * cell + 1] = to;
}

export const cellText = ({ bytes, cells, bounds }: CsvRow, cell: number): string =>
  cell < cells ? bytes.toString('utf8', bounds[2 * cell], bounds[2 * cell + 1]) : '';
