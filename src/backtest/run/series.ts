/** Numbers that arrive one after the other, kept as columns, without an object for each. */
import type { Samples } from '../backtest-result.ts';

const CHUNK = 4_096;

/** Grows by chunks: nothing is copied, and no more than one chunk is empty. */
export class NumberColumn {
  readonly #chunks: Float64Array[] = [];
  #last = new Float64Array(0);
  #end = 0;

  get length(): number {
    return this.#chunks.length * CHUNK - this.#last.length + this.#end;
  }

  push(value: number): void {
    if (this.#end === this.#last.length) {
      this.#last = new Float64Array(CHUNK);
      this.#chunks.push(this.#last);
      this.#end = 0;
    }
    this.#last[this.#end] = value;
    this.#end += 1;
  }

  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK] ?? 0;
  }

  /** A copy of what is there. */
  take(): Float64Array {
    const values = new Float64Array(this.length);
    for (const [place, chunk] of this.#chunks.entries())
      values.set(chunk === this.#last ? chunk.subarray(0, this.#end) : chunk, place * CHUNK);
    return values;
  }
}

export class Series {
  readonly #tsUs = new NumberColumn();
  readonly #values = new NumberColumn();

  push(atUs: number, value: number): void {
    this.#tsUs.push(atUs);
    this.#values.push(value);
  }

  samples(): Samples {
    return { tsUs: this.#tsUs.take(), values: this.#values.take() };
  }
}
