/** What rows come to, counted part by part. The digest is the same in whatever kind of file the rows lie. */
import { createHash } from 'node:crypto';
import { assert } from '../../domain/assert.ts';
import { type RowTable, timesOf } from './row-table.ts';

export interface TableTotals {
  readonly rows: number;
  readonly firstUs: number;
  readonly lastUs: number;
  /** SHA-256 over the columns, part by part. */
  readonly digest: string;
}

export class TotalsCounter {
  readonly #hash = createHash('sha256');
  #rows = 0;
  #firstUs = 0;
  #lastUs = -Infinity;

  add(part: RowTable): void {
    const times = timesOf(part);
    if (this.#rows === 0) this.#firstUs = times[0] ?? 0;
    let last = this.#lastUs;
    for (let i = 0; i < part.rows; i += 1) {
      const at = times[i] ?? NaN;
      assert(at >= last, 'times never fall from row to row');
      last = at;
    }
    this.#lastUs = last;
    this.#rows += part.rows;
    for (const column of part.columns) {
      this.#hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
    }
  }

  /** To be asked for once, at the end. */
  totals(): TableTotals {
    return {
      rows: this.#rows,
      firstUs: this.#firstUs,
      lastUs: this.#rows === 0 ? 0 : this.#lastUs,
      digest: this.#hash.digest('hex'),
    };
  }
}
