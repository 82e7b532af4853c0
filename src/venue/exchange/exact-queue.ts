/**
 * The place of our orders in a market whose single orders are known: of what stands at their price, what came before them is in
 * front. What is cancelled or executed there names its order, so nothing is guessed. A smaller quantity keeps its order's place.
 */
import type { Side } from '../../domain/order.ts';
import type { BookOrder, OrderMessages } from './exchange.ts';
import type { Waiting } from './tape-queue.ts';

interface Placed {
  readonly waiting: Waiting<BookOrder>;
  /** Orders with a lower number came before it. */
  readonly before: number;
  ahead: number;
}

const NONE = 0;

export class ExactQueue {
  readonly #messages: OrderMessages;
  /** Lots that a row trades. */
  readonly #traded: Int32Array;
  /** Quantity at each price, to any depth. */
  readonly #bids = new Map<number, number>();
  readonly #asks = new Map<number, number>();
  readonly #placed = new Map<Waiting<BookOrder>, Placed>();
  #row = -1;
  #latest = 0;

  constructor(messages: OrderMessages, traded: Int32Array) {
    this.#messages = messages;
    this.#traded = traded;
  }

  /** The recording has come to this row. */
  row(row: number): void {
    this.#row = row;
    const number = this.#messages.number[row] ?? NONE;
    if (number === NONE) return;
    const price = this.#messages.price[row] ?? 0;
    const change = this.#changeAt(row);
    const levels = (this.#messages.side[row] ?? 0) > 0 ? this.#bids : this.#asks;
    const left = (levels.get(price) ?? 0) + change;
    if (left > 0) levels.set(price, left);
    else levels.delete(price);
    if (number > this.#latest) this.#latest = number;
  }

  /** The row trades with an order that nobody saw. */
  get isHidden(): boolean {
    return this.#messages.number[this.#row] === NONE;
  }

  joined(waiting: Waiting<BookOrder>): void {
    if (waiting.takes) return;
    const ahead = this.#levelsOf(waiting.order.side).get(waiting.price) ?? 0;
    waiting.ahead = ahead;
    this.#placed.set(waiting, { waiting, before: this.#latest + 1, ahead });
  }

  left(waiting: Waiting<BookOrder>): void {
    this.#placed.delete(waiting);
  }

  /** An execution names its order, in the row itself. */
  traded(): void {
    // Done by `share`.
  }

  /** After each row: what left in front of us. */
  share(): void {
    const row = this.#row;
    const number = this.#messages.number[row] ?? NONE;
    const side = (this.#messages.side[row] ?? 0) > 0 ? 'buy' : 'sell';
    const price = this.#messages.price[row] ?? 0;
    const change = number === NONE ? 0 : this.#changeAt(row);
    for (const placed of this.#placed.values()) {
      const { waiting } = placed;
      if (change < 0 && number < placed.before && waiting.price === price && waiting.order.side === side)
        placed.ahead += change;
      waiting.ahead = placed.ahead;
    }
  }

  #changeAt(row: number): number {
    const change = this.#messages.change[row] ?? 0;
    return change === 0 ? -(this.#traded[row] ?? 0) : change;
  }

  #levelsOf(side: Side): Map<number, number> {
    return side === 'buy' ? this.#bids : this.#asks;
  }
}
