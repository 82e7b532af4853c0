/**
 * Turns wall-clock moments of the exchange into calls, whatever zone this machine is in. It decides nothing: the phase is
 * computed from time and calendar elsewhere, and a start at 08:47 is in the right phase without having seen an edge.
 */
import { createTask, type ScheduledTask } from 'node-cron';
import { isSession, type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { tsUs, US_PER_DAY, US_PER_MS } from '../../domain/units.ts';
import {
  cronExpression,
  type DailyMoment,
  dailyMoments,
  type DailyTimes,
  type MomentKind,
} from './daily-moments.ts';

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

/** The wall clock is looked at this often: timers stand still in a standby, the exchange does not. */
const LOOK_MS_MAX = 30_000;

/**
 * Cron says when; the waiting is ours. A task that node-cron 4.6 starts itself reads the time through the host's zone, and
 * spins for an hour when its moment falls into the hour that the host lives twice at the end of summer time.
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

/** Nothing on a day without a session. What a standby slept through is still done, but only on its own day. */
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
