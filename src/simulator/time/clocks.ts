/** Real time: the machine's clock and timers, and the broker's own clock, which a fault may skew. */
import type { Clock, Timers } from '../../domain/clock.ts';
import { tsUs, type TsUs, US_PER_MS, US_PER_SECOND } from '../../domain/units.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
export const systemClock: Clock = {
  nowUs: () => tsUs(Date.now() * US_PER_MS),
};

/** Node truncates longer delays to one millisecond; a longer span is cut into pieces. */
const DELAY_MS_MAX = 2_000_000_000;

export const systemTimers: Timers = {
  after(span, run) {
    let left = Math.ceil(span / US_PER_MS);
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      const piece = Math.min(left, DELAY_MS_MAX);
      left -= piece;
      handle = setTimeout(() => (left > 0 ? arm() : run()), piece);
    };
    arm();
    return () => clearTimeout(handle);
  },
};

/** Real time, unless a fault puts it ahead or behind. Market time does not follow it. */
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
