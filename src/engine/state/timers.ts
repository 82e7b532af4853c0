/** Timers in market time, ordered by (due, order of setting). Each event compares `nextDueUs`; the list is read only when it is due. */
import { assert } from '../../domain/assert.ts';
import { addUs, type DurationUs, type TsUs } from '../../domain/units.ts';
import type { TimerId } from '../ports/strategy-port.ts';
import type { DueWork } from './event-context.ts';

/** Owners of timers other than strategies. A new process clears those of the engine, and sets them again. */
export const ENGINE_TIMER = -2;
export const CONTROLLER_TIMER = -3;

export interface Timer {
  readonly id: TimerId;
  readonly dueUs: number;
  /** A strategy's index, or one of the negative owners of the engine. */
  readonly owner: number;
  /** Null for a strategy, which knows its timers by their ids. */
  readonly run: (() => void) | null;
  /** A procedure has one timer: setting it again replaces it. Null: the owner may have several. */
  readonly procedure: unknown;
  /** Set for a moment of the day, not for a span from when it was set. */
  readonly isMoment: boolean;
}

export class MarketTimers {
  nextDueUs = Infinity;
  readonly #context: { readonly nowUs: TsUs };
  readonly #dueWork: DueWork;
  #waiting: Timer[] = [];
  #lastId = 0;

  constructor(context: { readonly nowUs: TsUs }, dueWork: DueWork) {
    this.#context = context;
    this.#dueWork = dueWork;
  }

  set(
    owner: number,
    dueUs: number,
    run: Timer['run'] = null,
    procedure: unknown = null,
    isMoment = false,
  ): TimerId {
    assert(!Number.isNaN(dueUs), 'a timer has a time');
    if (procedure !== null) this.stop(procedure);
    this.#lastId += 1;
    const timer: Timer = { id: this.#lastId as TimerId, dueUs, owner, run, procedure, isMoment }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the only mint of timer ids
    let at = this.#waiting.length;
    while ((this.#waiting[at - 1]?.dueUs ?? -Infinity) > dueUs) at -= 1;
    this.#waiting.splice(at, 0, timer);
    this.#changed();
    return timer.id;
  }

  /** Sets the timer of a session procedure, after a span of market time. */
  after(procedure: object, span: DurationUs, run: () => void): void {
    this.set(CONTROLLER_TIMER, addUs(this.#context.nowUs, span), run, procedure);
  }

  at(procedure: object, moment: TsUs, run: () => void): void {
    this.set(CONTROLLER_TIMER, moment, run, procedure, true);
  }

  stop(procedure: unknown): void {
    this.#keep((timer) => timer.procedure !== procedure);
  }

  has(procedure: unknown): boolean {
    return this.#waiting.some((timer) => timer.procedure === procedure);
  }

  /** False when it is over, or was cleared before. */
  clear(id: TimerId): boolean {
    return this.#keep((timer) => timer.id !== id);
  }

  clearOwner(owner: number): void {
    this.#keep((timer) => timer.owner !== owner);
  }

  /** Due timers in order; each is to be cleared before it runs. One set meanwhile waits for the next event: none can hold the engine. */
  dueBy(nowUs: number): readonly Timer[] {
    return this.#waiting.filter(({ dueUs }) => dueUs <= nowUs);
  }

  /** The clock was set back by `span`: timers set for a span still take as long. */
  bringForward(span: number): void {
    this.#waiting = this.#waiting
      .map((timer) => (timer.isMoment ? timer : { ...timer, dueUs: timer.dueUs - span }))
      .toSorted((a, b) => a.dueUs - b.dueUs || a.id - b.id);
    this.#changed();
  }

  #keep(isKept: (timer: Timer) => boolean): boolean {
    const { length } = this.#waiting;
    this.#waiting = this.#waiting.filter(isKept);
    if (this.#waiting.length < length) this.#changed();
    return this.#waiting.length < length;
  }

  #changed(): void {
    this.nextDueUs = this.#waiting[0]?.dueUs ?? Infinity;
    this.#dueWork.markPending();
  }
}
