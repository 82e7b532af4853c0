/**
 * Calls the edge at wall-clock moments of the exchange, whatever the zone of this machine. No decision depends on it: the phase is
 * computed from time and calendar, so a start at 08:47 is in the right phase without having seen the open.
 */
import { parseTimeOfDay } from '../../text/dates.ts';
import { createTask, type ScheduledTask } from 'node-cron';
import type { Config } from '../../config/config.ts';
import { isSession, type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { tsUs, US_PER_DAY, US_PER_MS, US_PER_SECOND } from '../../domain/units.ts';
import { systemTimers } from '../host/market-clock.ts';
import { systemClock } from '../host/system-clock.ts';
import type { BrokerEdge } from './broker-edge.ts';
import { watchToken } from './token-watch.ts';

/**
 * Renews the token in time, reads the contract list before the session, reconnects at the open, reads the book after the close.
 * Returns how to stop. Cron follows the wall clock, so scaled market time has only the token.
 */
export function followSessionHours(config: Config, edge: BrokerEdge, rollover: () => void): () => void {
  const stopWatch = watchToken({ tokens: edge.tokens, clock: systemClock, timers: systemTimers });
  if (config.simulator.speed !== 1) return stopWatch;
  const schedule = startSchedule({
    calendar: config.calendar,
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
  readonly run: (moment: ScheduleMoment) => void;
}

export interface RunningSchedule {
  stop(): void;
}

interface Job {
  readonly moment: DailyMoment;
  readonly task: ScheduledTask;
  nextMs: number;
}

/** The wall clock is read at least this often: timers stop while the machine sleeps, the exchange does not. */
const LOOK_MS_MAX = 30_000;

/**
 * Takes only the next moment from cron and waits itself: a task that node-cron 4.6 starts reads the time through the host's zone,
 * and spins for an hour when its moment falls into the hour that the end of summer time repeats.
 */
export function startSchedule(options: ScheduleOptions): RunningSchedule {
  const { calendar } = options;
  const jobs: readonly Job[] = dailyMoments(calendar, options).map((moment) => {
    const task = createTask(cronExpression(moment), () => undefined, { timezone: calendar.timeZone });
    return { moment, task, nextMs: nextOf(task) };
  });
  let timer = setTimeout(look, 0);

  function look(): void {
    const now = Date.now();
    const due = jobs.filter(({ nextMs }) => nextMs <= now).toSorted((a, b) => a.nextMs - b.nextMs);
    const moments = due.flatMap((job) => {
      const slotMs = job.nextMs;
      job.nextMs = nextOf(job.task);
      return momentAt(job.moment, slotMs, now, calendar);
    });
    const nextMs = Math.min(...jobs.map((job) => job.nextMs));
    timer = setTimeout(look, Math.min(LOOK_MS_MAX, Math.max(0, nextMs - now)));
    for (const moment of moments) options.run(moment);
  }

  return {
    stop: () => {
      clearTimeout(timer);
      for (const { task } of jobs) void task.destroy();
    },
  };
}

function nextOf(task: ScheduledTask): number {
  const [next] = task.getNextRuns(1);
  if (next === undefined) throw new Error(`cron ${task.getPattern()}: expected a next run`);
  return next.getTime();
}

/** Empty on a day without a session. A moment missed in standby is made up for, but only on its own day. */
function momentAt(
  { kind, timeUs }: DailyMoment,
  slotMs: number,
  nowMs: number,
  calendar: TradingCalendar,
): readonly ScheduleMoment[] {
  // The end of a day belongs to that day; cron calls it by the next one.
  const backMs = timeUs === US_PER_DAY ? 1 : 0;
  const dayOf = (ms: number): TradingDay => tradingDayAt(calendar, tsUs(ms * US_PER_MS));
  const day = dayOf(slotMs - backMs);
  const isLate = dayOf(nowMs) !== dayOf(slotMs);
  return isLate || !isSession(calendar, day) ? [] : [{ kind, day }];
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
  return moments.toSorted((a, b) => (a.timeUs % US_PER_DAY) - (b.timeUs % US_PER_DAY) || b.timeUs - a.timeUs);
}

function momentOfDay(kind: MomentKind, text: string): DailyMoment {
  const timeUs = parseTimeOfDay(text);
  if (timeUs === undefined)
    throw new Error(`${kind}: expected a time of day like 08:15, was ${JSON.stringify(text)}`);
  return { kind, timeUs };
}

/** The moment in cron's syntax: second, minute, hour of every day. The end of the day is the next midnight. */
function cronExpression({ timeUs }: DailyMoment): string {
  const seconds = Math.floor((timeUs % US_PER_DAY) / US_PER_SECOND);
  return `${seconds % 60} ${Math.floor(seconds / 60) % 60} ${Math.floor(seconds / 3600)} * * *`;
}
