/** The single orders of a market and its book while messages are read; also orders that stand there without a message of theirs. */
import { BookSide } from '../collect/book-side.ts';

export interface KnownOrder {
  readonly number: number;
  readonly price: number;
  /** 1 for a buy, -1 for a sell. */
  readonly side: number;
  left: number;
}

/** Takes lots of one order from the book. */
type OnTaken = (order: KnownOrder, lots: number) => void;

export class KnownOrders {
  readonly bids = new BookSide('buy');
  readonly asks = new BookSide('sell');
  /** Orders so far. */
  #count = 0;
  readonly #byId = new Map<number | string, KnownOrder>();
  /** Of each side and price, oldest first. */
  readonly #unnamed = new Map<number, KnownOrder[]>();

  sideOf(side: number): BookSide {
    return side > 0 ? this.bids : this.asks;
  }

  get(id: number | string): KnownOrder | undefined {
    return this.#byId.get(id);
  }

  add(id: number | string, price: number, side: number, lots: number): KnownOrder {
    const order = this.#create(price, side, lots);
    this.#byId.set(id, order);
    return order;
  }

  /** An order that no message named. */
  addUnnamed(price: number, side: number, lots: number): KnownOrder {
    const order = this.#create(price, side, lots);
    const key = side * price;
    const others = this.#unnamed.get(key);
    if (others === undefined) this.#unnamed.set(key, [order]);
    else others.push(order);
    return order;
  }

  reduce(id: number | string, order: KnownOrder, lots: number): void {
    this.take(order, lots);
    if (order.left === 0) this.forget(id);
  }

  forget(id: number | string): void {
    this.#byId.delete(id);
  }

  take(order: KnownOrder, lots: number): void {
    order.left -= lots;
    this.sideOf(order.side).add(order.price, -lots);
  }

  /** All orders, oldest first. */
  get all(): readonly KnownOrder[] {
    return sorted([...this.#byId.values(), ...[...this.#unnamed.values()].flat()], 'oldest');
  }

  clear(): void {
    this.bids.clear();
    this.asks.clear();
    this.#byId.clear();
    this.#unnamed.clear();
  }

  /** Orders at a price without a name, then, where these are too few, those with one: a message of theirs was not seen. */
  takeUnnamed(price: number, side: number, lots: number, first: 'oldest' | 'newest', onTaken: OnTaken): void {
    const unnamed = sorted(this.#unnamed.get(side * price) ?? [], first);
    const left = this.#takeFrom(unnamed, lots, onTaken);
    this.#forgetUnnamed(price, side);
    if (left === 0) return;
    this.#takeFrom(sorted(this.#named(price, side), first), left, onTaken);
    this.#forgetNamed();
  }

  /** The newest orders at a price, whatever they are. */
  takeNewest(price: number, side: number, lots: number, onTaken: OnTaken): void {
    const all = [...(this.#unnamed.get(side * price) ?? []), ...this.#named(price, side)];
    this.#takeFrom(sorted(all, 'newest'), lots, onTaken);
    this.#forgetUnnamed(price, side);
    this.#forgetNamed();
  }

  #create(price: number, side: number, lots: number): KnownOrder {
    this.#count += 1;
    this.sideOf(side).add(price, lots);
    return { number: this.#count, price, side, left: lots };
  }

  /** Returns the lots that no order had. */
  #takeFrom(orders: readonly KnownOrder[], lots: number, onTaken: OnTaken): number {
    let left = lots;
    for (const order of orders) {
      if (left === 0) break;
      const taken = Math.min(left, order.left);
      this.take(order, taken);
      left -= taken;
      onTaken(order, taken);
    }
    return left;
  }

  #named(price: number, side: number): KnownOrder[] {
    const found: KnownOrder[] = [];
    for (const order of this.#byId.values())
      if (order.price === price && order.side === side) found.push(order);
    return found;
  }

  #forgetUnnamed(price: number, side: number): void {
    const key = side * price;
    const left = this.#unnamed.get(key)?.filter((order) => order.left > 0) ?? [];
    if (left.length > 0) this.#unnamed.set(key, left);
    else this.#unnamed.delete(key);
  }

  #forgetNamed(): void {
    for (const [id, order] of this.#byId) if (order.left === 0) this.#byId.delete(id);
  }
}

const sorted = (orders: readonly KnownOrder[], first: 'oldest' | 'newest'): readonly KnownOrder[] =>
  orders.toSorted((a, b) => (first === 'oldest' ? a.number - b.number : b.number - a.number));
