/**
 * The uncross of an auction as a recording shows it: prints at one price and with one side that means nothing, all of them before
 * any other print. Recorded times may be whole seconds: they carry the second in which the auction ended. Only what stood before
 * that moment shares in it; what arrives while it is being printed is too late.
 */
import { US_PER_SECOND } from '../../domain/units.ts';
import type { TapeQueue, Waiting } from '../../venue/exchange/tape-queue.ts';

const PRINTS_US = US_PER_SECOND;

export class Uncross {
  readonly #untilUs: number;
  readonly #carried: ReadonlySet<number>;
  #price = 0;
  #side = 0;

  /** `carried`: tags of the orders that stood when the auction ended. */
  constructor(endedUs: number, carried: ReadonlySet<number>) {
    this.#untilUs = endedUs + PRINTS_US;
    this.#carried = carried;
  }

  isOver(atUs: number): boolean {
    return atUs >= this.#untilUs;
  }

  /** False ends it: once a print is not of the uncross, none after it is. */
  has(price: number, side: number): boolean {
    if (this.#price === 0) {
      this.#price = price;
      this.#side = side;
    }
    return this.#price === price && this.#side === side;
  }

  /** Gives of one print to those with a better limit than its price, in their order; returns what is left of it. */
  share(queue: TapeQueue, qty: number, isBetter: (limit: number) => boolean, onFill: OnShare): number {
    let left = qty;
    for (const waiting of queue.orders()) {
      if (left === 0 || !isBetter(waiting.price)) break;
      if (!this.#carried.has(waiting.tag)) continue;
      const filled = Math.min(waiting.left, left);
      waiting.left -= filled;
      left -= filled;
      if (waiting.left === 0) queue.remove(waiting.tag);
      onFill(waiting, filled);
    }
    return left;
  }
}

export type OnShare = (waiting: Waiting, qty: number) => void;
