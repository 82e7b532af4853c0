/**
 * Runs the code of one strategy. The first throw stops this strategy and is reported at once; the others go on. While its
 * code runs, `running` names it: the watchdog of another thread reads there which strategy hangs (rulings, 32).
 */
import type { DurationUs, StrategyIndex } from '../domain/units.ts';
import type { TimerId, TraderPort } from '../engine/ports/strategy-port.ts';

/**
 * Slots of `running`: the strategy whose code runs in an event, a count of such calls, and the strategy whose promise runs outside of
 * events.
 */
export const IN_EVENT = 0;
export const CALLS = 1;
export const IN_PROMISE = 2;
/** Where no strategy runs. */
export const NO_STRATEGY = -1;

/** A call by a strategy that is stopped, or outside the event being processed. */
class TraderClosedError extends Error {
  override readonly name = 'TraderClosedError';
}

export class Containment {
  readonly index: StrategyIndex;
  readonly running: Int32Array;
  readonly #port: Pick<TraderPort, 'fault'>;
  readonly #atClose = new Set<() => void>();
  closed = false;

  constructor(index: StrategyIndex, running: Int32Array, port: Pick<TraderPort, 'fault'>) {
    this.index = index;
    this.running = running;
    this.#port = port;
  }

  /** Adds a cleanup that runs when the strategy stops. */
  atClose(drop: () => void): void {
    this.#atClose.add(drop);
  }

  forget(drop: () => void): void {
    this.#atClose.delete(drop);
  }

  run(where: string, action: () => void): void {
    if (this.closed) return;
    const before = this.#enter();
    try {
      action();
    } catch (error) {
      this.fault(error, where);
    }
    this.running[IN_EVENT] = before;
  }

  /** Its code runs from here on. Returns the strategy that ran before. */
  #enter(): number {
    const before = this.running[IN_EVENT] ?? NO_STRATEGY;
    this.running[IN_EVENT] = this.index;
    this.running[CALLS] = ((this.running[CALLS] ?? 0) + 1) | 0;
    return before;
  }

  /** Stops the strategy and reports it to the engine, once: later faults follow from the first. */
  fault(error: unknown, where: string): void {
    if (this.closed) return;
    this.close();
    this.#port.fault(this.index, error, where);
  }

  /** Streams that end call the strategy's code. */
  close(): void {
    this.closed = true;
    const before = this.#enter();
    for (const drop of this.#atClose) drop();
    this.#atClose.clear();
    this.running[IN_EVENT] = before;
  }

  /** Throws unless the strategy's own code runs inside an event: a call from a promise would be in no replay (rulings, 34). */
  assertInEvent(call: string, of = 'trader'): void {
    if (this.running[IN_EVENT] === this.index && !this.closed) return;
    const what = `${of}.${call}`;
    if (this.closed) throw new TraderClosedError(`${what}: this strategy is stopped`);
    const error = new TraderClosedError(`${what} was called outside the event being processed`);
    this.fault(error, what);
    throw error;
  }
}

/** Timers that wait at the same time; a strategy with more sets one on every tick. */
export const TIMERS_MAX = 1_000;

/** The timers of one strategy: the handler to run when the engine says that one is due. */
export class StrategyTimers {
  readonly #containment: Containment;
  readonly #port: Pick<TraderPort, 'setTimer' | 'clearTimer'>;
  readonly #waiting = new Map<TimerId, () => void>();

  constructor(containment: Containment, port: Pick<TraderPort, 'setTimer' | 'clearTimer'>) {
    this.#containment = containment;
    this.#port = port;
    containment.atClose(() => {
      for (const timer of this.#waiting.keys()) port.clearTimer(timer);
      this.#waiting.clear();
    });
  }

  after(span: DurationUs, handler: () => void): TimerId {
    if (this.#waiting.size >= TIMERS_MAX)
      throw new Error(`more than ${TIMERS_MAX} timers wait at the same time`);
    const timer = this.#port.setTimer(this.#containment.index, span);
    this.#waiting.set(timer, handler);
    return timer;
  }

  clear(timer: TimerId): void {
    if (this.#waiting.delete(timer)) this.#port.clearTimer(timer);
  }

  /** A timer that was cleared in the same event may still arrive; it is ignored. */
  fire(timer: TimerId): void {
    const handler = this.#waiting.get(timer);
    this.#waiting.delete(timer);
    if (handler !== undefined) this.#containment.run('a timer', handler);
  }
}
