/**
 * Real time of this process. The wall clock labels it once, at the start; a monotonic source moves it on, so that it neither stops nor
 * leaps when somebody sets the wall clock. A small step of the wall clock is followed slowly, a large one is not followed: a restart
 * takes the new time, and this process does where the broker's clock confirms it.
 */
import { uptime } from 'node:os';
import { type CancelTimer, type Clock, type ClockMap, marketTimeAt, type Timers } from '../domain/clock.ts';
import {
  durationUs,
  type DurationUs,
  milliseconds,
  minutes,
  type TsUs,
  tsUs,
  US_PER_MS,
} from '../domain/units.ts';
import { isSession, sessionAfter, type TradingCalendar, tradingDayAt } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';

export interface ClockSources {
  readonly wallMs: () => number;
  /** Pauses while the machine sleeps. */
  readonly monotonicMs: () => number;
  /** Goes on while the machine sleeps, and cannot be set. Read only when wall and monotonic time drift apart. */
  readonly uptimeMs: () => number;
}

const SYSTEM: ClockSources = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  uptimeMs: () => uptime() * 1_000,
};

/** Wall and monotonic time that differ by less than this agree: `Date.now` has whole milliseconds. */
const SLIP_MS_MAX = 20;
/** The uptime has a resolution of 10 ms. */
const SLEEP_MS_MIN = 500;
/** A step of the wall clock up to this is followed; time servers make no larger ones after the start of a machine. */
export const FOLLOWED_STEP_US_MAX: DurationUs = minutes(1);
/** Milliseconds in which one millisecond of a followed step is made up for. */
export const SLEW_MS = 20;

export class SystemClock implements Clock {
  #sources: ClockSources = SYSTEM;
  /** This clock minus the monotonic source. */
  #offsetMs = 0;
  /** Wall clock minus the monotonic source, as last read. */
  #wallOffsetMs = 0;
  #uptimeOffsetMs = 0;
  #slewedAtMs = 0;
  #stepMs = 0;
  #sleptMs = 0;

  constructor(sources: ClockSources = SYSTEM) {
    this.restart(sources);
  }

  /** Takes the wall clock's time, as a new process does: a simulation starts many in one. */
  restart(sources: ClockSources = SYSTEM): void {
    const now = sources.monotonicMs();
    this.#sources = sources;
    this.#wallOffsetMs = sources.wallMs() - now;
    this.#uptimeOffsetMs = sources.uptimeMs() - now;
    this.#offsetMs = this.#wallOffsetMs;
    this.#slewedAtMs = now;
    this.#stepMs = 0;
    this.#sleptMs = 0;
  }

  nowUs(): TsUs {
    const now = this.#sources.monotonicMs();
    if (Math.abs(this.#sources.wallMs() - now - this.#wallOffsetMs) > SLIP_MS_MAX) this.#explain(now);
    if (this.#stepMs !== 0) this.#slew(now);
    return tsUs(Math.round((this.#offsetMs + now) * US_PER_MS));
  }

  /** Wall clock minus this clock: a step of the wall clock that is not followed yet. */
  get stepUs(): number {
    return Math.round(this.#stepMs * US_PER_MS);
  }

  /** All standbys of the machine since the start. */
  get slept(): DurationUs {
    return durationUs(Math.round(this.#sleptMs * US_PER_MS));
  }

  /** The time of the step has passed: a virtual machine that was suspended counts it nowhere else. */
  takeStep(): void {
    this.#offsetMs += this.#stepMs;
    this.#sleptMs += this.#stepMs;
    this.#stepMs = 0;
  }

  /** The wall clock left the monotonic one: the machine slept, or its clock was set, or both. */
  #explain(nowMs: number): void {
    const { wallMs, uptimeMs } = this.#sources;
    const missedMs = uptimeMs() - nowMs - this.#uptimeOffsetMs;
    const sleptMs = missedMs > SLEEP_MS_MIN ? missedMs : 0;
    this.#uptimeOffsetMs += sleptMs;
    this.#offsetMs += sleptMs;
    this.#sleptMs += sleptMs;
    this.#wallOffsetMs = wallMs() - nowMs;
    const stepMs = this.#wallOffsetMs - this.#offsetMs;
    if (this.#stepMs === 0) this.#slewedAtMs = nowMs;
    this.#stepMs = Math.abs(stepMs) > SLIP_MS_MAX ? stepMs : 0;
  }

  #slew(nowMs: number): void {
    const most = (nowMs - this.#slewedAtMs) / SLEW_MS;
    this.#slewedAtMs = nowMs;
    if (Math.abs(this.#stepMs) * US_PER_MS > FOLLOWED_STEP_US_MAX) return;
    const by = Math.max(-most, Math.min(most, this.#stepMs));
    this.#offsetMs += by;
    this.#stepMs -= by;
  }
}

export const systemClock = new SystemClock();

/** The clock that the machine shows, wherever it is set to: the time of its files. */
export const wallClock: Clock = { nowUs: () => tsUs(Date.now() * US_PER_MS) };

// Market time as a map of real time, system timers, and the session of a moment.

export const REAL_TIME: ClockMap = { originRealUs: 0, originMarketUs: 0, speed: 1 };

export const createMarketClock = (map: ClockMap, real: Clock = systemClock): Clock => ({
  nowUs: () => marketTimeAt(map, real.nowUs()),
});

/** Real milliseconds until market time reaches `at` unless it waits on the way; zero when it is past. */
const realMsUntil = (map: ClockMap, at: TsUs, real: Clock): number =>
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
export async function withTimeout<T>(work: Promise<T>, within: DurationUs): Promise<T | undefined> {
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

/** The clock is read at least this often: timers pause while the machine sleeps, the exchange does not. */
const CHECK_MS_MAX = 1_000;

export function atMarketTime(
  map: ClockMap,
  at: TsUs,
  run: () => void,
  real: Clock = systemClock,
  timers: Timers = systemTimers,
): CancelTimer {
  let cancel: CancelTimer;
  const wait = (): void => {
    cancel = timers.after(milliseconds(Math.min(realMsUntil(map, at, real), CHECK_MS_MAX)), look);
  };
  const look = (): void => (realMsUntil(map, at, real) > 0 ? wait() : run());
  wait();
  return () => cancel();
}

/** The session of `at`, or the next one. */
export function sessionDayAt(calendar: TradingCalendar, at: TsUs): TradingDay {
  const today = tradingDayAt(calendar, at);
  return isSession(calendar, today) ? today : sessionAfter(calendar, today);
}
