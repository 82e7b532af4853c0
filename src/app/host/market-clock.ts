/** Market time as a map of real time, system timers, and the session of a moment. */
import { isSession, sessionAfter, type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import {
  type CancelTimer,
  type Clock,
  type ClockMap,
  marketTimeAt,
  type Timers,
} from '../../domain/clock.ts';
import { type DurationUs, milliseconds, type TsUs, US_PER_MS } from '../../domain/units.ts';
import { systemClock } from './system-clock.ts';

export const REAL_TIME: ClockMap = { originRealUs: 0, originMarketUs: 0, speed: 1 };

export const createMarketClock = (map: ClockMap, real: Clock = systemClock): Clock => ({
  nowUs: () => marketTimeAt(map, real.nowUs()),
});

/** Real milliseconds until market time reaches `at` unless it waits on the way; zero when it is past. */
const realMsUntil = (map: ClockMap, at: TsUs, real: Clock = systemClock): number =>
  Math.max(0, Math.ceil((at - marketTimeAt(map, real.nowUs())) / map.speed / US_PER_MS));

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

/** Waits for `work`; undefined when it takes longer than `within`: it goes on all the same. */
export async function inTime<T>(work: Promise<T>, within: DurationUs): Promise<T | undefined> {
  let cancel: CancelTimer | undefined;
  const late = new Promise<undefined>((resolve) => {
    cancel = systemTimers.after(within, () => resolve(undefined));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    cancel?.();
  }
}

/** The clock is read at least this often: timers stand still while the machine sleeps, the exchange does not. */
const LOOK_MS_MAX = 1_000;

/** Calls back when market time reaches `at`. */
export function atMarketTime(
  map: ClockMap,
  at: TsUs,
  run: () => void,
  real: Clock = systemClock,
  timers: Timers = systemTimers,
): CancelTimer {
  let cancel: CancelTimer;
  const wait = (): void => {
    cancel = timers.after(milliseconds(Math.min(realMsUntil(map, at, real), LOOK_MS_MAX)), look);
  };
  const look = (): void => (realMsUntil(map, at, real) > 0 ? wait() : run());
  wait();
  return () => cancel();
}

/** The session of `at`, or the next one. */
export function sessionDay(calendar: TradingCalendar, at: TsUs): TradingDay {
  const today = tradingDayAt(calendar, at);
  return isSession(calendar, today) ? today : sessionAfter(calendar, today);
}
