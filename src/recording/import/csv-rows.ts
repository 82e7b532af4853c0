/**
 * Splits a stream of bytes into rows and cells without making a text of either: a file may have a hundred million rows. Cells
 * are handed over as places in the bytes, blanks and quotes around them left out.
 */

/** One row; the object is used again for the next one. */
export interface CsvRow {
  readonly bytes: Buffer;
  /** Counted from 1, blank lines too. */
  readonly line: number;
  readonly cells: number;
  /** Where each cell begins and ends: `bounds[2 * cell]`, `bounds[2 * cell + 1]`. */
  readonly bounds: Int32Array;
}

export class CsvError extends Error {
  override readonly name = 'CsvError';
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
  #rest: Buffer = NOTHING;

  constructor(delimiter: string, onRow: (row: CsvRow) => void) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#onRow = onRow;
  }

  write(chunk: Buffer): void {
    let from = 0;
    while (this.#rest.length > 0 && from < chunk.length) {
      const end = chunk.indexOf(NEWLINE, from) + 1;
      const line = Buffer.concat([this.#rest, chunk.subarray(from, end === 0 ? chunk.length : end)]);
      this.#rest = NOTHING;
      if (end === 0) return this.#keep(line, 0);
      // Something is left of it when the line ended within quotes.
      this.#scan(line);
      from = end;
    }
    if (from < chunk.length) this.#scan(chunk.subarray(from));
  }

  /** The last line may lack its end. */
  end(): void {
    if (this.#rest.length > 0) this.write(Buffer.of(NEWLINE));
    if (this.#rest.length > 0) throw new CsvError(`line ${this.#row.line + 1}: a quote is not closed`);
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
        if (cell === CELLS_MAX) throw new CsvError(`line ${row.line + 1}: more than ${CELLS_MAX} columns`);
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
      throw new CsvError(`line ${this.#row.line + 1}: expected an end within ${LINE_BYTES_MAX} bytes`);
    }
    // A copy: the caller may use the memory of the chunk again.
    this.#rest = Buffer.from(bytes.subarray(from));
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
