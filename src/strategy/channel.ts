import { Observable, type Observer, Subject, Subscription, tap } from 'rxjs';
import { NO_STRATEGY, type Containment } from './containment.ts';

/** One subscriber of a channel, in the channel's list and in that of its contract. */
export interface ChannelHandler<T> {
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
