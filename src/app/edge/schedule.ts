/**
 * Calls the edge at moments of the exchange's day, whatever the zone of this machine. No decision depends on it: the phase is
 * computed from time and calendar, so a start at 08:47 is in the right phase without having seen the open.
 */
import { parseTimeOfDay } from '../../text/dates.ts';
import type { Config } from '../../config/config.ts';
import { isSession, type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import { addDays, momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { Clock, Timers } from '../../domain/clock.ts';
import { durationUs, seconds, type TsUs, tsUs, US_PER_DAY, US_PER_HOUR } from '../../domain/units.ts';
import { systemTimers } from '../host/market-clock.ts';
import { systemClock } from '../host/system-clock.ts';
import type { BrokerEdge } from './broker-edge.ts';
import { watchToken } from './token-watch.ts';

/**
 * Renews the token in time, reads the contract list before the session, reconnects at the open, reads the book after the close.
 * Returns how to stop. The schedule is in real time, so scaled market time has only the token.
 */
export function followSessionHours(config: Config, edge: BrokerEdge, rollover: () => void): () => void {
  const stopWatch = watchToken({ tokens: edge.tokens, clock: systemClock, timers: systemTimers });
  if (config.simulator.speed !== 1) return stopWatch;
  const schedule = startSchedule({
    calendar: config.calendar,
    clock: systemClock,
    timers: systemTimers,
    tokenRefresh: config.schedule.tokenRefresh,
    rollover: config.schedule.rollover,
    run: ({ kind }) => {
      switch (kind) {
        case 'token_refresh':
          return void edge.tokens.refresh('scheduled');
        case 'rollover':
          edge.reports.read('contracts');
          return rollover();
        case 'session_open':
          edge.tokens.checkClose();
          return edge.stream.resume();
        case 'session_close':
          return edge.reports.read('book');
      }
    },
  });
  return () => {
    schedule.stop();
    stopWatch();
  };
}

export interface ScheduleMoment {
  readonly kind: MomentKind;
  /** The session that the moment belongs to. */
  readonly day: TradingDay;
}

export interface ScheduleOptions extends DailyTimes {
  readonly calendar: TradingCalendar;
  /** Real time. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly run: (moment: ScheduleMoment) => void;
}

export interface RunningSchedule {
  stop(): void;
}

/** The clock is read at least this often: timers stand still while the machine sleeps, the exchange does not. */
const LOOK_MAX = seconds(5);
/** A moment that was done further ahead of the clock than this was done under a clock that was wrong: it is still to come. */
const WRONG_AHEAD_US = 6 * US_PER_HOUR;

interface DueMoment extends ScheduleMoment {
  readonly name: string;
  readonly atUs: TsUs;
}

/** Calls for each moment of a session once, also when it is seen late, on its own day, because the machine slept. */
export function startSchedule(options: ScheduleOptions): RunningSchedule {
  const { calendar, clock, timers, run } = options;
  const daily = dailyMoments(calendar, options);
  const done = new Map<string, TsUs>();
  let begunUs = clock.nowUs();
  let lookedUs = -Infinity;
  let nextUs = -Infinity;
  let cancel = timers.after(durationUs(0), look);

  function look(): void {
    const now = clock.nowUs();
    const due = now < lookedUs || now >= nextUs ? takeDue(now) : [];
    lookedUs = now;
    cancel = timers.after(durationUs(Math.min(LOOK_MAX, nextUs - now)), look);
    for (const { kind, day } of due) run({ kind, day });
  }

  function takeDue(now: TsUs): readonly DueMoment[] {
    begunUs = tsUs(Math.min(begunUs, now));
    for (const [name, atUs] of done)
      if (atUs > now + WRONG_AHEAD_US || atUs < now - 2 * US_PER_DAY) done.delete(name);
    const moments = momentsAround(daily, calendar, now);
    const due = moments.filter(({ name, atUs }) => atUs > begunUs && atUs <= now && !done.has(name));
    for (const { name, atUs } of due) done.set(name, atUs);
    const midnight = momentOf(tradingDayAt(calendar, now), US_PER_DAY, calendar.utcOffsetMinutes);
    nextUs = Math.min(midnight, ...moments.filter(({ atUs }) => atUs > now).map(({ atUs }) => atUs));
    return due;
  }

  return { stop: () => cancel() };
}

/** Of the session of `now`, in order; the end of the day before falls on the midnight at which `now`'s day begins. */
function momentsAround(
  daily: readonly DailyMoment[],
  calendar: TradingCalendar,
  now: TsUs,
): readonly DueMoment[] {
  const today = tradingDayAt(calendar, now);
  return daily
    .map(({ kind, timeUs }) => {
      const day = timeUs === US_PER_DAY ? addDays(today, -1) : today;
      const atUs = momentOf(day, timeUs, calendar.utcOffsetMinutes);
      return { kind, day, atUs, name: `${day} ${kind} ${timeUs}` };
    })
    .filter(({ day }) => isSession(calendar, day))
    .toSorted((a, b) => a.atUs - b.atUs);
}

type MomentKind = 'token_refresh' | 'rollover' | 'session_open' | 'session_close';

/** A moment of every session, counted from the exchange's midnight; at most the end of the day. */
interface DailyMoment {
  readonly kind: MomentKind;
  readonly timeUs: number;
}

interface DailyTimes {
  /** `HH:MM` of the exchange. */
  readonly tokenRefresh: readonly string[];
  readonly rollover: string;
}

/** Hours from midnight to midnight have no open and no close. */
function dailyMoments(calendar: TradingCalendar, times: DailyTimes): readonly DailyMoment[] {
  const refreshes = times.tokenRefresh.map((text) => momentOfDay('token_refresh', text));
  const openUs = calendar.phases[0]?.fromUs ?? 0;
  const closeUs = calendar.phases.at(-1)?.toUs ?? US_PER_DAY;
  const edges: readonly DailyMoment[] =
    openUs === 0 && closeUs === US_PER_DAY
      ? []
      : [
          { kind: 'session_open', timeUs: openUs },
          { kind: 'session_close', timeUs: closeUs },
        ];
  const moments = [...refreshes, momentOfDay('rollover', times.rollover), ...edges];
  // The end of a day comes before what falls on the same midnight and belongs to the next one.
  return moments.toSorted((a, b) => b.timeUs - a.timeUs);
}

function momentOfDay(kind: MomentKind, text: string): DailyMoment {
  const timeUs = parseTimeOfDay(text);
  if (timeUs === undefined)
    throw new Error(`${kind}: expected a time of day like 08:15, was ${JSON.stringify(text)}`);
  return { kind, timeUs };
}
