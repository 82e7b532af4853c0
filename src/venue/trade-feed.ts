/**
 * Carries trades from the books to those who react to them once the match is over. Most trades interest nobody: a watch
 * keeps, for one contract, the prices between which nothing can happen, so that a trade costs two comparisons.
 */
import type { OrderCode } from '../domain/ids.ts';

export class TradeFeed {
  /** Trades that someone has to look at, in order. */
  readonly watches: TriggerWatch[] = [];
  readonly prices: number[] = [];
  count = 0;
  /** Trades handed out before those in the buffer. */
  #taken = 0;
  /** Anything traded since it was last asked. */
  #traded = false;

  /** Number of the next trade that is put into the buffer: what waits from now on looks at none before it. */
  get next(): number {
    return this.#taken + this.count;
  }

  numberOf(at: number): number {
    return this.#taken + at;
  }

  note(watch: TriggerWatch, price: number): void {
    this.#traded = true;
    // Behind a trade that moves a trigger, the old limits say nothing.
    if (this.count === 0 && price < watch.riseTo && price > watch.fallTo) return;
    this.watches[this.count] = watch;
    this.prices[this.count] = price;
    this.count += 1;
  }

  clear(): void {
    this.#taken += this.count;
    this.count = 0;
  }

  takeTraded(): boolean {
    const traded = this.#traded;
    this.#traded = false;
    return traded;
  }
}

/** What waits for trades of one contract, and the prices at which the first of it would do something. */
export class TriggerWatch {
  readonly #feed: TradeFeed;
  readonly orderCode: OrderCode;
  riseTo = Number.POSITIVE_INFINITY;
  fallTo = Number.NEGATIVE_INFINITY;

  constructor(feed: TradeFeed, orderCode: OrderCode) {
    this.#feed = feed;
    this.orderCode = orderCode;
  }

  note(price: number): void {
    this.#feed.note(this, price);
  }

  forget(): void {
    this.riseTo = Number.POSITIVE_INFINITY;
    this.fallTo = Number.NEGATIVE_INFINITY;
  }

  heed(rise: number, fall: number): void {
    if (rise < this.riseTo) this.riseTo = rise;
    if (fall > this.fallTo) this.fallTo = fall;
  }
}
