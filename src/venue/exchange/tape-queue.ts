/** Our orders over a tape, on one side, in order of price and time, and the executions that a print gives them. */
import { assert } from '../../domain/assert.ts';
import type { Side } from '../../domain/order.ts';
import type { BookOrder } from './exchange.ts';
import type { CancelModel } from './fill-models.ts';
import type { RecordedBook } from './shown-book.ts';

export interface QueuedOrder<O extends BookOrder> {
  readonly order: O;
  readonly price: number;
  left: number;
  /** Quantity of others in front of it at its price. */
  ahead: number;
  /** Came in through the touch: it takes instead of waiting, until it is filled or gone. */
  readonly takes: boolean;
  /** It rested when the last auction ended. */
  isCarried: boolean;
  /** Quantity of its level after the row before; undefined where it was not recorded. */
  shown: number | undefined;
  /** Traded at its price since then. */
  traded: number;
}

type OnQueueFill<O extends BookOrder> = (waiting: QueuedOrder<O>, price: number, qty: number) => void;

export class TapeQueue<O extends BookOrder> {
  readonly #side: Side;
  /** Best price first, earlier orders first. */
  readonly waiting: QueuedOrder<O>[] = [];

  constructor(side: Side) {
    this.#side = side;
  }

  add(order: QueuedOrder<O>): void {
    const worse = this.waiting.findIndex((other) => this.#isBetter(order.price, other.price));
    this.waiting.splice(worse === -1 ? this.waiting.length : worse, 0, order);
  }

  remove(order: QueuedOrder<O>): void {
    const place = this.waiting.indexOf(order);
    assert(place >= 0, 'the order waits over the tape');
    this.waiting.splice(place, 1);
  }

  clear(): void {
    this.waiting.length = 0;
  }

  /** A print in continuous trading; returns how much of it is left. All executions together never exceed the print. */
  fillFrom(price: number, printed: number, aggressor: Side, onFill: OnQueueFill<O>): number {
    let left = printed;
    for (const order of this.waiting) {
      if (left === 0 || this.#isBetter(price, order.price)) break;
      if (order.takes) {
        // It takes with other takers, at their price; it gets none of the quantity that they sold to the other side of the touch.
        if (aggressor === this.#side) left -= fill(order, price, left, onFill);
      } else if (price !== order.price) {
        order.ahead = 0;
        left -= fill(order, order.price, left, onFill);
      } else if (aggressor !== this.#side) {
        const passed = Math.min(order.ahead, left);
        order.ahead -= passed;
        left -= fill(order, order.price, left - passed, onFill);
      }
    }
    this.#dropFilled();
    return left;
  }

  /** A print of an uncross: carried orders with a limit better than its price share in it, in their order. */
  fillUncross(price: number, printed: number, onFill: OnQueueFill<O>): number {
    let left = printed;
    for (const order of this.waiting) {
      if (left === 0 || !this.#isBetter(order.price, price)) break;
      if (order.isCarried) left -= fill(order, price, left, onFill);
    }
    this.#dropFilled();
    return left;
  }

  #dropFilled(): void {
    for (let at = this.waiting.length - 1; at >= 0; at -= 1)
      if (this.waiting[at]?.left === 0) this.waiting.splice(at, 1);
  }

  /** Higher is better for buyers, lower for sellers. */
  #isBetter(a: number, b: number): boolean {
    return this.#side === 'buy' ? a > b : a < b;
  }
}

function fill<O extends BookOrder>(
  order: QueuedOrder<O>,
  price: number,
  most: number,
  onFill: OnQueueFill<O>,
): number {
  const filled = Math.min(order.left, most);
  if (filled <= 0) return 0;
  order.left -= filled;
  onFill(order, price, filled);
  return filled;
}

type Waiting = ReadonlyMap<BookOrder, QueuedOrder<BookOrder>>;

export function noteTraded(queue: Waiting, aggressor: Side, price: number, qty: number): void {
  for (const waiting of queue.values())
    if (waiting.order.side !== aggressor && waiting.price === price) waiting.traded += qty;
}

/**
 * After each row. Quantity that leaves a level of the recorded book without a trade was canceled, before us or behind us. The model decides:
 * all behind (nothing changes for us), all ahead, or on both sides in proportion to the resting quantity. The quantity ahead of us never
 * exceeds the shown quantity.
 */
export function shareCanceled(queue: Waiting, book: RecordedBook, model: CancelModel): void {
  for (const waiting of queue.values()) {
    const { shown: before } = waiting;
    const shown = book.shownAt(waiting.order.side, waiting.price);
    waiting.shown = shown;
    if (shown === undefined) continue;
    // A level that comes into sight has at most the shown quantity ahead.
    if (before !== undefined) {
      const gone = before - shown;
      const byTrade = Math.min(Math.max(gone, 0), waiting.traded);
      waiting.traded -= byTrade;
      const canceled = gone - byTrade;
      if (canceled > 0) waiting.ahead -= canceledAhead(model, canceled, waiting.ahead, before - byTrade);
    }
    waiting.ahead = Math.min(waiting.ahead, shown);
  }
}

/** Part of the canceled quantity that rested in front of us, when `level` rested there in all. */
function canceledAhead(model: CancelModel, canceled: number, ahead: number, level: number): number {
  switch (model) {
    case 'behind':
      return 0;
    case 'ahead':
      return Math.min(canceled, ahead);
    case 'proportional':
      return level <= 0 ? 0 : Math.min(ahead, Math.round((canceled * ahead) / level));
  }
}
