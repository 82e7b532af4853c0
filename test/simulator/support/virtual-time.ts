import type { CancelTimer, Clock, Timers } from '../../../src/domain/clock.ts';
import { type DurationUs, type TsUs, tsUs } from '../../../src/domain/units.ts';

/** Wednesday 2026-03-04, 10:00 in Vietnam. */
export const MORNING = tsUs(Date.UTC(2026, 2, 4, 3) * 1_000);

interface Due {
  readonly atUs: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock and its timers that move only when a test says so. */
export class VirtualTime implements Clock, Timers {
  #nowUs: TsUs;
  #due: Due[] = [];
  #armed = 0;

  constructor(startUs: TsUs) {
    this.#nowUs = startUs;
  }

  nowUs(): TsUs {
    return this.#nowUs;
  }

  after(span: DurationUs, run: () => void): CancelTimer {
    this.#armed += 1;
    const due: Due = { atUs: this.#nowUs + span, order: this.#armed, run };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  }

  /** Lets timers fire in the order of their times, those that they arm included. */
  advance(span: DurationUs): void {
    const end = this.#nowUs + span;
    for (;;) {
      const next = this.#due.toSorted((a, b) => a.atUs - b.atUs || a.order - b.order)[0];
      if (next === undefined || next.atUs > end) break;
      this.#due = this.#due.filter((other) => other !== next);
      this.#nowUs = tsUs(Math.max(this.#nowUs, next.atUs));
      next.run();
    }
    this.#nowUs = tsUs(end);
  }

  /** The machine slept: time has passed and no timer has fired. */
  jump(span: DurationUs): void {
    this.#nowUs = tsUs(this.#nowUs + span);
  }

  get armed(): number {
    return this.#due.length;
  }
}
