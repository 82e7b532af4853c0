import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type TradingCalendar } from '../../../src/domain/calendar.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import type { Clock } from '../../../src/domain/clock.ts';
import { tsUs, US_PER_DAY, US_PER_HOUR, US_PER_MINUTE } from '../../../src/domain/units.ts';
import { type RunningSchedule, startSchedule } from '../../../src/app/edge/schedule.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

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
let told: string[] = [];
let running: RunningSchedule | undefined;
let timers: VirtualTimers;
/** Microseconds that the clock was set by, or that the machine slept. */
let offsetUs = 0;

const clock: Clock = { nowUs: () => tsUs(timers.nowUs() + offsetUs) };

function setTime(text: string): void {
  timers = new VirtualTimers(new Date(text).getTime() * 1_000);
}

const pass = (hours: number): void => timers.advance(hours * US_PER_HOUR);

function start(calendar: TradingCalendar, rollover = '08:20'): void {
  running = startSchedule({
    calendar,
    clock,
    timers,
    tokenRefresh: ['08:15', '12:40'],
    rollover,
    run: ({ kind, day }) => {
      const local = new Date(clock.nowUs() / 1_000 + calendar.utcOffsetMinutes * 60_000).toISOString();
      told.push(`${day} ${local.slice(11, 16)} ${kind}`);
    },
  });
}

const dayOf = (day: string): string[] => [
  `${day} 08:15 token_refresh`,
  `${day} 08:20 rollover`,
  `${day} 08:45 session_open`,
  `${day} 12:40 token_refresh`,
  `${day} 14:45 session_close`,
];

beforeEach(() => {
  told = [];
  offsetUs = 0;
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
    start(VIETNAM);
    pass(days * 24);
    expect(told).toEqual(sessions.flatMap(dayOf));
  });

  it('keeps out of a day without a session', () => {
    setTime('2026-03-10T23:59:59+07:00');
    start(VIETNAM);
    pass(48 + 1 / 3_600);
    expect(told).toEqual(dayOf('2026-03-12'));
  });

  it('gives what falls on midnight to the day that begins, and the end of a day to the day that ends', () => {
    setTime('2026-03-05T23:30:00+07:00');
    start({ ...VIETNAM, phases: [{ phase: 'continuous', fromUs: at(1, 0), toUs: US_PER_DAY }] }, '00:00');
    pass(49);
    expect(told.filter((line) => !line.includes('token'))).toEqual([
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
  expect(told).toEqual([
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
  expect(told.map((line) => line.slice(17))).toEqual(['token_refresh', 'rollover', 'session_open']);
  told = [];
  offsetUs = at(16, 50);
  pass(5);
  expect(told).toEqual([]);
});

describe('a clock that jumps', () => {
  it('a day ahead for a minute loses no job of this day or of the next', () => {
    start(VIETNAM);
    pass(1);
    offsetUs = US_PER_DAY;
    pass(1 / 60);
    offsetUs = 0;
    told = [];
    pass(48);
    expect(told).toEqual([...dayOf('2026-03-05').slice(3), ...dayOf('2026-03-06')]);
  });

  it.each([0.1, 1, 5])('%d hours back does nothing twice', (hours) => {
    setTime('2026-03-05T08:00:00+07:00');
    start(VIETNAM);
    pass(1);
    offsetUs = -hours * US_PER_HOUR;
    pass(16);
    expect(told.map((line) => line.slice(17))).toEqual(dayOf('2026-03-05').map((line) => line.slice(17)));
  });

  it('back before its own start does what comes then', () => {
    setTime('2026-03-05T10:00:00+07:00');
    start(VIETNAM);
    offsetUs = -at(2, 0);
    pass(1);
    expect(told.map((line) => line.slice(17))).toEqual(['token_refresh', 'rollover', 'session_open']);
  });
});

it('is silent once it is stopped', () => {
  start(VIETNAM);
  running?.stop();
  pass(24);
  expect(told).toEqual([]);
});

it('refuses a time of day that is none', () => {
  expect(() => start(VIETNAM, '8:20')).toThrow('rollover: expected a time of day like 08:15, was "8:20"');
});
