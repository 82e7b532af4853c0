/** Users' orders over a tape, on one side, in order of price and time, and what a print gives them. */
import { assert } from '../../domain/assert.ts';
import type { Side } from '../../domain/order.ts';

export interface Waiting {
  readonly tag: number;
  readonly price: number;
  left: number;
  /** Quantity of others in front of it at its price. */
  ahead: number;
  /** Came in through the touch: it takes instead of waiting. */
  takes: boolean;
}

/** Told of each execution. */
export type OnTapeFill = (tag: number, price: number, qty: number) => void;

export class TapeQueue {
  readonly #side: Side;
  #orders: Waiting[] = [];

  constructor(side: Side) {
    this.#side = side;
  }

  get isEmpty(): boolean {
    return this.#orders.length === 0;
  }

  orders(): readonly Waiting[] {
    return this.#orders;
  }

  add(order: Waiting): void {
    const worse = this.#orders.findIndex((other) => this.#isBetter(order.price, other.price));
    this.#orders.splice(worse === -1 ? this.#orders.length : worse, 0, order);
  }

  remove(tag: number): void {
    const before = this.#orders.length;
    this.#orders = this.#orders.filter((order) => order.tag !== tag);
    assert(this.#orders.length === before - 1, 'the order waits over the tape');
  }

  decrease(tag: number, leaves: number): void {
    const order = this.#orders.find((waiting) => waiting.tag === tag);
    assert(
      order !== undefined && leaves > 0 && leaves <= order.left,
      'a decrease leaves less, and more than nothing',
    );
    order.left = leaves;
  }

  clear(): void {
    this.#orders = [];
  }

  /** A print in continuous trading. All executions together never exceed what was printed. */
  fillFrom(price: number, quantity: number, aggressor: Side, onFill: OnTapeFill): void {
    let left = quantity;
    for (const order of this.#orders) {
      if (left === 0) break;
      if (this.#isBetter(price, order.price)) {
        // The tape trades where this order would not: it stands alone at its price now.
        order.takes = false;
        continue;
      }
      const through = price !== order.price;
      if (order.takes) {
        // It takes what others took, at their price; what they sold to the other side of the touch is not for it.
        if (aggressor === this.#side) left -= this.#fill(order, price, left, onFill);
        continue;
      }
      if (through) {
        order.ahead = 0;
        left -= this.#fill(order, order.price, left, onFill);
      } else if (aggressor !== this.#side) {
        const passed = Math.min(order.ahead, left);
        order.ahead -= passed;
        left -= this.#fill(order, order.price, left - passed, onFill);
      }
    }
    this.#dropFilled();
  }

  /** A print of an auction's cross: orders with a better limit share in it, at its price. */
  fillCross(price: number, quantity: number, onFill: OnTapeFill): void {
    let left = quantity;
    for (const order of this.#orders) {
      if (left === 0 || !this.#isBetter(order.price, price)) break;
      left -= this.#fill(order, price, left, onFill);
    }
    this.#dropFilled();
  }

  #fill(order: Waiting, price: number, quantity: number, onFill: OnTapeFill): number {
    const filled = Math.min(order.left, quantity);
    if (filled <= 0) return 0;
    order.left -= filled;
    onFill(order.tag, price, filled);
    return filled;
  }

  #dropFilled(): void {
    if (this.#orders.some((order) => order.left === 0))
      this.#orders = this.#orders.filter((order) => order.left > 0);
  }

  /** Is price `a` further to this side's order's favour of trading than `b`? Higher for buyers, lower for sellers. */
  #isBetter(a: number, b: number): boolean {
    return this.#side === 'buy' ? a > b : a < b;
  }
}
