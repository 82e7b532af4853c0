/** One side of the ladder: for every price level a queue in order of time, and the best level that is not empty. */
import { NO_ORDER, type OrderPool } from './order-pool.ts';

/** Bits of a word, as a shift and a mask. */
const WORD_SHIFT = 5;
const BIT_MASK = 31;

export class LadderSide {
  readonly #pool: OrderPool;
  /** +1: higher is better (buy); -1: lower is better (sell). */
  readonly #better: 1 | -1;
  readonly #levels: number;
  readonly head: Int32Array;
  readonly #tail: Int32Array;
  readonly qty: Int32Array;
  /** A bit a level that is not empty: thirty-two empty ones are passed in one step. */
  readonly #taken: Int32Array;
  /** Index of the best level; -1 or `levels` when the side is empty. */
  best = 0;

  constructor(pool: OrderPool, levels: number, better: 1 | -1) {
    this.#pool = pool;
    this.#better = better;
    this.#levels = levels;
    this.head = new Int32Array(levels).fill(NO_ORDER);
    this.#tail = new Int32Array(levels).fill(NO_ORDER);
    this.qty = new Int32Array(levels);
    this.#taken = new Int32Array((levels >> WORD_SHIFT) + 1);
    this.best = this.#none();
  }

  get isEmpty(): boolean {
    return this.best === this.#none();
  }

  append(row: number, level: number): void {
    const pool = this.#pool;
    const last = this.#tail[level] ?? NO_ORDER;
    pool.previous[row] = last;
    pool.next[row] = NO_ORDER;
    if (last === NO_ORDER) {
      this.head[level] = row;
      const word = level >> WORD_SHIFT;
      this.#taken[word] = (this.#taken[word] ?? 0) | (1 << (level & BIT_MASK));
    } else pool.next[last] = row;
    this.#tail[level] = row;
    this.qty[level] = (this.qty[level] ?? 0) + (pool.qty[row] ?? 0);
    if ((level - this.best) * this.#better > 0) this.best = level;
  }

  /** Takes the order out of its queue; what it had left leaves the level with it. */
  unlink(row: number): void {
    const pool = this.#pool;
    const level = pool.level[row] ?? 0;
    const before = pool.previous[row] ?? NO_ORDER;
    const after = pool.next[row] ?? NO_ORDER;
    if (before === NO_ORDER) this.head[level] = after;
    else pool.next[before] = after;
    if (after === NO_ORDER) this.#tail[level] = before;
    else pool.previous[after] = before;
    this.qty[level] = (this.qty[level] ?? 0) - (pool.qty[row] ?? 0);
    if (before !== NO_ORDER || after !== NO_ORDER) return;
    const word = level >> WORD_SHIFT;
    this.#taken[word] = (this.#taken[word] ?? 0) & ~(1 << (level & BIT_MASK));
    if (level === this.best) this.best = this.nextWorse(level);
  }

  reduce(row: number, by: number): void {
    const pool = this.#pool;
    const level = pool.level[row] ?? 0;
    pool.qty[row] = (pool.qty[row] ?? 0) - by;
    this.qty[level] = (this.qty[level] ?? 0) - by;
  }

  /** The next level with orders behind `level`, or the mark of none. */
  nextWorse(level: number): number {
    return this.#better === 1 ? this.#below(level) : this.#above(level);
  }

  #below(level: number): number {
    let word = level >> WORD_SHIFT;
    let bits = (this.#taken[word] ?? 0) & ((1 << (level & BIT_MASK)) - 1);
    while (bits === 0) {
      if (word === 0) return -1;
      word -= 1;
      bits = this.#taken[word] ?? 0;
    }
    return (word << WORD_SHIFT) + BIT_MASK - Math.clz32(bits);
  }

  #above(level: number): number {
    let word = level >> WORD_SHIFT;
    // -2 << 31 is 0: nothing is above the last bit of a word.
    let bits = (this.#taken[word] ?? 0) & (-2 << (level & BIT_MASK));
    while (bits === 0) {
      word += 1;
      if (word === this.#taken.length) return this.#levels;
      bits = this.#taken[word] ?? 0;
    }
    // The lowest bit alone.
    return (word << WORD_SHIFT) + BIT_MASK - Math.clz32(bits & -bits);
  }

  isNone(level: number): boolean {
    return level === this.#none();
  }

  #none(): number {
    return this.#better === 1 ? -1 : this.#levels;
  }
}
