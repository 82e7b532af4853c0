/** The book of one contract and day: at each price a queue in order of time. It knows orders by tags, nothing of accounts or clocks. */
import { assert } from '../../domain/assert.ts';
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import { priceTicks, qty } from '../../domain/units.ts';

/** An order in the ladder, which alone changes what is left of it. */
export interface LadderOrder {
  readonly side: Side;
  readonly price: number;
  readonly tag: number;
  readonly leavesQty: number;
}

export interface LadderFill {
  readonly price: number;
  readonly qty: number;
  /** In an auction the buyer. */
  readonly resting: LadderOrder;
  /** Null where an incoming order took. */
  readonly seller: LadderOrder | null;
}

type OwnOrder = { -readonly [Name in keyof LadderOrder]: LadderOrder[Name] };

export class Ladder {
  readonly floor: number;
  readonly ceiling: number;
  readonly #buys: LadderSide;
  readonly #sells: LadderSide;
  restingOrders = 0;
  /** Counts every change of the ladder. */
  revision = 0;

  constructor(floor: number, ceiling: number) {
    assert(Number.isSafeInteger(floor) && ceiling > floor, 'the ceiling is above the floor');
    this.floor = floor;
    this.ceiling = ceiling;
    this.#buys = new LadderSide(ceiling - floor + 1, 1);
    this.#sells = new LadderSide(ceiling - floor + 1, -1);
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
    for (let at = book.best; at !== book.none && result.length < count; at = book.nextWorse(at)) {
      result.push({ price: priceTicks(this.floor + at), qty: qty(book.qty[at] ?? 0) });
    }
    return result;
  }

  /** In order of time. */
  ordersAt(side: Side, price: number): readonly LadderOrder[] {
    return this.#sideOf(side).queueAt(price - this.floor);
  }

  /** Puts an order at the end of its queue, without matching. */
  rest(side: Side, price: number, quantity: number, tag: number): LadderOrder {
    assert(price >= this.floor && price <= this.ceiling, 'a resting price is inside floor and ceiling');
    assert(quantity > 0, 'a resting quantity is above zero');
    const order = { side, price, tag, leavesQty: quantity };
    this.#sideOf(side).append(order, price - this.floor);
    this.restingOrders += 1;
    this.revision += 1;
    return order;
  }

  /** Trades an incoming order against the other side, best price first, then time, each trade at the resting order's price. */
  take(side: Side, limitPrice: number, quantity: number): readonly LadderFill[] {
    const book = side === 'buy' ? this.#sells : this.#buys;
    const fills: LadderFill[] = [];
    for (let left = quantity; left > 0 && !book.isEmpty;) {
      const resting = book.first();
      const { price } = resting;
      if (side === 'buy' ? price > limitPrice : price < limitPrice) break;
      const traded = Math.min(left, resting.leavesQty);
      left -= traded;
      this.#reduce(resting, traded);
      fills.push({ price, qty: traded, resting, seller: null });
    }
    return fills;
  }

  /** Trades `volume` contracts at one price, the best orders of both sides first (auction). */
  cross(price: number, volume: number): readonly LadderFill[] {
    const fills: LadderFill[] = [];
    for (let left = volume; left > 0;) {
      const [resting, seller] = [this.#buys.first(), this.#sells.first()];
      const traded = Math.min(left, resting.leavesQty, seller.leavesQty);
      left -= traded;
      this.#reduce(resting, traded);
      this.#reduce(seller, traded);
      fills.push({ price, qty: traded, resting, seller });
    }
    return fills;
  }

  cancel(order: LadderOrder): void {
    this.#reduce(order, order.leavesQty);
  }

  /** Lowers the leaves quantity of an order; it keeps its place. */
  decrease(order: LadderOrder, leaves: number): void {
    assert(
      leaves > 0 && leaves <= order.leavesQty,
      'a decrease leaves less than before, and more than nothing',
    );
    this.#reduce(order, order.leavesQty - leaves);
  }

  clear(): void {
    for (const book of [this.#buys, this.#sells]) while (!book.isEmpty) this.cancel(book.first());
  }

  #sideOf(side: Side): LadderSide {
    return side === 'buy' ? this.#buys : this.#sells;
  }

  #reduce(order: LadderOrder, by: number): void {
    this.revision += 1;
    if (this.#sideOf(order.side).reduce(order, order.price - this.floor, by)) this.restingOrders -= 1;
  }
}

/** One side of the ladder: for each level above the floor its queue, and the best level that is not empty. */
class LadderSide {
  /** +1: higher is better (buy); -1: lower is better (sell). */
  readonly #better: 1 | -1;
  readonly #queues: OwnOrder[][];
  readonly qty: Int32Array;
  /** The level behind the worst one: the best one of an empty side. */
  readonly none: number;
  best: number;

  constructor(levels: number, better: 1 | -1) {
    this.#better = better;
    this.#queues = Array.from({ length: levels }, () => []);
    this.qty = new Int32Array(levels);
    this.none = better === 1 ? -1 : levels;
    this.best = this.none;
  }

  get isEmpty(): boolean {
    return this.best === this.none;
  }

  queueAt(level: number): OwnOrder[] {
    const queue = this.#queues[level];
    assert(queue !== undefined, 'a level lies between floor and ceiling');
    return queue;
  }

  first(): LadderOrder {
    const [order] = this.queueAt(this.best);
    assert(order !== undefined, 'the best level has an order');
    return order;
  }

  append(order: OwnOrder, level: number): void {
    this.queueAt(level).push(order);
    this.qty[level] = (this.qty[level] ?? 0) + order.leavesQty;
    if ((level - this.best) * this.#better > 0) this.best = level;
  }

  /** True where nothing is left of it, and it is gone. */
  reduce(order: OwnOrder, level: number, by: number): boolean {
    const queue = this.queueAt(level);
    const place = queue.indexOf(order);
    assert(place !== -1, 'the order rests in the ladder');
    order.leavesQty -= by;
    this.qty[level] = (this.qty[level] ?? 0) - by;
    if (order.leavesQty > 0) return false;
    queue.splice(place, 1);
    if (queue.length === 0 && level === this.best) this.best = this.nextWorse(level);
    return true;
  }

  /** The next level with orders behind `level`, or `none`. */
  nextWorse(level: number): number {
    let next = level - this.#better;
    while (next !== this.none && this.qty[next] === 0) next -= this.#better;
    return next;
  }
}
