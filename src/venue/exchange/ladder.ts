/**
 * The limit order book of one contract and day: an array of price levels between floor and ceiling, each a queue in order of
 * time. Placing and cancelling take constant time. It knows orders by handle and tag, and nothing of accounts or clocks.
 */
import { assert } from '../../domain/assert.ts';
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { priceTicks, qty } from '../../domain/units.ts';
import { FillBuffer } from './fill-buffer.ts';
import { LadderSide } from './ladder-side.ts';
import { NO_ORDER, OrderPool } from './order-pool.ts';

export class Ladder {
  readonly floor: number;
  readonly ceiling: number;
  /** Trades of the last `take` or `cross`. */
  readonly fills = new FillBuffer();
  readonly #pool = new OrderPool();
  readonly #buys: LadderSide;
  readonly #sells: LadderSide;
  #resting = 0;
  #revision = 0;

  constructor(floor: number, ceiling: number) {
    assert(Number.isSafeInteger(floor) && ceiling > floor, 'the ceiling is above the floor');
    this.floor = floor;
    this.ceiling = ceiling;
    this.#buys = new LadderSide(this.#pool, ceiling - floor + 1, 1);
    this.#sells = new LadderSide(this.#pool, ceiling - floor + 1, -1);
  }

  get restingOrders(): number {
    return this.#resting;
  }

  /** Grows with every change of what stands. */
  get revision(): number {
    return this.#revision;
  }

  /** Best price of a side, or undefined when the side is empty. */
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

  /** The `count` best levels, best first. */
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
    this.#resting += 1;
    this.#revision += 1;
    return row;
  }

  /**
   * Trades an incoming order against the other side, best price first, then time, each trade at the resting order's price.
   * The trades are in `fills`; returns what is left.
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

  /** Takes an order out and returns what it had left. */
  cancel(handle: number): number {
    this.#pool.assertLive(handle);
    const left = this.#pool.qty[handle] ?? 0;
    this.#drop(this.#pool.sell[handle] === 1 ? this.#sells : this.#buys, handle);
    return left;
  }

  /** Lowers what an order has left; it keeps its place. */
  decrease(handle: number, leaves: number): void {
    this.#pool.assertLive(handle);
    const now = this.#pool.qty[handle] ?? 0;
    assert(leaves > 0 && leaves <= now, 'a decrease leaves less than before, and more than nothing');
    this.#revision += 1;
    (this.#pool.sell[handle] === 1 ? this.#sells : this.#buys).reduce(handle, now - leaves);
  }

  /** Drops all orders. */
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

  /** First order in the queue of a price, or undefined. */
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

  /** Lowers an order by what traded and drops it when nothing is left; returns what is. */
  #consume(book: LadderSide, row: number, traded: number): number {
    this.#revision += 1;
    book.reduce(row, traded);
    const left = this.#pool.qty[row] ?? 0;
    if (left === 0) this.#drop(book, row);
    return left;
  }

  #drop(book: LadderSide, row: number): void {
    book.unlink(row);
    this.#pool.release(row);
    this.#resting -= 1;
    this.#revision += 1;
  }
}

const handleOrNone = (row: number | undefined): number | undefined =>
  row === undefined || row === NO_ORDER ? undefined : row;
