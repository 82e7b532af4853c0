/** What the rows of a day come to, counted part by part. The digest is the same in whatever kind of file the rows lie. */
import { createHash } from 'node:crypto';
import { assert } from '../../domain/assert.ts';
import { int32Columns, type TickRows } from './tick-columns.ts';
import type { TickMeta } from './tick-meta.ts';

export type TickTotals = Pick<TickMeta, 'rows' | 'trades' | 'volume' | 'firstUs' | 'lastUs' | 'digest'>;

export class TotalsCounter {
  readonly #hash = createHash('sha256');
  #rows = 0;
  #trades = 0;
  #volume = 0;
  #firstUs = 0;
  #lastUs = -Infinity;

  add(part: TickRows): void {
    const { rows, tsUs, qty } = part;
    if (rows === 0) return;
    if (this.#rows === 0) this.#firstUs = tsUs[0] ?? 0;
    let last = this.#lastUs;
    for (let i = 0; i < rows; i += 1) {
      const at = tsUs[i] ?? NaN;
      assert(at >= last, 'times of ticks never fall');
      last = at;
      const size = qty[i] ?? 0;
      this.#volume += size;
      if (size > 0) this.#trades += 1;
    }
    this.#lastUs = last;
    this.#rows += rows;
    for (const column of [tsUs, ...int32Columns(part), part.side]) {
      this.#hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
    }
  }

  /** To be asked for once, at the end. */
  totals(): TickTotals {
    return {
      rows: this.#rows,
      trades: this.#trades,
      volume: this.#volume,
      firstUs: this.#firstUs,
      lastUs: this.#rows === 0 ? 0 : this.#lastUs,
      digest: this.#hash.digest('hex'),
    };
  }
}
