/** One side of the ladder: for every price level a queue in order of time, and the best level that is not empty. */
import { NO_ORDER, type OrderPool } from './order-pool.ts';

export class LadderSide {
  readonly #pool: OrderPool;
  /** +1: higher is better (buy); -1: lower is better (sell). */
  readonly #better: 1 | -1;
  readonly #levels: number;
  readonly head: Int32Array;
  readonly #tail: Int32Array;
  readonly qty: Int32Array;
  /** Index of the best level; -1 or `levels` when the side is empty. */
  best = 0;

  constructor(pool: OrderPool, levels: number, better: 1 | -1) {
    this.#pool = pool;
    this.#better = better;
    this.#levels = levels;
    this.head = new Int32Array(levels).fill(NO_ORDER);
    this.#tail = new Int32Array(levels).fill(NO_ORDER);
    this.qty = new Int32Array(levels);
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
    if (last === NO_ORDER) this.head[level] = row;
    else pool.next[last] = row;
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
    if (level === this.best && this.head[level] === NO_ORDER) this.best = this.nextWorse(level);
  }

  reduce(row: number, by: number): void {
    const pool = this.#pool;
    const level = pool.level[row] ?? 0;
    pool.qty[row] = (pool.qty[row] ?? 0) - by;
    this.qty[level] = (this.qty[level] ?? 0) - by;
  }

  /** The next level with orders behind `level`, or the mark of none. */
  nextWorse(level: number): number {
    const none = this.#none();
    for (let i = level - this.#better; i !== none && i >= 0 && i < this.#levels; i -= this.#better) {
      if (this.head[i] !== NO_ORDER) return i;
    }
    return none;
  }

  isNone(level: number): boolean {
    return level === this.#none();
  }

  #none(): number {
    return this.#better === 1 ? -1 : this.#levels;
  }
}
