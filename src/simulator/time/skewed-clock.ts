/** The broker's own clock: real time, unless a fault puts it ahead or behind. The exchange's time is not moved by it. */
import type { Clock } from '../../domain/clock.ts';
import { type TsUs, tsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { FaultBoard } from '../faults/fault-board.ts';

export class SkewedClock implements Clock {
  readonly #real: Clock;
  readonly #faults: FaultBoard;

  constructor(real: Clock, faults: FaultBoard) {
    this.#real = real;
    this.#faults = faults;
  }

  nowUs(): TsUs {
    const skew = this.#faults.standing('clock_skew')?.seconds ?? 0;
    return tsUs(this.#real.nowUs() + Math.round(skew * US_PER_SECOND));
  }
}
