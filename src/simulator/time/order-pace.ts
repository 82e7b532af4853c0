/**
 * The pace of market time around orders. At speed 60 each call of a client would take seconds of the market, and what it asks for would
 * come too late. From a call for an order, or a change of one, until the client has read its book, market time runs as in life.
 */
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { type DurationUs, milliseconds, seconds } from '../../domain/units.ts';
import type { MarketClock } from './market-clock.ts';

const LIFE = 1;
/** Real time from the answer with its book to the next call of a client that decides at once. */
const DECISION = milliseconds(25);
/** A client that does not read its book slows the market no longer than this, in real time. */
const UNREAD_MAX = seconds(1);

export class OrderPace {
  readonly #market: MarketClock;
  readonly #timers: Timers;
  readonly #listeners: (() => void)[] = [];
  #isSlow = false;
  #cancel: CancelTimer = () => {};

  constructor(market: MarketClock, timers: Timers) {
    this.#market = market;
    this.#timers = timers;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A call for an order has come, or an order of an account has changed. */
  slow(): void {
    this.#endAfter(UNREAD_MAX);
    if (!this.#isSlow) this.#set(true);
  }

  /** A client has read its orders. */
  read(): void {
    if (this.#isSlow) this.#endAfter(DECISION);
  }

  close(): void {
    this.#cancel();
  }

  #endAfter(span: DurationUs): void {
    this.#cancel();
    this.#cancel = this.#timers.after(span, () => this.#set(false));
  }

  #set(isSlow: boolean): void {
    this.#isSlow = isSlow;
    this.#market.setPace(isSlow ? LIFE : null);
    for (const listener of this.#listeners) listener();
  }
}
