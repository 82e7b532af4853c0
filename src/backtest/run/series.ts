/** Numbers that arrive one after the other, kept as columns, without an object for each. */
import type { Samples } from '../backtest-result.ts';

const FIRST_ROOM = 256;

export class NumberColumn {
  #values = new Float64Array(FIRST_ROOM);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#values = grown(this.#values);
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** A copy of what is there. */
  take(): Float64Array {
    return this.#values.slice(0, this.#length);
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

function grown(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const room = new Float64Array(values.length * 2);
  room.set(values);
  return room;
}
