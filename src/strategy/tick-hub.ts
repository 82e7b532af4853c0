/**
 * Brings market messages to the channels that listen to their contract. A leg of a strategy owns one channel a kind; at a
 * rollover the channel moves to the new contract and its subscribers notice nothing but the prices.
 */
import type { BookTick, DaySummary, FeedGap, TradeTick } from '../domain/ticks.ts';
import type { InstrumentIndex } from '../domain/units.ts';
import { Channel, type Handler } from './channel.ts';
import { NO_STRATEGY, type StrategyGuard } from './strategy-guard.ts';

/** The channels of one leg. */
export interface LegChannels {
  readonly trades: Channel<TradeTick>;
  readonly books: Channel<BookTick>;
  readonly summaries: Channel<DaySummary>;
  readonly gaps: Channel<FeedGap>;
}

export function createLegChannels(guard: StrategyGuard, leg: string): LegChannels {
  return {
    trades: new Channel(guard, `trades$ of ${leg}`),
    books: new Channel(guard, `books$ of ${leg}`),
    summaries: new Channel(guard, `summaries$ of ${leg}`),
    gaps: new Channel(guard, `gaps$ of ${leg}`),
  };
}

/** The subscribers of one contract, over all strategies. Lists are replaced, never changed, because a handler may cause a change. */
class Route<T> {
  #handlers: readonly Handler<T>[] = [];
  readonly #running: Int32Array;
  readonly #channels: Channel<T>[] = [];

  constructor(running: Int32Array) {
    this.#running = running;
  }

  get isHeard(): boolean {
    return this.#handlers.length > 0;
  }

  add(channel: Channel<T>): void {
    this.#channels.push(channel);
    channel.onHandlers = () => this.#collect();
    this.#collect();
  }

  remove(channel: Channel<T>): void {
    const at = this.#channels.indexOf(channel);
    if (at === -1) return;
    this.#channels.splice(at, 1);
    channel.onHandlers = null;
    this.#collect();
  }

  /** The first throw stops its strategy, whose handlers are dead then; the others go on. */
  emit(value: T): void {
    const handlers = this.#handlers;
    const running = this.#running;
    for (let i = 0; i < handlers.length; i += 1) {
      const handler = handlers[i];
      if (handler?.live !== true) continue;
      running[0] = handler.channel.index;
      try {
        handler.next(value);
      } catch (error) {
        handler.channel.fault(error);
      }
      running[0] = NO_STRATEGY;
    }
  }

  #collect(): void {
    this.#handlers = this.#channels.flatMap((channel) => channel.handlers);
  }
}

/** Routes by contract. */
class Routes<T> {
  readonly #routes: Route<T>[] = [];
  readonly #running: Int32Array;

  constructor(running: Int32Array) {
    this.#running = running;
  }

  add(instrument: InstrumentIndex, channel: Channel<T>): void {
    while (this.#routes.length <= instrument) this.#routes.push(new Route(this.#running));
    this.#routes[instrument]?.add(channel);
  }

  remove(channel: Channel<T>): void {
    for (const route of this.#routes) route.remove(channel);
  }

  isHeard(instrument: InstrumentIndex): boolean {
    return this.#routes[instrument]?.isHeard === true;
  }

  emit(instrument: InstrumentIndex, value: T): void {
    this.#routes[instrument]?.emit(value);
  }
}

export class TickHub {
  readonly #trades: Routes<TradeTick>;
  readonly #books: Routes<BookTick>;
  readonly #summaries: Routes<DaySummary>;
  readonly #gaps: Routes<FeedGap>;

  /** Slot 0 of `running` names the strategy whose handler runs. */
  constructor(running: Int32Array) {
    this.#trades = new Routes(running);
    this.#books = new Routes(running);
    this.#summaries = new Routes(running);
    this.#gaps = new Routes(running);
  }

  listen(channels: LegChannels, instrument: InstrumentIndex): void {
    this.#trades.add(instrument, channels.trades);
    this.#books.add(instrument, channels.books);
    this.#summaries.add(instrument, channels.summaries);
    this.#gaps.add(instrument, channels.gaps);
  }

  leave(channels: LegChannels): void {
    this.#trades.remove(channels.trades);
    this.#books.remove(channels.books);
    this.#summaries.remove(channels.summaries);
    this.#gaps.remove(channels.gaps);
  }

  trade(tick: TradeTick): void {
    this.#trades.emit(tick.instrument, tick);
  }

  book(tick: BookTick): void {
    this.#books.emit(tick.instrument, tick);
  }

  isBookHeard(instrument: InstrumentIndex): boolean {
    return this.#books.isHeard(instrument);
  }

  summary(summary: DaySummary): void {
    this.#summaries.emit(summary.instrument, summary);
  }

  gap(gap: FeedGap): void {
    this.#gaps.emit(gap.instrument, gap);
  }
}
