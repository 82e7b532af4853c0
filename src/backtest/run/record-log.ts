/**
 * Records of a fixed number of figures, kept as one column of numbers: a run with a million fills keeps eight bytes a figure. A
 * record is made into an object when somebody asks for it.
 */
import type { Rows } from '../backtest-result.ts';
import { NumberColumn } from './series.ts';

export class RecordLog<T> implements Rows<T> {
  readonly #figures = new NumberColumn();
  readonly #width: number;
  readonly #read: (figure: (place: number) => number) => T;

  /** `read` makes the object; `figure(place)` is one of its `width` numbers. */
  constructor(width: number, read: (figure: (place: number) => number) => T) {
    this.#width = width;
    this.#read = read;
  }

  get length(): number {
    return this.#figures.length / this.#width;
  }

  /** To be called `width` times for each record, in order. */
  push(figure: number): void {
    this.#figures.push(figure);
  }

  at(index: number): T | undefined {
    const place = index < 0 ? this.length + index : index;
    if (place < 0 || place >= this.length) return undefined;
    const from = place * this.#width;
    return this.#read((at) => this.#figures.at(from + at));
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let index = 0; index < this.length; index += 1) {
      const record = this.at(index);
      if (record !== undefined) yield record;
    }
  }
}
