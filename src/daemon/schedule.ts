/**
 * The jobs of the exchange's day, whatever the zone of this machine. Cron, timers and a check only ask, and `dueMoments` decides what is due:
 * a fire that is early, late, doubled or missed changes nothing. No decision depends on it: the phase is computed from time and calendar, so
 * a start at 08:47 is in the right phase without having seen the open.
 */
import { schedule as cron } from 'node-cron';
import { formatLocalTime, parseTimeOfDay } from '../text/dates.ts';
import type { Config } from '../config/config.ts';
import { isSession, sessionAfter, type TradingCalendar, tradingDayAt } from '../domain/calendar.ts';
import { addDays, momentOf, timeOfDayUs, type TradingDay } from '../domain/civil-date.ts';
import type { CancelTimer, Clock, ClockMap, Timers } from '../domain/clock.ts';
import {
  addUs,
  durationUs,
  hours,
  minutes,
  seconds,
  type TsUs,
  US_PER_DAY,
  US_PER_MS,
} from '../domain/units.ts';
import { createMarketClock, systemClock, systemTimers } from '../host/system-clock.ts';
import type { BrokerEdge } from './edge/broker-edge.ts';
import { followTokenPlan } from './token-watch.ts';

/** Fires near each of these times of the exchange's day, counted from midnight, until it is canceled. */
export type Schedule = (timesUs: readonly number[], fire: (by: 'cron' | 'timer') => void) => CancelTimer;

/** Follows the wall clock. Missed fires have no listener: a leap of that clock makes thousands. */
export const cronSchedule =
  ({ timeZone }: TradingCalendar): Schedule =>
  (timesUs, fire) => {
    const options = { timezone: timeZone, suppressMissedWarning: true };
    const tasks = timesUs.map((us) => {
      const at = new Date(us / US_PER_MS);
      const daily = `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
      // A fire that is under way when its task is destroyed comes all the same.
      return cron(daily, ({ task }) => void (task?.getStatus() === 'destroyed' || fire('cron')), options);
    });
    return () => tasks.forEach((task) => void task.destroy());
  };

/** Follows a clock that is not the wall's: a market of another day or speed, or virtual time. */
export const timerSchedule =
  ({ utcOffsetMinutes }: TradingCalendar, clock: Clock, timers: Timers, speed = 1): Schedule =>
  (timesUs, fire) => {
    let cancel: CancelTimer;
    const arm = (): void => {
      const now = timeOfDayUs(clock.nowUs(), utcOffsetMinutes);
      const waits = timesUs.map((us) => (us > now ? us - now : us - now + US_PER_DAY));
      cancel = timers.after(durationUs(Math.ceil(Math.min(US_PER_DAY, ...waits) / speed)), () => {
        arm();
        fire('timer');
      });
    };
    arm();
    return () => cancel();
  };

/** Backup and report of the day, among others. */
export interface DailyMaintenance {
  isDue(): boolean;
  begin(): void;
}

/**
 * Renews the token in time, reads the contract list before the session, reconnects at the open, reads the book after the close, has the
 * day backed up and reported. In market time: node-cron fires where that is the wall clock's.
 */
export function followSessionHours(
  { config, clockMap, schedule }: { config: Config; clockMap: ClockMap; schedule?: Schedule },
  edge: BrokerEdge,
  rollover: () => void,
  maintenance: DailyMaintenance | undefined,
): RunningSchedule {
  const { calendar } = config;
  const { speed } = clockMap;
  const clock = createMarketClock(clockMap);
  const isWallTime = speed === 1 && Math.abs(clock.nowUs() - systemClock.nowUs()) < FIRE_SLIP;
  const stopWatch = followTokenPlan({ tokens: edge.tokens, clock: systemClock, timers: systemTimers });
  const jobs: Readonly<Record<DailyMoment['kind'], () => unknown>> = {
    token_refresh: () => edge.tokens.refresh('scheduled'),
    rollover: () => {
      edge.reports.read('contracts');
      rollover();
    },
    session_open: () => {
      edge.tokens.checkClose();
      edge.stream.resume();
    },
    session_close: () => edge.reports.read('book'),
    backup_and_report: () => maintenance?.begin(),
  };
  const running = startSchedule({
    calendar,
    daily: dailyMoments(calendar, config.schedule),
    // Jobs and start may seem younger than they are, never older: a tape at speed waits now and then.
    now: () => ({ atUs: clock.nowUs(), monotonicUs: performance.now() * US_PER_MS * Math.min(1, speed) }),
    timers: systemTimers,
    schedule:
      schedule ?? (isWallTime ? cronSchedule(calendar) : timerSchedule(calendar, clock, systemTimers, speed)),
    isMaintenanceDue: () => maintenance?.isDue() === true,
    run: ({ kind }) => void jobs[kind](),
  });
  const stop = (): void => {
    running.stop();
    stopWatch();
  };
  return { ...running, stop };
}

/** Market time, and a time that cannot be set. */
interface Now {
  readonly atUs: TsUs;
  readonly monotonicUs: number;
}

export interface ScheduleMoment extends Pick<DailyMoment, 'kind'> {
  readonly day: TradingDay;
  readonly atUs: TsUs;
}

export interface ScheduleOptions {
  readonly calendar: TradingCalendar;
  readonly daily: readonly DailyMoment[];
  readonly now: () => Now;
  readonly timers: Timers;
  readonly schedule: Schedule;
  readonly isMaintenanceDue: () => boolean;
  readonly run: (moment: ScheduleMoment) => void;
}

type FiredBy = Parameters<Parameters<Schedule>[1]>[0] | 'start' | 'check' | 'clock step';
/** `at`: local time of the exchange. */
type ScheduledJob = Pick<DailyMoment, 'kind'> & { readonly at: string };

export interface RunningSchedule {
  readonly jobs: () => {
    readonly next: readonly ScheduledJob[];
    readonly last: (ScheduledJob & { by: FiredBy }) | null;
  };
  /** The wall clock was set, or the machine slept. */
  readonly clockStepped: () => void;
  readonly stop: () => void;
}

const JOBS_SHOWN = 2;

export function jobsText({ next, last }: ReturnType<RunningSchedule['jobs']>): string {
  const [done, ...coming] = [last, ...next.slice(0, JOBS_SHOWN)].map((job) =>
    job === null ? 'none yet' : `${job.kind} ${job.at.slice(5, 16)}`.replaceAll(/[_T]/g, ' '),
  );
  const isTimed = last?.by === 'cron' || last?.by === 'timer';
  const by = last === null ? '' : isTimed ? ', at its time' : ', caught up by a check';
  return `next ${coming.join(', ') || 'none'}; last ${done}${by}`;
}

/** A safety net below cron and timers: they pause while the machine sleeps, the exchange does not. */
const CHECK_EVERY = seconds(5);
/** The wall clock may be ahead of ours by less than this while the two agree. */
const FIRE_SLIP = seconds(0.05);

/** Calls for each moment of a session once, also when it is seen late, on its own day, because the machine slept. */
export function startSchedule(options: ScheduleOptions): RunningSchedule {
  const { calendar, daily, now, timers, schedule, run } = options;
  const timesUs = [...new Set(daily.map(({ timeUs }) => timeUs % US_PER_DAY))];
  const begun = now();
  const done = new Map<string, number>();
  const local = (us: TsUs): string => formatLocalTime(us, calendar.utcOffsetMinutes);
  let last: ReturnType<RunningSchedule['jobs']>['last'] = null;
  let cancelFire: CancelTimer | undefined;
  let cancelCheck = timers.after(seconds(0), () => check('start'));
  let cancelFires = schedule(timesUs, fire);

  function check(by: FiredBy): void {
    cancelCheck = timers.after(CHECK_EVERY, () => check('check'));
    runDue(by);
  }

  /** Not at once: what fires must not catch errors of a job. */
  function fire(by: FiredBy): void {
    cancelFire?.();
    cancelFire = timers.after(FIRE_SLIP, () => runDue(by));
  }

  function runDue(by: FiredBy): void {
    const at = now();
    for (const [name, doneUs] of done) if (doneUs < at.monotonicUs - 2 * US_PER_DAY) done.delete(name);
    const due = dueMoments(
      { calendar, daily, begun, done, isMaintenanceDue: options.isMaintenanceDue() },
      at,
    );
    for (const moment of due) {
      done.set(nameOf(moment), at.monotonicUs);
      last = { kind: moment.kind, at: local(at.atUs), by };
      run(moment);
    }
  }

  return {
    jobs: () => {
      const at = now();
      const next = undoneMoments({ ...options, done }, at).filter(({ atUs }) => atUs > at.atUs);
      return { next: next.slice(0, daily.length).map(({ kind, atUs }) => ({ kind, at: local(atUs) })), last };
    },
    clockStepped: () => {
      cancelFires();
      cancelFires = schedule(timesUs, fire);
      runDue('clock step');
    },
    stop: () => {
      cancelCheck();
      cancelFire?.();
      cancelFires();
    },
  };
}

/** `done` has the monotonic time of each job that was done. */
type DoneJobs = Pick<ScheduleOptions, 'calendar' | 'daily'> & { done: ReadonlyMap<string, number> };

/** A job done earlier before its moment than this was done under a wrong clock, and is still to come. */
const WRONG_AHEAD_US = hours(6);

/** Moments that are due by the present clock; it also dates the start and each job that was done. */
function dueMoments(
  state: DoneJobs & { begun: Now; isMaintenanceDue: boolean },
  at: Now,
): readonly ScheduleMoment[] {
  const { calendar, begun, isMaintenanceDue } = state;
  const { atUs: now } = at;
  const begunUs = Math.min(begun.atUs, now - (at.monotonicUs - begun.monotonicUs));
  const day = tradingDayAt(calendar, now);
  const undone = undoneMoments(state, at);
  const due = undone.filter(
    ({ kind, atUs }) =>
      kind !== MAINTENANCE && atUs > begunUs && atUs <= now && tradingDayAt(calendar, atUs) === day,
  );
  if (!isMaintenanceDue) return due;
  const ofClose = undone.find(
    ({ kind, atUs }) => kind === MAINTENANCE && Math.abs(atUs - now) <= CLOSE_READS_MAX,
  );
  return [...due, ofClose ?? { kind: MAINTENANCE, day, atUs: now }];
}

const nameOf = ({ kind, atUs }: ScheduleMoment): string => `${kind} ${atUs}`;

/** Moments of the days before, of and after now, in order. */
function undoneMoments({ daily, calendar, done }: DoneJobs, { atUs: now, monotonicUs }: Now) {
  const today = tradingDayAt(calendar, now);
  return [addDays(today, -1), today, sessionAfter(calendar, today)]
    .filter((day) => isSession(calendar, day))
    .flatMap((day) => {
      const midnight = momentOf(day, 0, calendar.utcOffsetMinutes);
      return daily.map(({ kind, timeUs }) => ({ kind, day, atUs: addUs(midnight, timeUs) }));
    })
    .filter((each) => monotonicUs - (done.get(nameOf(each)) ?? -Infinity) > now - each.atUs + WRONG_AHEAD_US)
    .toSorted((a, b) => a.atUs - b.atUs);
}

/** The books come within minutes of the close; a report that waits for longer would not be missed before the night. */
export const CLOSE_READS_MAX = minutes(15);
/** Due when the reads of the close are in; its moment is the latest. */
const MAINTENANCE = 'backup_and_report';

/** A moment of every session, counted from the exchange's midnight. */
interface DailyMoment {
  readonly kind: 'token_refresh' | 'rollover' | 'session_open' | 'session_close' | typeof MAINTENANCE;
  readonly timeUs: number;
}

/** Hours from midnight to midnight have no open and no close. */
export function dailyMoments(
  calendar: TradingCalendar,
  times: Pick<Config['schedule'], 'tokenRefresh' | 'rollover'>,
): readonly DailyMoment[] {
  const refreshes = times.tokenRefresh.map((text) => momentOfDay('token_refresh', text));
  const moments = [...refreshes, momentOfDay('rollover', times.rollover)];
  const [openUs, closeUs] = [calendar.phases[0]?.fromUs ?? 0, calendar.phases.at(-1)?.toUs ?? US_PER_DAY];
  if (openUs === 0 && closeUs === US_PER_DAY) return moments;
  return [
    ...moments,
    { kind: 'session_open', timeUs: openUs },
    { kind: 'session_close', timeUs: closeUs },
    { kind: MAINTENANCE, timeUs: closeUs + CLOSE_READS_MAX },
  ];
}

function momentOfDay(kind: DailyMoment['kind'], text: string): DailyMoment {
  const timeUs = parseTimeOfDay(text);
  if (timeUs === undefined)
    throw new Error(`${kind}: expected a time of day like 08:15, was ${JSON.stringify(text)}`);
  return { kind, timeUs };
}
