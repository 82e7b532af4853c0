/** Market time as an affine map of real time (rulings, 25): sessions and matching follow it; heartbeats, tokens and `Date` do not. */
import { assert } from '../../domain/assert.ts';
import { type Clock, type ClockMap, marketTimeAt, type Timers } from '../../domain/clock.ts';
import {
  type DurationUs,
  durationUs,
  type TsUs,
  tsUs,
  US_PER_MS,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { FaultBoard } from '../faults/fault-board.ts';

export class MarketClock implements Clock {
  readonly #real: Clock;
  #map: ClockMap;
  held: boolean;
  #latest: TsUs;

  /** `held` stops market time at its origin until `release`, so that nothing of a tape is missed. */
  constructor(real: Clock, map: ClockMap, held: boolean) {
    assert(Number.isFinite(map.speed) && map.speed > 0, 'the speed of market time is above zero');
    this.#real = real;
    this.#map = map;
    this.held = held;
    this.#latest = tsUs(-Number.MAX_SAFE_INTEGER);
  }

  /** The map in force; while market time is held, the one it would have if it were released now. */
  get map(): ClockMap {
    return this.held ? { ...this.#map, originRealUs: this.#real.nowUs() } : this.#map;
  }

  release(): void {
    this.#map = this.map;
    this.held = false;
  }

  /** Runs at its speed to `at` and as in life from there on, until it is called again; null: at its speed for good. */
  runTo(at: TsUs | null): void {
    const { speed } = this.#map;
    const origin = { originRealUs: this.#real.nowUs(), originMarketUs: this.nowUs(), speed };
    this.#map = at === null ? origin : { ...origin, untilUs: at };
  }

  /** Never goes back, whatever the system clock does. */
  nowUs(): TsUs {
    const now = marketTimeAt(this.map, this.#real.nowUs());
    if (now > this.#latest) this.#latest = now;
    return this.#latest;
  }

  /** Real time that passes while market time goes from now to `at`; zero when it is past. */
  realUntil(at: TsUs): DurationUs {
    const { speed, untilUs = Infinity } = this.#map;
    const now = this.nowUs();
    const asInLife = Math.max(0, at - Math.max(now, untilUs));
    return durationUs(Math.max(0, Math.ceil((at - now - asInLife) / speed + asInLife)));
  }
}

export const hostClock: Clock = {
  nowUs: () => tsUs(Date.now() * US_PER_MS),
};

/** Node truncates longer delays to one millisecond; a longer span is cut into pieces. */
const DELAY_MS_MAX = 2_000_000_000;

export const hostTimers: Timers = {
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
export const skewedClock = (real: Clock, faults: FaultBoard): Clock => ({
  nowUs: () => {
    const skew = faults.active('clock_skew')?.seconds ?? 0;
    return tsUs(real.nowUs() + Math.round(skew * US_PER_SECOND));
  },
});
