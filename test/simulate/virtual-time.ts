/**
 * One clock for everything in the process: `Date`, `performance.now` and timers are replaced, and time jumps from one event to
 * the next. Each event belongs to a process of the simulated world; what a dead one still waits for never happens.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CancelTimer, Clock, Timers } from '../../src/domain/clock.ts';
import { type DurationUs, tsUs, US_PER_MS } from '../../src/domain/units.ts';

/** A process of the simulated world. */
export interface Owner {
  readonly name: string;
  isDead: boolean;
  /** Wall clock against true time, in microseconds. */
  skewUs: number;
}

interface Waiting {
  atUs: number;
  readonly order: number;
  readonly owner: Owner;
  run: () => void;
  isCanceled: boolean;
}

const REAL = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  performanceNow: globalThis.performance.now, // oxlint-disable-line typescript/unbound-method -- put back as it was
};

export class VirtualTime {
  /** Who looks on while the events of each owner run. */
  watch: { begin(owner: Owner): void; end(owner: Owner): void } | null = null;
  /** Owner of the event that runs. */
  owner: Owner = { name: 'driver', isDead: false, skewUs: 0 };
  readonly #startUs: number;
  #nowUs: number;
  #leaptUs = 0;
  #orders = 0;
  #heap: Waiting[] = [];

  constructor(startUs: number) {
    this.#startUs = startUs;
    this.#nowUs = startUs;
  }

  /** True time. */
  get nowUs(): number {
    return this.#nowUs;
  }

  /** Time without what was slept through: that of monotonic clocks. */
  get livedUs(): number {
    return this.#nowUs - this.#leaptUs;
  }

  /** The whole machine sleeps: timers, and messages on their way, pause meanwhile. */
  leap(us: number): void {
    this.#nowUs += us;
    this.#leaptUs += us;
    for (const waiting of this.#heap) waiting.atUs += us;
  }

  /** Timers and messages that are still to come, of one process or of all; those of the dead are not. */
  waiting(of: Owner | null = null): number {
    return this.#heap.filter(
      ({ isCanceled, owner }) => !isCanceled && !owner.isDead && (of === null || owner === of),
    ).length;
  }

  /** Since the start, sleep included. */
  get uptimeMs(): number {
    return (this.#nowUs - this.#startUs) / US_PER_MS;
  }

  readonly clock: Clock = { nowUs: () => tsUs(this.#nowUs) };

  /** Wakes its owner on a grid: a market that moves many times between two looks at it. */
  timersOf(owner: Owner, gridUs: number): Timers {
    return {
      after: (span: DurationUs, run: () => void): CancelTimer =>
        this.at(Math.ceil((this.#nowUs + span) / gridUs) * gridUs, owner, run),
    };
  }

  at(atUs: number, owner: Owner, run: () => void): CancelTimer {
    this.#orders += 1;
    const waiting: Waiting = {
      atUs: Math.max(this.#nowUs, Math.round(atUs)),
      order: this.#orders,
      owner,
      run,
      isCanceled: false,
    };
    push(this.#heap, waiting);
    return () => {
      waiting.isCanceled = true;
      // What it holds is let go now, not when it would have been due.
      waiting.run = nothing;
    };
  }

  /** A slow system call: time passes while the caller waits. */
  spend(us: number): void {
    this.#nowUs += Math.round(us);
  }

  as<T>(owner: Owner, run: () => T): T {
    const before = this.owner;
    this.owner = owner;
    try {
      return run();
    } finally {
      this.owner = before;
    }
  }

  /** Runs everything that is due until then in lived time, each event to its end. `after` runs between two events. */
  async runUntil(livedUs: number, after: () => void, isOver: () => boolean = () => false): Promise<void> {
    while (!isOver()) {
      const next = this.#heap[0];
      if (next === undefined || next.atUs > livedUs + this.#leaptUs) break;
      pop(this.#heap);
      if (next.isCanceled || next.owner.isDead) continue;
      this.#nowUs = Math.max(this.#nowUs, next.atUs);
      this.owner = next.owner;
      this.watch?.begin(next.owner);
      next.run();
      await nextTurn();
      this.watch?.end(next.owner);
      after();
    }
    if (!isOver()) this.#nowUs = Math.max(this.#nowUs, livedUs + this.#leaptUs);
  }

  /** Replaces the process's own clocks and timers; returns how to put them back. */
  install(): () => void {
    const wallMs = (): number => (this.#nowUs + this.owner.skewUs) / US_PER_MS;
    const start = (run: () => void, ms: number, again: boolean): Timer => {
      const { owner } = this;
      const timer = new Timer();
      const arm = (): void => {
        timer.cancel = this.at(this.#nowUs + Math.max(1, ms) * US_PER_MS, owner, () => {
          if (again) arm();
          run();
        });
      };
      arm();
      return timer;
    };
    class VirtualDate extends REAL.Date {
      constructor(...given: readonly unknown[]) {
        super(...((given.length === 0 ? [Math.floor(wallMs())] : given) as [number])); // oxlint-disable-line typescript/no-unsafe-type-assertion -- passes the arguments on
      }
      static override now(): number {
        return Math.floor(wallMs());
      }
    }
    Object.assign(globalThis, {
      Date: VirtualDate,
      setTimeout: (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
        start(() => run(...given), ms, false),
      setInterval: (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) =>
        start(() => run(...given), ms, true),
      clearTimeout: stop,
      clearInterval: stop,
      // Code that lets others in between goes on as the process that it belongs to, or not at all once that is dead.
      setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) => {
        const timer = new Timer();
        timer.cancel = this.at(this.#nowUs, this.owner, () => run(...given));
        return timer;
      },
      clearImmediate: stop,
    });
    globalThis.performance.now = () => (this.livedUs - this.#startUs) / US_PER_MS;
    return () => {
      const { performanceNow, ...globals } = REAL;
      Object.assign(globalThis, globals);
      globalThis.performance.now = performanceNow;
    };
  }
}

const nothing = (): void => undefined;

const stop = (timer: unknown): void => {
  if (timer instanceof Timer) timer.cancel();
};

/** The part of a Node timer that the program uses. */
class Timer {
  cancel: () => void = () => {};

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }
}

const isBefore = (a: Waiting, b: Waiting): boolean =>
  a.atUs < b.atUs || (a.atUs === b.atUs && a.order < b.order);

function push(heap: Waiting[], added: Waiting): void {
  let place = heap.length;
  heap.push(added);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(added, parent)) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = added;
}

function pop(heap: Waiting[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let place = 0;
  for (;;) {
    const left = heap[2 * place + 1];
    const right = heap[2 * place + 2];
    if (left === undefined) break;
    const isRight = right !== undefined && isBefore(right, left);
    const child = isRight ? right : left;
    if (!isBefore(child, last)) break;
    heap[place] = child;
    place = 2 * place + (isRight ? 2 : 1);
  }
  heap[place] = last;
}
