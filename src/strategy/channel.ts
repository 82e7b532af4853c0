/**
 * One kind of message to one strategy: hot, synchronous, without replay. A plain subscriber stands in the channel's own
 * list and costs a call; a chain of operators stands there as one subscriber.
 */
import { Observable, Subscriber, Subscription } from 'rxjs';
import { endOf, GuardedStream, nextOf, type ObserverOrNext, UNGUARDED } from './guarded-stream.ts';
import { NO_STRATEGY } from './strategy-guard.ts';
import type { StrategyGuard } from './strategy-guard.ts';

interface Handler<T> {
  readonly next: (value: T) => void;
  live: boolean;
}

/** A channel with more is a strategy that subscribes on every tick. */
export const HANDLERS_MAX = 1_000;

const FED_TWICE =
  'one subscription is fed by one stream: operators that join or repeat streams show torn or reordered ticks';

export class Channel<T> extends GuardedStream<T> {
  /** Replaced, never changed, so that a handler may subscribe and unsubscribe while it runs. */
  #handlers: readonly Handler<T>[] = [];
  readonly #running: Int32Array;
  readonly #index: number;

  constructor(guard: StrategyGuard, where: string) {
    super(guard, where);
    this.#running = guard.running;
    this.#index = guard.index;
    guard.atClose(() => this.#clear());
  }

  get size(): number {
    return this.#handlers.length;
  }

  /** Brings a message from the engine: the strategy's code runs from here on, and for the watchdog it is on. */
  emit(value: T): void {
    if (this.#handlers.length === 0) return;
    const running = this.#running;
    running[0] = this.#index;
    this.deliver(value);
    running[0] = NO_STRATEGY;
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
      this.guard.fault(error, this.where);
    }
  }

  override subscribe(observerOrNext?: ObserverOrNext<T>): Subscription {
    if (this.guard.closed) return Subscription.EMPTY;
    if (observerOrNext instanceof Subscriber) return this.#feed(observerOrNext);
    if (observerOrNext instanceof Observable) return this.refuse(UNGUARDED);
    return this.#add(nextOf(observerOrNext));
  }

  /** Takes the head of a chain of operators, if its end is guarded and fed by nothing else. */
  #feed(subscriber: Subscriber<T>): Subscription {
    const end = endOf(subscriber);
    if (end?.claim() === true) {
      subscriber.add(this.#add((value) => subscriber.next(value)));
      return subscriber;
    }
    subscriber.unsubscribe();
    return this.refuse(end === undefined ? UNGUARDED : FED_TWICE);
  }

  #add(next: (value: T) => void): Subscription {
    if (this.#handlers.length >= HANDLERS_MAX) {
      return this.refuse(`more than ${HANDLERS_MAX} subscriptions to ${this.where}`);
    }
    const handler: Handler<T> = { next, live: true };
    this.#handlers = [...this.#handlers, handler];
    return new Subscription(() => this.#drop(handler));
  }

  #drop(handler: Handler<T>): void {
    handler.live = false;
    this.#handlers = this.#handlers.filter((kept) => kept !== handler);
  }

  #clear(): void {
    for (const handler of this.#handlers) handler.live = false;
    this.#handlers = [];
  }
}
