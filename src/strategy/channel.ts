import type { Observer, Operator, OperatorFunction } from 'rxjs';
// The classes alone: all of RxJS takes longer to load than a year of bars to play.
import { Observable } from 'rxjs/internal/Observable';
import { Subscriber } from 'rxjs/internal/Subscriber';
import { Subscription } from 'rxjs/internal/Subscription';
import { NO_STRATEGY, type StrategyGuard } from './strategy-guard.ts';

type ObserverOrNext<T> = Partial<Observer<T>> | ((value: T) => void) | null | undefined;

const UNGUARDED =
  'merge, combineLatest, share and Subject hide faults: subscribe to each stream by itself and keep what you need in a variable';

/**
 * A stream whose subscribers cannot fail silently. RxJS catches what a subscriber throws and rethrows it from a timer,
 * which in a replay is after the run; here it reaches the guard at once and ends the subscription.
 */
class GuardedStream<T> extends Observable<T> {
  protected readonly guard: StrategyGuard;
  protected readonly where: string;

  constructor(guard: StrategyGuard, where: string) {
    super();
    this.guard = guard;
    this.where = where;
  }

  override lift<R>(operator?: Operator<T, R>): Observable<R> {
    const lifted = new GuardedStream<R>(this.guard, this.where);
    lifted.source = this;
    lifted.operator = operator;
    return lifted;
  }

  /** An operator may return a plain stream of its own making; its end is guarded all the same. */
  override pipe<R = T>(...operators: readonly OperatorFunction<never, unknown>[]): Observable<R> {
    const stream = operators.reduce<unknown>(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the overloads of Observable.pipe checked the chain
      (source, operator) => operator(source as Observable<never>),
      this,
    );
    if (stream instanceof Observable && !(stream instanceof GuardedStream)) {
      const guarded = new GuardedStream<R>(this.guard, this.where);
      guarded.source = stream;
      return guarded;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    return stream as Observable<R>;
  }

  override subscribe(observerOrNext?: ObserverOrNext<T>): Subscription {
    if (observerOrNext instanceof Subscriber) return super.subscribe(observerOrNext);
    if (observerOrNext instanceof Observable) return this.refuse(UNGUARDED);
    return super.subscribe(new StreamEnd(this.guard, this.where, observerOrNext));
  }

  protected refuse(why: string): Subscription {
    this.guard.fault(new Error(why), this.where);
    return Subscription.EMPTY;
  }
}

/** The last subscriber of a chain of operators: everything thrown on the way ends here. */
class StreamEnd<T> extends Subscriber<T> {
  readonly #guard: StrategyGuard;
  readonly #where: string;
  readonly #next: (value: T) => void;
  readonly #done: () => void;
  #isFed = false;

  constructor(guard: StrategyGuard, where: string, observerOrNext: ObserverOrNext<T>) {
    super();
    this.#guard = guard;
    this.#where = where;
    this.#next = nextOf(observerOrNext);
    const observer = typeof observerOrNext === 'function' ? undefined : observerOrNext;
    this.#done = () => observer?.complete?.();
  }

  /** True for the first source that feeds this end; false for a second one, or the same one again. */
  claim(): boolean {
    const isFirst = !this.#isFed;
    this.#isFed = true;
    return isFirst;
  }

  protected override _next(value: T): void {
    try {
      this.#next(value);
    } catch (error) {
      this._error(error);
    }
  }

  protected override _error(error: unknown): void {
    this.unsubscribe();
    this.#guard.fault(error, this.#where);
  }

  protected override _complete(): void {
    this.unsubscribe();
    try {
      this.#done();
    } catch (error) {
      this.#guard.fault(error, this.#where);
    }
  }
}

function nextOf<T>(observerOrNext: ObserverOrNext<T>): (value: T) => void {
  if (typeof observerOrNext === 'function') return observerOrNext;
  return (value) => observerOrNext?.next?.(value);
}

const OPERATORS_MAX = 100;

/** Follows a chain of operators to its last subscriber; undefined when that one is not guarded. */
function endOf(subscriber: Subscriber<never>): StreamEnd<unknown> | undefined {
  let at: unknown = subscriber;
  for (let step = 0; step < OPERATORS_MAX && at instanceof Subscriber; step += 1) {
    if (at instanceof StreamEnd) return at;
    at = Reflect.get(at, 'destination');
  }
  return undefined;
}

/** One subscriber of a channel, in the channel's list and in that of its contract. */
export interface Handler<T> {
  readonly next: (value: T) => void;
  readonly channel: Channel<T>;
  live: boolean;
}

/** A channel with more is a strategy that subscribes on every tick. */
export const HANDLERS_MAX = 1_000;

const FED_TWICE =
  'one subscription is fed by one stream: operators that join or repeat streams show torn or reordered ticks';

/**
 * One kind of message to one strategy: hot, synchronous, without replay. A plain subscriber stands in the channel's own
 * list and costs a call; a chain of operators stands there as one subscriber.
 */
export class Channel<T> extends GuardedStream<T> {
  /** Replaced, never changed, so that a handler may subscribe and unsubscribe while it runs. */
  #handlers: readonly Handler<T>[] = [];
  /** Told when the list was replaced. */
  onHandlers: (() => void) | null = null;
  readonly index: number;
  readonly #running: Int32Array;

  constructor(guard: StrategyGuard, where: string) {
    super(guard, where);
    this.#running = guard.running;
    this.index = guard.index;
    guard.atClose(() => this.#clear());
  }

  get handlers(): readonly Handler<T>[] {
    return this.#handlers;
  }

  /** Delivers a message of the engine and marks, for the watchdog, that the strategy's code runs. */
  emit(value: T): void {
    if (this.#handlers.length === 0) return;
    const running = this.#running;
    running[0] = this.index;
    running[1] = ((running[1] ?? 0) + 1) | 0;
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
      this.fault(error);
    }
  }

  /** A handler threw. */
  fault(error: unknown): void {
    this.guard.fault(error, this.where);
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
    const handler: Handler<T> = { next, channel: this, live: true };
    this.#replace([...this.#handlers, handler]);
    return new Subscription(() => this.#drop(handler));
  }

  #drop(handler: Handler<T>): void {
    handler.live = false;
    this.#replace(this.#handlers.filter((kept) => kept !== handler));
  }

  #clear(): void {
    for (const handler of this.#handlers) handler.live = false;
    this.#replace([]);
  }

  #replace(handlers: readonly Handler<T>[]): void {
    this.#handlers = handlers;
    this.onHandlers?.();
  }
}
