import { assert } from '../domain/assert.ts';
import { barBounds } from '../domain/bars.ts';
import type { BookTick, TradeTick } from '../domain/ticks.ts';
import { type DurationUs, durationUs, type PriceTicks, priceTicks, qty, type TsUs } from '../domain/units.ts';
import type { TimerId, TraderPort } from '../engine/ports/strategy-port.ts';
import { BarBuilder, type BarSources, followFeed } from './bars.ts';
import { Channel } from './channel.ts';
import type { StrategyGuard, StrategyTimers } from './strategy-guard.ts';
import type { Bar, QuotePrice } from './ticks.ts';

const NONE = qty(0);

/** A mid between two ticks is the lower one. */
function quoteOf({ bids, asks, crossed }: BookTick, price: QuotePrice): PriceTicks | undefined {
  // A torn book has no price.
  if (crossed) return undefined;
  const bid = bids[0]?.price;
  const ask = asks[0]?.price;
  if (price !== 'mid') return price === 'bid' ? bid : ask;
  return bid === undefined || ask === undefined ? undefined : priceTicks(Math.floor((bid + ask) / 2));
}

/** Bars of the best quotes by time. Both sides of a book change one after the other: of one moment its last view counts. */
export class QuoteBarChannel extends Channel<Bar> {
  readonly #every: DurationUs;
  readonly #price: QuotePrice;
  readonly #builder: BarBuilder;
  readonly #port: TraderPort;
  readonly #timers: StrategyTimers;
  /** Of the present moment, which may not be over. */
  #latest: TradeTick | null = null;
  #timer: TimerId | null = null;
  #timerAtUs = -Infinity;

  constructor(
    guard: StrategyGuard,
    { every, price }: { readonly every: DurationUs; readonly price: QuotePrice },
    sources: BarSources,
    port: TraderPort,
    timers: StrategyTimers,
  ) {
    super(guard, `bars of ${sources.leg}`);
    if (!port.hasBooks()) throw new Error(`bars of ${price} need quotes or a book, and the data are bars`);
    this.#every = every;
    this.#price = price;
    this.#port = port;
    this.#timers = timers;
    this.#builder = new BarBuilder({ every }, port.calendar(), port.nowUs());
    sources.channels.books.subscribe((book) => this.#onBook(book));
    followFeed(this.#builder, sources, () => {
      this.#latest = null;
      this.#builder.restart(port.nowUs());
    });
  }

  #onBook(book: BookTick): void {
    const price = quoteOf(book, this.#price);
    if (price === undefined) return;
    const { seq, tsUs: at, instrument } = book;
    if (this.#latest !== null && at > this.#latest.tsUs) this.#take();
    this.#latest = { kind: 'trade', seq, tsUs: at, instrument, price, qty: NONE, totalVolume: 0 };
    if (at >= this.#timerAtUs) this.#wakeAtEnd(at);
  }

  /** The moment of the latest view is over. */
  #take(): void {
    const latest = this.#latest;
    if (latest === null) return;
    this.#latest = null;
    this.#close(latest.tsUs);
    const full = this.#builder.add(latest);
    assert(full === null, 'bars of quotes end by time');
  }

  #close(now: TsUs): void {
    const bar = this.#builder.closeDue(now);
    if (bar !== null) this.deliver(bar);
  }

  #wakeAtEnd(at: TsUs): void {
    if (this.#timer !== null) this.#timers.clear(this.#timer);
    const { endUs } = barBounds(this.#port.calendar(), at, this.#every);
    this.#timerAtUs = endUs;
    this.#timer = this.#timers.after(durationUs(Math.max(0, endUs - this.#port.nowUs())), () => {
      this.#timer = null;
      this.#timerAtUs = -Infinity;
      this.#take();
      this.#close(this.#port.nowUs());
    });
  }
}
