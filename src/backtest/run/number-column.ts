/** Numbers that arrive one after the other, without an object for each. */
import { assert } from '../../domain/assert.ts';

/** Values that lie side by side. */
export const CHUNK = 1_024;
const NOTHING = new Float64Array(0);

/** Grows by chunks: nothing is copied, and no more than one chunk is empty. */
export class NumberColumn {
  readonly #chunks: Float64Array<ArrayBuffer>[] = [];
  #last = NOTHING;
  #end = 0;

  /** Begins with so many zeros. */
  constructor(length = 0) {
    for (let i = 0; i < length; i += 1) this.push(0);
  }

  get length(): number {
    return this.#chunks.length * CHUNK - this.#last.length + this.#end;
  }

  push(value: number): void {
    if (this.#end === this.#last.length) this.#grow();
    this.#last[this.#end] = value;
    this.#end += 1;
  }

  /** Room for `count` more, side by side where it divides a chunk: returns the place of the first in `tail`. */
  extend(count: number): number {
    if (this.#end === this.#last.length) this.#grow();
    this.#end += count;
    return this.#end - count;
  }

  get tail(): Float64Array {
    return this.#last;
  }

  #grow(): void {
    this.#last = new Float64Array(CHUNK);
    this.#chunks.push(this.#last);
    this.#end = 0;
  }

  at(index: number): number {
    return this.chunkOf(index)[index % CHUNK] ?? 0;
  }

  /** Where the value lies, at its index modulo `CHUNK`. */
  chunkOf(index: number): Float64Array {
    return this.#chunks[Math.floor(index / CHUNK)] ?? NOTHING;
  }

  set(index: number, value: number): void {
    const chunk = this.#chunks[Math.floor(index / CHUNK)];
    assert(chunk !== undefined && index < this.length, 'a value is changed where there is one');
    chunk[index % CHUNK] = value;
  }

  /** Drops what comes after the first `length`. */
  cut(length: number): void {
    const chunks = Math.ceil(length / CHUNK);
    this.#chunks.length = chunks;
    this.#last = this.#chunks.at(-1) ?? NOTHING;
    this.#end = this.#last.length - (chunks * CHUNK - length);
  }

  /** A copy of what is there. */
  take(): Float64Array {
    const values = new Float64Array(this.length);
    for (const [place, chunk] of this.#chunks.entries())
      values.set(chunk === this.#last ? chunk.subarray(0, this.#end) : chunk, place * CHUNK);
    return values;
  }
}
