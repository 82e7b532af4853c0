/**
 * Timers in market time, ordered by (due, order of setting). One public number, `nextDueUs`, is compared with the time of each event; the
 * heap is read only when it is due.
 */
import { assert } from '../../domain/assert.ts';
import type { TimerId } from '../ports/strategy-port.ts';

/** Owners of timers other than strategies, and the uses of the engine's own timers. */
export const ENGINE_TIMER = -2;
export const CONTROLLER_TIMER = -3;

export const POLL_POSITIONS = 1;
export const POLL_ACCOUNT = 2;
export const PENDING_POSITION = 3;
export const AWAIT_REFERENCE = 4;
export const POLL_TRIGGERS = 5;
/** Brings an event, after which the session controller checks everything. */
export const CHECK_ALL = 6;

export interface Timer {
  readonly id: TimerId;
  readonly dueUs: number;
  /** A strategy's index, or one of the negative owners of the engine. */
  readonly owner: number;
  readonly tag: number;
  /** Set for a moment of the day, not for a span from when it was set. */
  readonly isMoment: boolean;
}

export class TimerHeap {
  nextDueUs = Infinity;
  readonly #heap: Timer[] = [];
  readonly #live = new Map<TimerId, Timer>();
  readonly #counts = new Map<number, number>();
  readonly #dueWork: DueWork;
  #lastId = 0;

  constructor(dueWork: DueWork = new DueWork()) {
    this.#dueWork = dueWork;
  }

  set(owner: number, dueUs: number, tag: number, isMoment = false): TimerId {
    assert(!Number.isNaN(dueUs), 'a timer has a time');
    this.#lastId += 1;
    const timer: Timer = { id: this.#lastId as TimerId, dueUs, owner, tag, isMoment }; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the only mint of timer ids
    this.#live.set(timer.id, timer);
    this.#counts.set(owner, this.count(owner) + 1);
    this.#heap.push(timer);
    this.#rise(this.#heap.length - 1);
    this.#dropDead();
    return timer.id;
  }

  clear(id: TimerId): void {
    this.#forget(id);
    this.#dropDead();
  }

  clearOwner(owner: number): void {
    for (const timer of this.#live.values()) if (timer.owner === owner) this.#forget(timer.id);
    this.#dropDead();
  }

  count(owner: number): number {
    return this.#counts.get(owner) ?? 0;
  }

  /**
   * Takes the timers that are due, in order. A timer that is set while these run waits for the next event, so that one of
   * no length cannot hold the engine.
   */
  takeDue(nowUs: number): readonly Timer[] {
    const due: Timer[] = [];
    while (this.nextDueUs <= nowUs) {
      const first = this.#heap[0];
      if (first === undefined) break;
      due.push(first);
      this.#forget(first.id);
      this.#dropDead();
    }
    return due;
  }

  /** The clock was set back by `span`: timers set for a span still take as long. */
  bringForward(span: number): void {
    const all = [...this.#live.values()];
    this.#heap.length = 0;
    for (const timer of all) {
      const moved = timer.isMoment ? timer : { ...timer, dueUs: timer.dueUs - span };
      this.#live.set(moved.id, moved);
      this.#heap.push(moved);
      this.#rise(this.#heap.length - 1);
    }
    this.#dropDead();
  }

  #forget(id: TimerId): void {
    const timer = this.#live.get(id);
    if (timer === undefined) return;
    this.#live.delete(id);
    this.#counts.set(timer.owner, this.count(timer.owner) - 1);
  }

  /** Cleared timers leave the heap when they reach its top. */
  #dropDead(): void {
    for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
      if (this.#live.has(first.id)) break;
      this.#pop();
    }
    this.nextDueUs = this.#heap[0]?.dueUs ?? Infinity;
    this.#dueWork.open();
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    this.#sink(0);
  }

  #rise(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIfLater(parent, at)) return;
      at = parent;
    }
  }

  #sink(start: number): void {
    let at = start;
    for (;;) {
      const left = at * 2 + 1;
      const right = left + 1;
      const child = right < this.#heap.length && this.#isBefore(right, left) ? right : left;
      if (child >= this.#heap.length || !this.#swapIfLater(at, child)) return;
      at = child;
    }
  }

  #swapIfLater(upper: number, lower: number): boolean {
    if (!this.#isBefore(lower, upper)) return false;
    const [a, b] = [this.#heap[upper], this.#heap[lower]];
    if (a === undefined || b === undefined) return false;
    this.#heap[upper] = b;
    this.#heap[lower] = a;
    return true;
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.dueUs < b.dueUs || (a.dueUs === b.dueUs && a.id < b.id);
  }
}

/**
 * Guards the fast path: the next moment at which the engine acts by itself, and whether calls, updates or changes wait for the
 * end of the event. Each price checks it once; code that leaves work to do opens it.
 */
export class DueWork {
  #isOpen = true;
  #dueUs = -Infinity;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Market time at which the next timer or change of phase is due; events before it can skip the queue. */
  get dueUs(): number {
    return this.#dueUs;
  }

  open(): void {
    this.#isOpen = true;
  }

  close(dueUs: number): void {
    this.#isOpen = false;
    this.#dueUs = dueUs;
  }
}
