/** Time that moves only when a test says so. Timers fire in order of (due time, when they were asked for). */
import type { CancelTimer, Clock, Timers } from '../../../src/domain/clock.ts';
import { type DurationUs, type TsUs, tsUs } from '../../../src/domain/units.ts';

/** Wednesday 2026-03-04, 10:00 in Vietnam. */
export const MORNING = tsUs(Date.UTC(2026, 2, 4, 3) * 1_000);

interface Pending {
  readonly due: number;
  readonly order: number;
  readonly run: () => void;
}

export class VirtualTimers implements Timers, Clock {
  #nowUs: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor(startUs = 1_767_578_400_000_000) {
    this.#nowUs = startUs;
  }

  nowUs(): TsUs {
    return tsUs(this.#nowUs);
  }

  get pending(): number {
    return this.#pending.size;
  }

  after(span: DurationUs, run: () => void): CancelTimer {
    const entry = { due: this.#nowUs + span, order: this.#order, run };
    this.#order += 1;
    this.#pending.add(entry);
    return () => this.#pending.delete(entry);
  }

  advance(span: number): void {
    const end = this.#nowUs + span;
    for (let next = this.#nextDue(end); next !== undefined; next = this.#nextDue(end)) {
      this.#nowUs = Math.max(this.#nowUs, next.due);
      this.#pending.delete(next);
      next.run();
    }
    this.#nowUs = end;
  }

  /** The machine slept: time has passed and no timer has fired. */
  jump(span: DurationUs): void {
    this.#nowUs += span;
  }

  #nextDue(end: number): Pending | undefined {
    let best: Pending | undefined;
    for (const entry of this.#pending) {
      if (entry.due > end) continue;
      if (best === undefined || entry.due < best.due || (entry.due === best.due && entry.order < best.order))
        best = entry;
    }
    return best;
  }
}
