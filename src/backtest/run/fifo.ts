/** Messages on their way, each due at a moment; none overtakes the one before it. */

/** Places of what was taken that are kept before the lists begin anew. */
const TAKEN_MAX = 1_024;

export class Fifo<T> {
  /** When the first is due; infinite while there is none. */
  nextUs = Infinity;
  #items: (T | undefined)[] = [];
  #dueUs: number[] = [];
  #head = 0;
  #lastUs = -Infinity;

  push(dueUs: number, item: T): void {
    if (dueUs > this.#lastUs) this.#lastUs = dueUs;
    this.#items.push(item);
    this.#dueUs.push(this.#lastUs);
    if (this.nextUs === Infinity) this.nextUs = this.#lastUs;
  }

  /** The first; undefined when there is none. */
  take(): T | undefined {
    const item = this.#items[this.#head];
    if (this.#head >= this.#items.length) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    this.nextUs = this.#dueUs[this.#head] ?? Infinity;
    if (this.#head >= TAKEN_MAX && this.nextUs === Infinity) this.clear();
    return item;
  }

  clear(): void {
    this.#items = [];
    this.#dueUs = [];
    this.#head = 0;
    this.nextUs = Infinity;
  }
}
