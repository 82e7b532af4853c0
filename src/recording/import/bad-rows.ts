/** Rows that could not be read: each is told with its line and the reason, none is dropped silently. */

export interface BadRow {
  readonly line: number;
  readonly reason: string;
}

/** So many are kept to be shown; all are counted and handed on. */
const KEPT_MAX = 1_000;
const HOPELESS_AFTER = 1_000;

/** A file whose first rows are all bad is read by the wrong rules. */
export class HopelessFile extends Error {
  override readonly name = 'HopelessFile';
}

export class BadRows {
  readonly #kept: BadRow[] = [];
  readonly #onBad: (row: BadRow) => void;
  #count = 0;
  #hasGood = false;

  constructor(onBad: (row: BadRow) => void) {
    this.#onBad = onBad;
  }

  get count(): number {
    return this.#count;
  }

  /** The first of them. */
  get kept(): readonly BadRow[] {
    return this.#kept;
  }

  good(): void {
    this.#hasGood = true;
  }

  add(line: number, reason: string): void {
    const row = { line, reason };
    this.#count += 1;
    if (this.#kept.length < KEPT_MAX) this.#kept.push(row);
    this.#onBad(row);
    if (!this.#hasGood && this.#count >= HOPELESS_AFTER) {
      throw new HopelessFile(`the first ${this.#count} rows are all bad; line ${line}: ${reason}`);
    }
  }
}
