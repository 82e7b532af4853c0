/** What a file writes for the side that crossed the spread. */
import type { CsvRow } from './csv-rows.ts';

/** Words for each side, as the user gives them. */
export interface SideWords {
  readonly buy: readonly string[];
  readonly sell: readonly string[];
  readonly none: readonly string[];
}

/** As the Vietnamese exchanges' tapes have it: `M` (or `A`) the buyer, `B` the seller, `-` or nothing in an auction. */
export const VIETNAMESE_SIDES: SideWords = { buy: ['M', 'A', 'buy'], sell: ['B', 'sell'], none: ['-', ''] };

const UNKNOWN = 2;

export class SideCodes {
  readonly #byByte = new Int8Array(256).fill(UNKNOWN);
  readonly #byWord = new Map<string, number>();

  constructor({ buy, sell, none }: SideWords) {
    for (const word of buy) this.#add(word, 1);
    for (const word of sell) this.#add(word, -1);
    for (const word of none) this.#add(word, 0);
  }

  /** 1, -1, 0; NaN for a word nobody has explained. */
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
