/** Timers of the session's procedures, by callback; the engine knows them by a number. */
import { addUs, type DurationUs, type TsUs } from '../../domain/units.ts';
import type { TimerId } from '../ports/strategy-port.ts';
import type { EventContext } from '../state/event-context.ts';
import { CONTROLLER_TIMER, type TimerHeap } from '../state/timer-heap.ts';

interface PendingTimer {
  readonly tag: number;
  readonly timer: TimerId;
  readonly run: () => void;
}

/** Each procedure has one timer: setting it again replaces it. */
export class SessionTimers {
  readonly #context: Pick<EventContext, 'nowUs'>;
  readonly #heap: Pick<TimerHeap, 'set' | 'clear'>;
  readonly #waiting = new Map<object, PendingTimer>();
  #lastTag = 0;

  constructor(context: Pick<EventContext, 'nowUs'>, heap: Pick<TimerHeap, 'set' | 'clear'>) {
    this.#context = context;
    this.#heap = heap;
  }

  /** After a span of market time. */
  after(procedure: object, span: DurationUs, run: () => void): void {
    this.#set(procedure, addUs(this.#context.nowUs, span), run, false);
  }

  at(procedure: object, moment: TsUs, run: () => void): void {
    this.#set(procedure, moment, run, true);
  }

  stop(procedure: object): void {
    const waiting = this.#waiting.get(procedure);
    if (waiting === undefined) return;
    this.#waiting.delete(procedure);
    this.#heap.clear(waiting.timer);
  }

  fire(tag: number): void {
    for (const [procedure, waiting] of this.#waiting) {
      if (waiting.tag !== tag) continue;
      this.#waiting.delete(procedure);
      return waiting.run();
    }
  }

  #set(procedure: object, dueUs: TsUs, run: () => void, isMoment: boolean): void {
    this.stop(procedure);
    this.#lastTag += 1;
    const timer = this.#heap.set(CONTROLLER_TIMER, dueUs, this.#lastTag, isMoment);
    this.#waiting.set(procedure, { tag: this.#lastTag, timer, run });
  }
}
