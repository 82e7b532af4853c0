/** Resting orders as rows of typed arrays, linked into the queue of their price. A handle is a row; rows are reused. */
import { assert } from '../../domain/assert.ts';

export const NO_ORDER = -1;
const FIRST_CAPACITY = 1024;

export class OrderPool {
  qty = new Int32Array(FIRST_CAPACITY);
  /** Price level (index above the floor); `NO_ORDER` in a free row. */
  level = new Int32Array(FIRST_CAPACITY).fill(NO_ORDER);
  /** 1 for a sell. */
  sell = new Uint8Array(FIRST_CAPACITY);
  tag = new Int32Array(FIRST_CAPACITY);
  next = new Int32Array(FIRST_CAPACITY);
  previous = new Int32Array(FIRST_CAPACITY);
  #free = NO_ORDER;
  #used = 0;

  allocate(): number {
    if (this.#free !== NO_ORDER) {
      const row = this.#free;
      this.#free = this.next[row] ?? NO_ORDER;
      return row;
    }
    if (this.#used === this.qty.length) this.#grow();
    this.#used += 1;
    return this.#used - 1;
  }

  release(row: number): void {
    this.level[row] = NO_ORDER;
    this.next[row] = this.#free;
    this.#free = row;
  }

  assertLive(row: number): void {
    assert(row >= 0 && row < this.#used && this.level[row] !== NO_ORDER, 'the handle names a resting order');
  }

  #grow(): void {
    const capacity = this.qty.length * 2;
    const wider = (old: Int32Array): Int32Array<ArrayBuffer> => {
      const grown = new Int32Array(capacity);
      grown.set(old);
      return grown;
    };
    this.qty = wider(this.qty);
    const level = wider(this.level);
    level.fill(NO_ORDER, this.#used);
    this.level = level;
    this.tag = wider(this.tag);
    this.next = wider(this.next);
    this.previous = wider(this.previous);
    const sell = new Uint8Array(capacity);
    sell.set(this.sell);
    this.sell = sell;
  }
}
