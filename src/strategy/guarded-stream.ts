/**
 * A stream whose subscribers cannot fail silently. RxJS catches what a subscriber throws and rethrows it from a timer,
 * which in a replay is after the run; here it reaches the guard at once and ends the subscription (house rule 10).
 */
import {
  Observable,
  type Observer,
  type Operator,
  type OperatorFunction,
  Subscriber,
  Subscription,
} from 'rxjs';
import type { StrategyGuard } from './strategy-guard.ts';

export type ObserverOrNext<T> = Partial<Observer<T>> | ((value: T) => void) | null | undefined;

export const UNGUARDED =
  'merge, combineLatest, share and Subject hide faults: subscribe to each stream by itself and keep what you need in a variable';

export class GuardedStream<T> extends Observable<T> {
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
export class StreamEnd<T> extends Subscriber<T> {
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

export function nextOf<T>(observerOrNext: ObserverOrNext<T>): (value: T) => void {
  if (typeof observerOrNext === 'function') return observerOrNext;
  return (value) => observerOrNext?.next?.(value);
}

const OPERATORS_MAX = 100;

/** Follows a chain of operators to its last subscriber; undefined when that one is not guarded. */
export function endOf(subscriber: Subscriber<never>): StreamEnd<unknown> | undefined {
  let at: unknown = subscriber;
  for (let step = 0; step < OPERATORS_MAX && at instanceof Subscriber; step += 1) {
    if (at instanceof StreamEnd) return at;
    at = Reflect.get(at, 'destination');
  }
  return undefined;
}
