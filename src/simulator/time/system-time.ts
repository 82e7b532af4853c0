/** The machine's own clock and timers: what the ports of `domain/clock.ts` are in life. */
import type { Clock, Timers } from '../../domain/clock.ts';
import { tsUs, US_PER_MS } from '../../domain/units.ts';

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
