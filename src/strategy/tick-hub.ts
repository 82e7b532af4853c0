/** Brings market messages to the channels of their contract. A leg owns one a kind, which moves to the new contract at a rollover. */
import { assert } from '../domain/assert.ts';
import {
  type BarTick,
  type BookLevel,
  type BookTick,
  type DaySummary,
  type FeedGap,
  isBarTick,
  type TradeTick,
} from '../domain/ticks.ts';
import type { InstrumentIndex } from '../domain/units.ts';
import type { ContractListeners } from '../engine/ports/strategy-port.ts';
import { Channel, type ChannelHandler } from './channel.ts';
import { NO_STRATEGY, type Containment } from './containment.ts';

export interface LegChannels {
  readonly trades: Channel<TradeTick>;
  readonly books: Channel<BookTick>;
  readonly summaries: Channel<DaySummary>;
  readonly gaps: Channel<FeedGap>;
}

export function createLegChannels(containment: Containment, leg: string): LegChannels {
  return {
    trades: new Channel(containment, `trades$ of ${leg}`),
    books: new Channel(containment, `books$ of ${leg}`),
    summaries: new Channel(containment, `summaries$ of ${leg}`),
    gaps: new Channel(containment, `gaps$ of ${leg}`),
  };
}

/*
 * A strategy in JavaScript may write to its messages, which belong to the engine or to the next subscriber. Copies are literals with
 * every key, like the messages.
 */
function copyOfTrade(tick: TradeTick): TradeTick {
  const { kind, seq, tsUs, instrument, price, qty, totalVolume } = tick;
  if (!isBarTick(tick)) return { kind, seq, tsUs, instrument, price, qty, totalVolume };
  const { every, startUs, endUs, open, high, low, volume } = tick.bar;
  const bar = { every, startUs, endUs, open, high, low, volume };
  const copy: BarTick = { kind, seq, tsUs, instrument, price, qty, totalVolume, bar };
  return copy;
}

export function copyOfBook({ kind, seq, tsUs, instrument, bids, asks, crossed }: BookTick): BookTick {
  return { kind, seq, tsUs, instrument, bids: copyOfLevels(bids), asks: copyOfLevels(asks), crossed };
}

function copyOfLevels(levels: readonly BookLevel[]): readonly BookLevel[] {
  return levels.map(({ price, qty }) => ({ price, qty }));
}

/** The subscribers of one contract, over all strategies. Lists are replaced, never changed, because a handler may cause a change. */
class ContractSubscribers<T> {
  #handlers: readonly ChannelHandler<T>[] = [];
  readonly #running: Int32Array;
  readonly #channels: Channel<T>[] = [];
  readonly #copyOf: (value: T) => T;

  constructor(running: Int32Array, copyOf: (value: T) => T) {
    this.#running = running;
    this.#copyOf = copyOf;
  }

  get hasSubscribers(): boolean {
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

  /** Of a message that belongs to the engine. */
  emitKept(value: T): void {
    if (this.#handlers.length > 0) this.emit(this.#copyOf(value));
  }

  /** Each subscriber gets a message of its own: the last one `value` itself. The first throw stops its strategy; the others go on. */
  emit(value: T): void {
    const handlers = this.#handlers;
    const running = this.#running;
    const last = handlers.length - 1;
    for (let i = 0; i < handlers.length; i += 1) {
      const handler = handlers[i];
      if (handler?.live !== true) continue;
      running[0] = handler.channel.index;
      running[1] = ((running[1] ?? 0) + 1) | 0;
      try {
        handler.next(i < last ? this.#copyOf(value) : value);
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

export class ContractRoutes implements ContractListeners {
  readonly trades: ContractSubscribers<TradeTick>;
  readonly books: ContractSubscribers<BookTick>;
  readonly summaries: ContractSubscribers<DaySummary>;
  readonly gaps: ContractSubscribers<FeedGap>;

  constructor(running: Int32Array) {
    this.trades = new ContractSubscribers(running, copyOfTrade);
    this.books = new ContractSubscribers(running, copyOfBook);
    this.summaries = new ContractSubscribers(running, (summary) => ({ ...summary }));
    this.gaps = new ContractSubscribers(running, (gap) => ({ ...gap }));
  }

  get hasBookListener(): boolean {
    return this.books.hasSubscribers;
  }

  /** Of a message that no strategy keeps. */
  trade(tick: TradeTick): void {
    this.trades.emit(tick);
  }
}

export class TickHub {
  readonly #contracts: ContractRoutes[] = [];
  readonly #running: Int32Array;

  /** Slot 0 of `running` names the strategy whose handler runs; slot 1 counts such calls. */
  constructor(running: Int32Array) {
    this.#running = running;
  }

  of(instrument: InstrumentIndex): ContractRoutes {
    while (this.#contracts.length <= instrument) this.#contracts.push(new ContractRoutes(this.#running));
    const routes = this.#contracts[instrument];
    assert(routes !== undefined, 'each contract has its routes');
    return routes;
  }

  listen({ trades, books, summaries, gaps }: LegChannels, instrument: InstrumentIndex): void {
    const routes = this.of(instrument);
    routes.trades.add(trades);
    routes.books.add(books);
    routes.summaries.add(summaries);
    routes.gaps.add(gaps);
  }

  leave({ trades, books, summaries, gaps }: LegChannels): void {
    for (const routes of this.#contracts) {
      routes.trades.remove(trades);
      routes.books.remove(books);
      routes.summaries.remove(summaries);
      routes.gaps.remove(gaps);
    }
  }
}
