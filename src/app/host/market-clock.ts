/** System clock and timers, market time as a map of real time, and the session of a moment. */
import { isSession, sessionAfter, type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Clock, Timers } from '../../domain/clock.ts';
import { type TsUs, tsUs, US_PER_MS } from '../../domain/units.ts';

/** Market time as an affine map of real time: `originMarketUs + (real - originRealUs) * speed` (rulings, 25). */
export interface ClockMap {
  readonly originRealUs: number;
  readonly originMarketUs: number;
  readonly speed: number;
}

export const REAL_TIME: ClockMap = { originRealUs: 0, originMarketUs: 0, speed: 1 };

/** The monotonic clock is anchored anew when it differs from the wall clock by more (standby, a clock set by hand). */
const ANCHOR_SLIP_MS_MAX = 20;

/** Real time in whole microseconds that never goes back within one process. */
function createSystemClock(wallMs = () => Date.now(), monotonicMs = () => performance.now()): Clock {
  let anchorMs = wallMs() - monotonicMs();
  let lastUs = 0;
  return {
    nowUs() {
      if (Math.abs(anchorMs + monotonicMs() - wallMs()) > ANCHOR_SLIP_MS_MAX)
        anchorMs = wallMs() - monotonicMs();
      lastUs = Math.max(lastUs, Math.round((anchorMs + monotonicMs()) * US_PER_MS));
      return tsUs(lastUs);
    },
  };
}

export const systemClock = createSystemClock();

const marketAt = (map: ClockMap, realUs: number): TsUs =>
  tsUs(Math.round(map.originMarketUs + (realUs - map.originRealUs) * map.speed));

export const createMarketClock = (map: ClockMap, real: Clock = systemClock): Clock => ({
  nowUs: () => marketAt(map, real.nowUs()),
});

/** Real milliseconds until market time reaches `at`; zero when it is past. */
export const realMsUntil = (map: ClockMap, at: TsUs, real: Clock = systemClock): number =>
  Math.max(0, Math.ceil((at - marketAt(map, real.nowUs())) / map.speed / US_PER_MS));

/** Longest wait one system timer takes; longer ones are chained. */
const TIMEOUT_MS_MAX = 2_000_000_000;

export const systemTimers: Timers = {
  after(span, run) {
    let leftMs = span / US_PER_MS;
    let timer = setTimeout(fire, Math.min(leftMs, TIMEOUT_MS_MAX));
    function fire(): void {
      leftMs -= TIMEOUT_MS_MAX;
      if (leftMs <= 0) run();
      else timer = setTimeout(fire, Math.min(leftMs, TIMEOUT_MS_MAX));
    }
    return () => {
      clearTimeout(timer);
    };
  },
};

/** The session of `at`, or the next one. */
export function sessionDay(calendar: TradingCalendar, at: TsUs): TradingDay {
  const today = tradingDayAt(calendar, at);
  return isSession(calendar, today) ? today : sessionAfter(calendar, today);
}
