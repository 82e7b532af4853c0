/**
 * The limit order book of one contract and day: an array of price levels between floor and ceiling, each a queue in order of
 * time. Placing and cancelling take constant time. It knows orders by handle and tag, and nothing of accounts or clocks.
 */
import { assert } from '../../domain/assert.ts';
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { priceTicks, qty } from '../../domain/units.ts';

export class Ladder {
  readonly floor: number;
  readonly ceiling: number;
  /** Trades of the last `take` or `cross`. */
  readonly fills = new FillBuffer();
  readonly #pool = new OrderPool();
  readonly #buys: LadderSide;
  readonly #sells: LadderSide;
  restingOrders = 0;
  /** Counts every change of the ladder. */
  revision = 0;

  constructor(floor: number, ceiling: number) {
    assert(Number.isSafeInteger(floor) && ceiling > floor, 'the ceiling is above the floor');
    this.floor = floor;
    this.ceiling = ceiling;
    this.#buys = new LadderSide(this.#pool, ceiling - floor + 1, 1);
    this.#sells = new LadderSide(this.#pool, ceiling - floor + 1, -1);
  }

  best(side: Side): number | undefined {
    const book = this.#sideOf(side);
    return book.isEmpty ? undefined : this.floor + book.best;
  }

  qtyAt(side: Side, price: number): number {
    return this.#sideOf(side).qty[price - this.floor] ?? 0;
  }

  /** Quantity by level above the floor: for the auction. Not to be written. */
  depth(side: Side): Int32Array {
    return this.#sideOf(side).qty;
  }

  levels(side: Side, count: number): BookLevel[] {
    const book = this.#sideOf(side);
    const result: BookLevel[] = [];
    for (let at = book.best; !book.isNone(at) && result.length < count; at = book.nextWorse(at)) {
      result.push({ price: priceTicks(this.floor + at), qty: qty(book.qty[at] ?? 0) });
    }
    return result;
  }

  /** Puts an order at the end of its queue, without matching. Returns its handle. */
  rest(side: Side, price: number, quantity: number, tag: number): number {
    assert(price >= this.floor && price <= this.ceiling, 'a resting price is inside floor and ceiling');
    assert(quantity > 0, 'a resting quantity is above zero');
    const pool = this.#pool;
    const row = pool.allocate();
    pool.qty[row] = quantity;
    pool.level[row] = price - this.floor;
    pool.sell[row] = side === 'sell' ? 1 : 0;
    pool.tag[row] = tag;
    this.#sideOf(side).append(row, price - this.floor);
    this.restingOrders += 1;
    this.revision += 1;
    return row;
  }

  /**
   * Trades an incoming order against the other side, best price first, then time, each trade at the resting order's price. The trades are
   * in `fills`; returns the leaves quantity.
   */
  take(side: Side, limitPrice: number, quantity: number): number {
    this.fills.clear();
    const book = side === 'buy' ? this.#sells : this.#buys;
    const pool = this.#pool;
    let left = quantity;
    while (left > 0 && !book.isEmpty) {
      const price = this.floor + book.best;
      if (side === 'buy' ? price > limitPrice : price < limitPrice) break;
      const row = book.head[book.best] ?? NO_ORDER;
      const traded = Math.min(left, pool.qty[row] ?? 0);
      left -= traded;
      const tag = pool.tag[row] ?? 0;
      this.fills.add(price, traded, tag, this.#consume(book, row, traded));
    }
    return left;
  }

  /** Trades `volume` contracts at one price, the best orders of both sides first (auction). The trades are in `fills`. */
  cross(price: number, volume: number): void {
    this.fills.clear();
    const pool = this.#pool;
    let left = volume;
    while (left > 0) {
      assert(!this.#buys.isEmpty && !this.#sells.isEmpty, 'both sides hold the volume of the cross');
      const buy = this.#buys.head[this.#buys.best] ?? NO_ORDER;
      const sell = this.#sells.head[this.#sells.best] ?? NO_ORDER;
      const traded = Math.min(left, pool.qty[buy] ?? 0, pool.qty[sell] ?? 0);
      const buyTag = pool.tag[buy] ?? 0;
      const sellTag = pool.tag[sell] ?? 0;
      const buyLeaves = this.#consume(this.#buys, buy, traded);
      const sellLeaves = this.#consume(this.#sells, sell, traded);
      this.fills.addCross(price, traded, buyTag, buyLeaves, sellTag, sellLeaves);
      left -= traded;
    }
  }

  /** Takes an order out and returns its leaves quantity. */
  cancel(handle: number): number {
    this.#pool.assertLive(handle);
    const left = this.#pool.qty[handle] ?? 0;
    this.#drop(this.#pool.sell[handle] === 1 ? this.#sells : this.#buys, handle);
    return left;
  }

  /** Lowers the leaves quantity of an order; it keeps its place. */
  decrease(handle: number, leaves: number): void {
    this.#pool.assertLive(handle);
    const now = this.#pool.qty[handle] ?? 0;
    assert(leaves > 0 && leaves <= now, 'a decrease leaves less than before, and more than nothing');
    this.revision += 1;
    (this.#pool.sell[handle] === 1 ? this.#sells : this.#buys).reduce(handle, now - leaves);
  }

  clear(): void {
    for (const book of [this.#buys, this.#sells]) {
      while (!book.isEmpty) this.#drop(book, book.head[book.best] ?? NO_ORDER);
    }
  }

  leavesOf(handle: number): number {
    this.#pool.assertLive(handle);
    return this.#pool.qty[handle] ?? 0;
  }

  tagOf(handle: number): number {
    this.#pool.assertLive(handle);
    return this.#pool.tag[handle] ?? 0;
  }

  firstAt(side: Side, price: number): number | undefined {
    return handleOrNone(this.#sideOf(side).head[price - this.floor]);
  }

  /** The order behind this one at the same price, or undefined. */
  behind(handle: number): number | undefined {
    return handleOrNone(this.#pool.next[handle]);
  }

  #sideOf(side: Side): LadderSide {
    return side === 'buy' ? this.#buys : this.#sells;
  }

  /** Lowers an order by the traded quantity, drops it at zero, returns the rest. */
  #consume(book: LadderSide, row: number, traded: number): number {
    this.revision += 1;
    book.reduce(row, traded);
    const left = this.#pool.qty[row] ?? 0;
    if (left === 0) this.#drop(book, row);
    return left;
  }

  #drop(book: LadderSide, row: number): void {
    book.unlink(row);
    this.#pool.release(row);
    this.restingOrders -= 1;
    this.revision += 1;
  }
}

const handleOrNone = (row: number | undefined): number | undefined =>
  row === undefined || row === NO_ORDER ? undefined : row;

const WORD_SHIFT = 5;
const BIT_MASK = 31;

/** One side of the ladder: for every price level a queue in order of time, and the best level that is not empty. */
class LadderSide {
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

  /** Takes the order out of its queue; its leaves quantity goes off the level. */
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

const NO_ORDER = -1;
const FIRST_CAPACITY = 1024;

/** Resting orders as rows of typed arrays, linked into the queue of their price. A handle is a row; rows are reused. */
class OrderPool {
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

/** The trades of one match, reused from match to match: read them before the next call. */
class FillBuffer {
  count = 0;
  readonly price: number[] = [];
  readonly qty: number[] = [];
  /** Tag of the resting order; in an auction, of the buyer. */
  readonly restingTag: number[] = [];
  /** Quantity left of the resting order; in an auction, of the buyer. */
  readonly restingLeaves: number[] = [];
  /** Tag of the seller in an auction; unused otherwise. */
  readonly sellerTag: number[] = [];
  readonly sellerLeaves: number[] = [];

  clear(): void {
    this.count = 0;
  }

  add(price: number, quantity: number, restingTag: number, restingLeaves: number): void {
    this.addCross(price, quantity, restingTag, restingLeaves, 0, 0);
  }

  addCross(
    price: number,
    quantity: number,
    restingTag: number,
    restingLeaves: number,
    sellerTag: number,
    sellerLeaves: number,
  ): void {
    const i = this.count;
    this.price[i] = price;
    this.qty[i] = quantity;
    this.restingTag[i] = restingTag;
    this.restingLeaves[i] = restingLeaves;
    this.sellerTag[i] = sellerTag;
    this.sellerLeaves[i] = sellerLeaves;
    this.count = i + 1;
  }
}
