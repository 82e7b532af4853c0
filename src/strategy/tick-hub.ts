/**
 * Channels of messages to strategies, and the hub that brings those of the market to the channels of their contract. A leg owns one channel a
 * kind, which moves to the new contract at a rollover.
 */
import { Observable, type Observer, Subject, Subscription, tap } from 'rxjs';
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
import { CALLS, IN_EVENT, NO_STRATEGY, type Containment } from './containment.ts';

/** One subscriber of a channel, in the channel's list and in that of its contract. */
interface ChannelHandler<T> {
  readonly next: (value: T) => void;
  readonly channel: Channel<T>;
  live: boolean;
}

/** A channel with more is a strategy that subscribes on every tick. */
export const HANDLERS_MAX = 1_000;

/**
 * One kind of message to one strategy: hot, synchronous, without replay (rulings, 34). A plain function is in the channel's own list and
 * costs a call. All else, as a chain of operators, hangs on a Subject of its own in that list: an error below comes out of its `next`,
 * because RxJS throws at once (see `createStrategyHost`), and reaches the containment.
 */
export class Channel<T> extends Observable<T> {
  protected readonly containment: Containment;
  protected readonly where: string;
  /** Replaced, never changed, so that a handler may subscribe and unsubscribe while it runs. */
  #handlers: readonly ChannelHandler<T>[] = [];
  readonly #subjects = new Set<Subject<T>>();
  readonly #atClose = (): void => this.#end();
  onHandlers: (() => void) | null = null;
  readonly index: number;
  readonly #running: Int32Array;

  constructor(containment: Containment, where: string) {
    super();
    this.containment = containment;
    this.where = where;
    this.#running = containment.running;
    this.index = containment.index;
  }

  get handlers(): readonly ChannelHandler<T>[] {
    return this.#handlers;
  }

  /** Delivers a message of the engine and marks, for the watchdog, that the strategy's code runs. */
  emit(value: T): void {
    if (this.#handlers.length === 0) return;
    const running = this.#running;
    running[IN_EVENT] = this.index;
    running[CALLS] = ((running[CALLS] ?? 0) + 1) | 0;
    this.deliver(value);
    running[IN_EVENT] = NO_STRATEGY;
  }

  /** Calls the handlers; the first throw stops the strategy, so none is called after it. */
  protected deliver(value: T): void {
    const handlers = this.#handlers;
    try {
      for (let i = 0; i < handlers.length; i += 1) {
        const handler = handlers[i];
        if (handler?.live === true) handler.next(value);
      }
    } catch (error) {
      this.fault(error);
    }
  }

  fault(error: unknown): void {
    this.containment.fault(error, this.where);
  }

  override subscribe(observerOrNext?: Partial<Observer<T>> | ((value: T) => void) | null): Subscription {
    if (this.containment.closed) return Subscription.EMPTY;
    if (this.#handlers.length >= HANDLERS_MAX) {
      this.fault(new Error(`more than ${HANDLERS_MAX} subscriptions to ${this.where}`));
      return Subscription.EMPTY;
    }
    if (typeof observerOrNext === 'function') return this.#add(observerOrNext);
    const subject = new Subject<T>();
    this.#subjects.add(subject);
    // `tap` stops errors of a teardown: through the `next` of the Subject they would spoil RxJS for good.
    const subscription = subject.pipe(tap({})).subscribe(observerOrNext ?? {});
    const handler = this.#add((value) => subject.next(value));
    handler.add(() => this.#subjects.delete(subject));
    subscription.add(handler);
    return subscription;
  }

  #add(next: (value: T) => void): Subscription {
    const handler: ChannelHandler<T> = { next, channel: this, live: true };
    this.#replace([...this.#handlers, handler]);
    return new Subscription(() => {
      handler.live = false;
      this.#replace(this.#handlers.filter((kept) => kept !== handler));
    });
  }

  /** The strategy has stopped. An error at the end of a stream follows from that, as any later fault does. */
  #end(): void {
    for (const handler of this.#handlers) handler.live = false;
    this.#replace([]);
    for (const subject of this.#subjects) {
      try {
        subject.complete();
      } catch (error) {
        this.fault(error);
      }
    }
  }

  #replace(handlers: readonly ChannelHandler<T>[]): void {
    this.#handlers = handlers;
    // A strategy may ask for a stream of its own at each tick.
    if (handlers.length > 0) this.containment.atClose(this.#atClose);
    else this.containment.forget(this.#atClose);
    this.onHandlers?.();
  }
}

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
      running[IN_EVENT] = handler.channel.index;
      running[CALLS] = ((running[CALLS] ?? 0) + 1) | 0;
      try {
        handler.next(i < last ? this.#copyOf(value) : value);
      } catch (error) {
        handler.channel.fault(error);
      }
      running[IN_EVENT] = NO_STRATEGY;
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

  /** `running` names the strategy whose handler runs, and counts such calls. */
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
