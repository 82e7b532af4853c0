import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TradingCalendar } from '../../src/domain/calendar.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import type { Timers } from '../../src/domain/clock.ts';
import { tsUs, US_PER_DAY, US_PER_HOUR, US_PER_MINUTE } from '../../src/domain/units.ts';
import {
  cronSchedule,
  dailyMoments,
  followSessionHours,
  type RunningSchedule,
  type Schedule,
  type ScheduleMoment,
  startSchedule,
  timerSchedule,
} from '../../src/daemon/schedule.ts';
import { watchClock } from '../../src/daemon/clock-watch.ts';
import { SystemClock, systemClock, systemTimers } from '../../src/host/system-clock.ts';
import type { BrokerEdge } from '../../src/daemon/edge/broker-edge.ts';
import type { Config } from '../../src/config/config.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';

const at = (hours: number, minutes: number): number => hours * US_PER_HOUR + minutes * US_PER_MINUTE;

const VIETNAM: TradingCalendar = {
  name: 'vn30f',
  timeZone: 'Asia/Ho_Chi_Minh',
  utcOffsetMinutes: 420,
  weekdays: [1, 2, 3, 4, 5],
  phases: [
    { phase: 'opening_auction', fromUs: at(8, 45), toUs: at(9, 0) },
    { phase: 'continuous', fromUs: at(9, 0), toUs: at(14, 30) },
    { phase: 'closing_auction', fromUs: at(14, 30), toUs: at(14, 45) },
  ],
  // A Wednesday.
  closures: new Set([tradingDay('2026-03-11')]),
  validFrom: tradingDay('2026-01-01'),
  validTo: tradingDay('2026-12-31'),
};

const ZONES = ['America/New_York', 'Europe/Berlin', 'Asia/Ho_Chi_Minh', 'Pacific/Auckland', 'UTC'];

/** What was called, as `day HH:MM kind` of the exchange. */
let fired: string[] = [];
let running: RunningSchedule | undefined;
let timers: VirtualTimers;
/** Microseconds that the clock was set by, or that the machine slept. */
let offsetUs = 0;
let isMaintenanceDue = false;

function setTime(text: string): void {
  timers = new VirtualTimers(new Date(text).getTime() * 1_000);
}

const pass = (hours: number): void => timers.advance(hours * US_PER_HOUR);

const CHECK_US = 5_000_000;

const silent: Schedule = () => () => undefined;

interface Given {
  readonly rollover?: string;
  readonly schedule?: Schedule;
  readonly timers?: Timers;
  readonly now?: () => number;
  readonly onRun?: (moment: ScheduleMoment) => void;
}

function start(
  calendar: TradingCalendar,
  { rollover = '08:20', schedule = silent, ...given }: Given = {},
): void {
  const now = given.now ?? (() => timers.nowUs() + offsetUs);
  const monotonicUs = given.now === undefined ? () => timers.nowUs() : () => performance.now() * 1_000;
  running = startSchedule({
    calendar,
    daily: dailyMoments(calendar, { tokenRefresh: ['08:15', '12:40'], rollover }),
    now: () => ({ atUs: tsUs(now()), monotonicUs: monotonicUs() }),
    timers: given.timers ?? timers,
    schedule,
    isMaintenanceDue: () => isMaintenanceDue,
    run: (moment) => {
      const { kind, day } = moment;
      given.onRun?.(moment);
      if (kind === 'backup_and_report') isMaintenanceDue = false;
      const local = new Date(now() / 1_000 + calendar.utcOffsetMinutes * 60_000).toISOString();
      fired.push(`${day} ${local.slice(11, 16)} ${kind}`);
    },
  });
}

/** Timers without those of the check. */
const unchecked: Timers = {
  after: (span, run) => (span < CHECK_US ? timers.after(span, run) : () => undefined),
};

/** Fires at each moment, and nothing checks. */
const firesAlone: Given = {
  timers: unchecked,
  schedule: (timesUs, fire) => timerSchedule(VIETNAM, timers, timers)(timesUs, fire),
};

const dayOf = (day: string): string[] => [
  `${day} 08:15 token_refresh`,
  `${day} 08:20 rollover`,
  `${day} 08:45 session_open`,
  `${day} 12:40 token_refresh`,
  `${day} 14:45 session_close`,
];

beforeEach(() => {
  fired = [];
  offsetUs = 0;
  isMaintenanceDue = false;
  running = undefined;
  setTime('2026-03-05T08:10:00+07:00');
});

describe.each(ZONES)('on a machine in %s', (zone) => {
  beforeEach(() => {
    vi.stubEnv('TZ', zone);
  });

  // New York changes its clocks on 2026-03-08 and 2026-11-01, Berlin on 03-29 and 10-25, Auckland on 04-05 and 09-27.
  it.each([
    ['2026-03-06T00:00:00+07:00', 5, ['2026-03-06', '2026-03-09', '2026-03-10']],
    ['2026-03-27T00:00:00+07:00', 4, ['2026-03-27', '2026-03-30']],
    ['2026-04-03T00:00:00+07:00', 4, ['2026-04-03', '2026-04-06']],
    ['2026-09-25T00:00:00+07:00', 4, ['2026-09-25', '2026-09-28']],
    ['2026-10-23T00:00:00+07:00', 4, ['2026-10-23', '2026-10-26']],
    ['2026-10-30T00:00:00+07:00', 4, ['2026-10-30', '2026-11-02']],
  ])('keeps the exchange hours from %s for %i days', (from, days, sessions) => {
    setTime(from);
    start(VIETNAM, firesAlone);
    pass(days * 24);
    expect(fired).toEqual(sessions.flatMap(dayOf));
  });

  it('keeps out of a day without a session', () => {
    setTime('2026-03-10T23:59:59+07:00');
    start(VIETNAM, firesAlone);
    pass(48 + 1 / 3_600);
    expect(fired).toEqual(dayOf('2026-03-12'));
  });

  it('gives what falls on midnight to the day that begins, and the end of a day to the day that ends', () => {
    setTime('2026-03-05T23:30:00+07:00');
    start(
      { ...VIETNAM, phases: [{ phase: 'continuous', fromUs: at(1, 0), toUs: US_PER_DAY }] },
      { ...firesAlone, rollover: '00:00' },
    );
    pass(49);
    expect(fired.filter((line) => !line.includes('token'))).toEqual([
      '2026-03-05 00:00 session_close',
      '2026-03-06 00:00 rollover',
      '2026-03-06 01:00 session_open',
      '2026-03-06 00:00 session_close',
    ]);
  });
});

it('says nothing of open and close where trading never ends', () => {
  setTime('2026-03-06T00:00:01+07:00');
  start({ ...VIETNAM, phases: [{ phase: 'continuous', fromUs: 0, toUs: US_PER_DAY }] });
  pass(24);
  expect(fired).toEqual([
    '2026-03-06 08:15 token_refresh',
    '2026-03-06 08:20 rollover',
    '2026-03-06 12:40 token_refresh',
  ]);
});

it('does late what a standby slept through, once, and not on another day', () => {
  start(VIETNAM);
  pass(0);
  // Timers stand still in a standby, the exchange does not.
  offsetUs = at(1, 50);
  pass(1);
  expect(fired.map((line) => line.slice(17))).toEqual(['token_refresh', 'rollover', 'session_open']);
  fired = [];
  offsetUs = at(16, 50);
  pass(5);
  expect(fired).toEqual([]);
});

describe('a clock that jumps', () => {
  it.each([0.1, 1, 5])('%d hours back does nothing twice', (hours) => {
    setTime('2026-03-05T08:00:00+07:00');
    start(VIETNAM);
    pass(1);
    offsetUs = -hours * US_PER_HOUR;
    pass(16);
    expect(fired.map((line) => line.slice(17))).toEqual(dayOf('2026-03-05').map((line) => line.slice(17)));
  });

  it('back before its own start does what comes then', () => {
    setTime('2026-03-05T10:00:00+07:00');
    start(VIETNAM);
    offsetUs = -at(2, 0);
    pass(1);
    expect(fired.map((line) => line.slice(17))).toEqual(['token_refresh', 'rollover', 'session_open']);
  });
});

/** Fires for each time long before, just before, twice at, just after and long after it. */
const noisy: Schedule = (timesUs, fire) => {
  const offsets = [-at(1, 0), -1_000_000, 0, 0, 7_000_000, at(0, 50)];
  const times = timesUs.flatMap((us) => offsets.map((offset) => (us + offset + US_PER_DAY) % US_PER_DAY));
  return timerSchedule(VIETNAM, timers, timers)(times, fire);
};

describe.each([
  ['only the check', silent, true],
  ['fires that are early, late and doubled', noisy, false],
  ['both', noisy, true],
])('with %s', (_, schedule, isChecked) => {
  const begin = (): void => start(VIETNAM, { schedule, timers: isChecked ? timers : unchecked });

  it('does each job of a day once', () => {
    begin();
    pass(39);
    expect(fired).toEqual([...dayOf('2026-03-05'), ...dayOf('2026-03-06')]);
  });

  // Under the wrong clock for a minute.
  it.each([
    ['ahead and back', [US_PER_DAY, 0]],
    ['back and ahead', [-US_PER_DAY, 0]],
    ['ahead, back and ahead again', [US_PER_DAY, 0, US_PER_DAY, 0]],
    ['back, ahead and far ahead', [-US_PER_DAY, 0, 2 * US_PER_DAY, 0]],
  ])('a clock that leaps a day %s has each job of this day and of the next done once', (_, offsets) => {
    begin();
    pass(1);
    expect(fired).toEqual(dayOf('2026-03-05').slice(0, 3));
    for (const offset of offsets) {
      offsetUs = offset;
      pass(1 / 60);
      running?.clockStepped();
    }
    fired = [];
    pass(48);
    expect(fired).toEqual([...dayOf('2026-03-05').slice(3), ...dayOf('2026-03-06')]);
  });
});

it('does a job within 5 s of its moment while nobody fires', () => {
  setTime('2026-03-05T08:10:06.234+07:00');
  const lateUs: number[] = [];
  start(VIETNAM, { onRun: ({ atUs }) => lateUs.push(timers.nowUs() - atUs) });
  pass(12);
  expect(fired).toEqual(dayOf('2026-03-05'));
  expect(Math.max(...lateUs)).toBeLessThanOrEqual(5_000_000);
  expect(running?.jobs().last?.by).toBe('check');
});

it('asks at once when the clock was set', () => {
  start(VIETNAM);
  pass(0);
  offsetUs = at(0, 6);
  running?.clockStepped();
  expect(fired).toEqual(['2026-03-05 08:16 token_refresh']);
  expect(running?.jobs().last?.by).toBe('clock step');
});

it('begins the care of the day when it is due, whatever the time', () => {
  isMaintenanceDue = true;
  start(VIETNAM);
  pass(0);
  expect(running?.jobs().last).toEqual({
    kind: 'backup_and_report',
    at: '2026-03-05T08:10:00.000',
    by: 'start',
  });
  pass(6.75);
  isMaintenanceDue = true;
  pass(5 / 3_600);
  expect(fired.filter((line) => line.endsWith('report'))).toHaveLength(2);
  expect(fired.at(-1)).toBe('2026-03-05 14:55 backup_and_report');
});

it('fires the work after a close no more once it was begun', () => {
  setTime('2026-03-05T14:40:00+07:00');
  start(VIETNAM);
  pass(0.1);
  isMaintenanceDue = true;
  pass(5 / 3_600);
  expect(running?.jobs()).toMatchObject({
    next: [{ kind: 'token_refresh', at: '2026-03-06T08:15:00.000' }, {}, {}, {}, {}, {}],
    last: { kind: 'backup_and_report', at: '2026-03-05T14:46:05.000' },
  });
});

it('lists the next jobs', () => {
  setTime('2026-03-06T14:40:00+07:00');
  start(VIETNAM);
  expect(running?.jobs()).toEqual({
    next: [
      { kind: 'session_close', at: '2026-03-06T14:45:00.000' },
      { kind: 'backup_and_report', at: '2026-03-06T15:00:00.000' },
      { kind: 'token_refresh', at: '2026-03-09T08:15:00.000' },
      { kind: 'rollover', at: '2026-03-09T08:20:00.000' },
      { kind: 'session_open', at: '2026-03-09T08:45:00.000' },
      { kind: 'token_refresh', at: '2026-03-09T12:40:00.000' },
    ],
    last: null,
  });
});

const hours = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 3_600_000);
const setWall = (byMs: number): unknown => vi.setSystemTime(Date.now() + byMs);
const monotonicMs = (): number => performance.now();
const DAY_MS = US_PER_DAY / 1_000;

/** The two forms of the port. */
const SCHEDULES = {
  cron: () => cronSchedule(VIETNAM),
  timer: (clock: SystemClock) => timerSchedule(VIETNAM, clock, systemTimers),
};

describe.each(['cron', 'timer'] as const)('a schedule by %s', (form) => {
  let clock: SystemClock;
  let secondsOfJobs: number[] = [];

  /** Fake timers of the test; those of the check fire if `isChecked`. */
  const begin = (isChecked: boolean): void =>
    start(VIETNAM, {
      schedule: SCHEDULES[form](clock),
      timers: {
        after: (span, run) =>
          isChecked || span < CHECK_US ? systemTimers.after(span, run) : () => undefined,
      },
      now: () => clock.nowUs(),
      onRun: () => secondsOfJobs.push(new Date().getUTCSeconds()),
    });

  beforeEach(() => {
    secondsOfJobs = [];
    vi.useFakeTimers({
      now: new Date('2026-03-05T08:10:02.345+07:00'),
      toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    });
    clock = new SystemClock({ wallMs: () => Date.now(), monotonicMs, uptimeMs: monotonicMs });
  });

  afterEach(() => {
    running?.stop();
    vi.useRealTimers();
  });

  it.each(ZONES)('alone carries a day to the second on a machine in %s', async (zone) => {
    vi.stubEnv('TZ', zone);
    // As far as wall clock and monotonic time may differ and agree all the same.
    setWall(19);
    begin(false);
    await hours(20);
    expect(fired).toEqual(dayOf('2026-03-05'));
    expect(new Set(secondsOfJobs)).toEqual(new Set([0]));
    expect(running?.jobs().last?.by).toBe(form);
  });

  it('is silent once it is stopped, in the middle of a fire too', async () => {
    begin(true);
    running?.clockStepped();
    vi.advanceTimersByTime(297_655);
    expect(new Date().toISOString()).toBe('2026-03-05T01:15:00.000Z');
    running?.stop();
    await hours(24);
    expect([fired, vi.getTimerCount()]).toEqual([[], 0]);
  });

  describe.each([
    ['ahead and back', DAY_MS],
    ['back and ahead', -DAY_MS],
  ])('after a leap of a day %s', (_, byMs) => {
    const leap = async (): Promise<void> => {
      await hours(1);
      setWall(byMs);
      await hours(8);
      setWall(-byMs);
      await hours(1);
    };

    it('is set up again and goes on alone', async () => {
      begin(false);
      const stopWatch = watchClock({
        clock,
        timers: systemTimers,
        session: () => undefined,
        skewUs: () => 0,
        onStep: () => undefined,
        onSet: () => running?.clockStepped(),
        alert: () => undefined,
      });
      await leap();
      await hours(22);
      stopWatch();
      expect(fired).toEqual([...dayOf('2026-03-05'), ...dayOf('2026-03-06')]);
      expect(new Set(secondsOfJobs)).toEqual(new Set([0]));
    });

    it('is carried by the check where it is not set up again', async () => {
      begin(true);
      await leap();
      await hours(22);
      expect(fired).toEqual([...dayOf('2026-03-05'), ...dayOf('2026-03-06')]);
    });
  });
});

const idle = (): void => undefined;

describe('the jobs of a market', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      now: new Date('2026-08-01T20:00:00+07:00'),
      toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    });
    systemClock.restart();
  });

  afterEach(() => {
    vi.useRealTimers();
    systemClock.restart();
  });

  // A Saturday on the wall, a session in the market.
  it.each([60, 1, 0.5])('at speed %d are those of its own day', async (speed) => {
    const originMarketUs = new Date('2026-03-05T08:16:02+07:00').getTime() * 1_000;
    const clockMap = { originRealUs: systemClock.nowUs(), originMarketUs, speed };
    const edge = {
      tokens: { refresh: idle, checkClose: idle, refreshDueUs: idle, onChange: () => idle },
      stream: { resume: () => fired.push('open') },
      reports: { read: (what: string) => fired.push(what) },
    } as unknown as BrokerEdge;
    const config = { calendar: VIETNAM, schedule: { tokenRefresh: ['08:15'], rollover: '08:20' } };
    running = followSessionHours(
      { config: config as unknown as Config, clockMap },
      edge,
      () => fired.push('rollover'),
      undefined,
    );
    await hours(9 / speed);
    expect(fired).toEqual(['contracts', 'rollover', 'open', 'book']);
    expect(running.jobs()).toMatchObject({
      next: [{ kind: 'token_refresh', at: '2026-03-06T08:15:00.000' }, {}, {}, {}, {}],
      last: { kind: 'session_close', by: 'timer' },
    });
    running.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('refuses a time of day that is none', () => {
  expect(() => start(VIETNAM, { rollover: '8:20' })).toThrow(
    'rollover: expected a time of day like 08:15, was "8:20"',
  );
});
