/**
 * Market time as an affine map of real time (rulings, 25): sessions and matching run on market time, while heartbeats,
 * tokens and the `Date` header stay on real time: the clock of the machine, and the clock of the broker, which a fault may skew.
 */
import { assert } from '../../domain/assert.ts';
import type { Clock, Timers } from '../../domain/clock.ts';
import {
  type DurationUs,
  durationUs,
  type TsUs,
  tsUs,
  US_PER_MS,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { FaultBoard } from '../faults/fault-board.ts';

/** market = originMarketUs + (real - originRealUs) x speed. */
export interface ClockMap {
  readonly originRealUs: TsUs;
  readonly originMarketUs: TsUs;
  readonly speed: number;
  /** In force instead of the speed for a moment: nobody plans by it. */
  readonly pace?: number;
}

export class MarketClock implements Clock {
  readonly #real: Clock;
  #map: ClockMap;
  #held: boolean;
  #latest: TsUs;

  /** `held` stops market time at its origin until `release`, so that nothing of a tape is missed. */
  constructor(real: Clock, map: ClockMap, held: boolean) {
    assert(Number.isFinite(map.speed) && map.speed > 0, 'the speed of market time is above zero');
    this.#real = real;
    this.#map = map;
    this.#held = held;
    this.#latest = tsUs(-Number.MAX_SAFE_INTEGER);
  }

  /** The map in force; while market time is held, the one it would have if it were released now. */
  get map(): ClockMap {
    return this.#held ? { ...this.#map, originRealUs: this.#real.nowUs() } : this.#map;
  }

  get held(): boolean {
    return this.#held;
  }

  release(): void {
    this.#map = this.map;
    this.#held = false;
  }

  /** Market seconds in a real second from now on; null is the speed again. */
  setPace(pace: number | null): void {
    const { speed } = this.#map;
    const origin = { originRealUs: this.#real.nowUs(), originMarketUs: this.nowUs(), speed };
    this.#map = pace === null ? origin : { ...origin, pace };
  }

  /** Never goes back, whatever the system clock does. */
  nowUs(): TsUs {
    const { originRealUs, originMarketUs, speed, pace = speed } = this.map;
    const now = originMarketUs + Math.floor((this.#real.nowUs() - originRealUs) * pace);
    if (now > this.#latest) this.#latest = tsUs(now);
    return this.#latest;
  }

  /** Real time that passes while market time goes from now to `at`; zero when it is past. */
  realUntil(at: TsUs): DurationUs {
    const { speed, pace = speed } = this.#map;
    return durationUs(Math.max(0, Math.ceil((at - this.nowUs()) / pace)));
  }
}

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
