import type { ColumnMap } from './column-map.ts';
import { cellText, type CsvRow } from './csv-rows.ts';
import { isSymbol } from './file-kind.ts';
import { type StampOptions, StampReader } from './stamp-reader.ts';

const NONE = -1;

/** Reads the time of a row, in one column or in two. */
export class RowTimes {
  /** Of the date and time, or of the time. */
  readonly column: number;
  /** Expected form of a time, for messages. */
  readonly wanted: string;
  readonly #date: number;
  readonly #stamps: StampReader;

  constructor(columns: ColumnMap, options: StampOptions) {
    this.column = columns.time ?? NONE;
    this.#date = columns.date ?? NONE;
    this.#stamps = new StampReader(options);
    const dates = options.dateOrder === null ? ' (for 04/03/2026 say which order)' : '';
    this.wanted =
      options.day !== null && this.#date === NONE
        ? 'a time like 09:00:00'
        : `a date and time like 2026-03-04 09:00:00${dates}`;
  }

  /** NaN for a cell that is no time. */
  read(row: CsvRow): number {
    const { column } = this;
    if (this.#date !== NONE) return this.#stamps.readPair(cellText(row, this.#date), cellText(row, column));
    const { bytes, bounds } = row;
    return this.#stamps.read(bytes, bounds[2 * column] ?? 0, bounds[2 * column + 1] ?? 0);
  }
}

/** Reads the symbol of a row, where a column has it. */
export class RowSymbol {
  /** Null where all rows are of one symbol. */
  readonly column: number | null;
  #symbol: string;

  constructor(columns: ColumnMap, symbol: string) {
    this.column = columns.symbol ?? null;
    this.#symbol = symbol;
  }

  /** Undefined for a cell that is no symbol. */
  read(row: CsvRow): string | undefined {
    if (this.column === null) return this.#symbol;
    const text = cellText(row, this.column);
    if (text !== this.#symbol) {
      if (!isSymbol(text)) return undefined;
      this.#symbol = text;
    }
    return this.#symbol;
  }
}

/** Words for each side, as the user gives them. */
export interface SideWords {
  readonly buy: readonly string[];
  readonly sell: readonly string[];
  readonly none: readonly string[];
}

/** As the Vietnamese exchanges' tapes have it: `M` (or `A`) the buyer, `B` the seller, `-` or nothing in an auction. */
export const VIETNAMESE_SIDES: SideWords = { buy: ['M', 'A', 'buy'], sell: ['B', 'sell'], none: ['-', ''] };

const UNKNOWN = 2;

/** Reads the side that crossed the spread. */
export class SideCodes {
  readonly #byByte = new Int8Array(256).fill(UNKNOWN);
  readonly #byWord = new Map<string, number>();

  constructor({ buy, sell, none }: SideWords) {
    for (const word of buy) this.#add(word, 1);
    for (const word of sell) this.#add(word, -1);
    for (const word of none) this.#add(word, 0);
  }

  /** 1, -1, 0; NaN for an unknown word. */
  read({ bytes, bounds }: CsvRow, cell: number): number {
    const from = bounds[2 * cell] ?? 0;
    const to = bounds[2 * cell + 1] ?? 0;
    const code =
      to - from === 1
        ? (this.#byByte[bytes[from] ?? 0] ?? UNKNOWN)
        : (this.#byWord.get(Buffer.from(bytes.subarray(from, to)).toString('utf8').toLowerCase()) ?? UNKNOWN);
    return code === UNKNOWN ? NaN : code;
  }

  #add(word: string, side: number): void {
    this.#byWord.set(word.toLowerCase(), side);
    if (word.length !== 1) return;
    this.#byByte[word.toLowerCase().charCodeAt(0) & 255] = side;
    this.#byByte[word.toUpperCase().charCodeAt(0) & 255] = side;
  }
}
