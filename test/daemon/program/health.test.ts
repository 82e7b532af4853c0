import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/host/system-clock.ts';
import type { Daemon } from '../../../src/daemon/daemon.ts';
import { healthOf, healthProblem, problemsFor } from '../../../src/daemon/program/status.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { US_PER_HOUR, US_PER_SECOND } from '../../../src/domain/units.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

/** The parts of a daemon that its health is read from. */
const daemonWith = (parts: Partial<Record<keyof Daemon, unknown>>): Daemon =>
  ({
    journal: { isFailing: false },
    sessionDay: '2026-03-04',
    halt: { reason: null },
    cycle: { session: null, degraded: null },
    lastProgramProblem: null,
    alerting: { state: { channels: [] } },
    refreshView: () => Promise.resolve({}),
    ...parts,
  }) as unknown as Daemon;

describe('/healthz', () => {
  test('is true while engine and journal answer, and before the first session', async () => {
    expect(await healthOf(daemonWith({}))).toEqual({ ok: true, reason: '' });
    expect(await healthOf(daemonWith({ sessionDay: undefined }))).toEqual({ ok: true, reason: '' });
  });

  test('is false while the journal fails, and while a lost engine is not back', async () => {
    expect(await healthOf(daemonWith({ journal: { isFailing: true } }))).toMatchObject({ ok: false });
    const degraded = 'the engine is being rebuilt';
    expect(await healthOf(daemonWith({ sessionDay: undefined, cycle: { degraded } }))).toEqual({
      ok: false,
      reason: degraded,
    });
  });

  test('is false when the engine thread does not answer in time, and says for how long it was asked', async () => {
    vi.useFakeTimers();
    try {
      const health = healthOf(daemonWith({ refreshView: () => new Promise(() => undefined) }));
      await vi.advanceTimersByTimeAsync(3_000);
      expect(await health).toEqual({ ok: false, reason: 'the engine has not answered for 3 s' });
    } finally {
      vi.useRealTimers();
    }
  });
});

test('/healthz is false at once where the engine has been silent for seconds', async () => {
  const viewedUs = systemClock.nowUs() - 7 * US_PER_SECOND;
  const { ok, reason } = await healthOf(daemonWith({ viewedUs, lastView: {} }));
  expect([ok, reason]).toEqual([false, 'the engine has not answered for 7 s']);
});

const edge = (state: string, isStale: boolean, token: object | undefined) => ({
  stream: { status: () => ({ state, isStale }) },
  tokens: { current: () => token },
});

const VIEW = { unproven: null, stopsUnproven: null, money: { state: 'agreed' }, halted: null };

/** A daemon with which all is well, at an hour of a trading day. */
const wellAt = (hour: number, parts: Partial<Record<keyof Daemon, unknown>> = {}): Daemon =>
  daemonWith({
    clock: { nowUs: () => momentOf(tradingDay('2026-03-04'), hour * US_PER_HOUR, 420) },
    config: { calendar: MARKET_CALENDAR },
    viewedUs: systemClock.nowUs(),
    lastView: VIEW,
    clockProblem: null,
    edge: edge('live', false, {}),
    ...parts,
  });

describe('the dead man’s switch', () => {
  test.each([
    ['in the morning', 10],
    ['at noon', 12],
    ['at night', 3],
  ])('is held while all is well, %s', (_, hour) => {
    expect(healthProblem(wellAt(hour))).toBeNull();
  });

  test('is held over a halt by a person', () => {
    expect(healthProblem(wellAt(10, { lastView: { ...VIEW, halted: 'lunch' } }))).toBeNull();
  });

  const late = { viewedUs: systemClock.nowUs() - 60 * US_PER_SECOND };

  test.each<[what: string, parts: Partial<Record<keyof Daemon, unknown>>, problem: string]>([
    ['the journal fails', { journal: { isFailing: true } }, 'the journal cannot be written'],
    ['the engine hangs', late, 'the engine does not answer'],
    ['a lost engine is not back', { cycle: { degraded: 'the engine is gone' } }, 'the engine is gone'],
    ['it is gone until the next day', { cycle: { degraded: 'gone' }, sessionDay: undefined }, 'gone'],
    ['the wall clock was set', { clockProblem: 'the clock was set' }, 'the clock was set'],
  ])('is let go at any hour: %s', (_, parts, problem) => {
    expect(healthProblem(wellAt(10, parts))).toBe(problem);
    expect(healthProblem(wellAt(3, parts))).toBe(problem);
  });

  test.each<[what: string, parts: Partial<Record<keyof Daemon, unknown>>, problem: string]>([
    ['no session', { sessionDay: undefined }, 'no session is open'],
    ['no stream', { edge: edge('waiting_for_token', false, {}) }, 'the price stream is waiting for token'],
    ['no prices', { edge: edge('live', true, {}) }, 'no prices come'],
    ['no token', { edge: edge('live', false, undefined) }, 'there is no token'],
    ['no answer yet', { lastView: undefined }, 'the engine has not answered yet'],
    [
      'positions without proof',
      { lastView: { ...VIEW, unproven: 'not read' } },
      'positions are not proven: not read',
    ],
    [
      'a stop without proof',
      { lastView: { ...VIEW, stopsUnproven: 'H.1 is not shown' } },
      'stops are not proven: H.1 is not shown',
    ],
    [
      'other money',
      { lastView: { ...VIEW, money: { state: 'differs' } } },
      'money differs from the broker’s',
    ],
  ])('is let go in trading hours alone: %s', (_, parts, problem) => {
    expect(healthProblem(wellAt(10, parts))).toBe(problem);
    expect(healthProblem(wellAt(3, parts))).toBeNull();
  });
});

const firstOf = (hour: number, parts: Partial<Record<keyof Daemon, unknown>>) =>
  problemsFor('entries', wellAt(hour, parts))[0];

const withChannels = (...troubles: readonly (string | null)[]) => {
  const channels = troubles.map((trouble, at) => ({ id: `channel-${at}`, trouble }));
  return { alerting: { state: { channels } } };
};

test('the dead man’s switch is let go at any hour, and the page says so, where no channel delivers; entries go on', () => {
  const all = wellAt(3, withChannels('HTTP 500', 'HTTP 502'));
  const problem = 'no channel delivers: messages reach nobody';
  expect(healthProblem(all)).toBe(problem);
  expect(problemsFor('page', all)).toContain(problem);
  expect(problemsFor('entries', all)).toEqual([]);
  expect(healthProblem(wellAt(10, withChannels('HTTP 500', null)))).toBeNull();
});

describe('readiness', () => {
  test('is there while all is well, and without a token too', () => {
    expect(firstOf(10, {})).toBeUndefined();
    expect(firstOf(10, { edge: edge('live', false, undefined) })).toBeUndefined();
  });

  test('a halt is named before all that is wrong', () => {
    const parts = { halt: { reason: 'lunch' }, sessionDay: undefined, cycle: { degraded: 'gone' } };
    expect(problemsFor('entries', wellAt(3, parts))).toEqual([
      'entries are off until tickwright resume: lunch',
      'gone',
      'no session is open',
    ]);
  });

  test.each<[parts: Partial<Record<keyof Daemon, unknown>>, problem: string]>([
    [{ sessionDay: undefined }, 'no session is open'],
    [{ edge: edge('connecting', false, {}) }, 'the price stream is connecting'],
    [{ cycle: { session: { inbox: { isBehind: true } } } }, 'the engine is behind the prices: entries wait'],
    [{ lastView: { ...VIEW, unproven: 'not read' } }, 'positions are not proven: not read'],
    [{ clockProblem: 'the clock was set' }, 'the clock was set'],
  ])('is gone at any hour', (parts, problem) => {
    expect([firstOf(10, parts), firstOf(3, parts)]).toEqual([problem, problem]);
  });
});

test('the page lists all problems, those of the program and of channels last, and at night no missing prices', () => {
  const channels = [
    { id: 'chat', trouble: 'refused' },
    { id: 'mail', trouble: null },
  ];
  const parts = {
    edge: edge('connecting', false, undefined),
    lastView: { ...VIEW, unproven: 'not read', money: { state: 'differs' } },
    lastProgramProblem: 'the program on disk is another one',
    alerting: { state: { channels } },
    halt: { reason: 'lunch' },
  };
  const always = [
    'positions are not proven: not read',
    'money differs from the broker’s',
    'the program on disk is another one',
    'the channel chat fails: refused',
  ];
  expect(problemsFor('page', wellAt(3, parts))).toEqual(always);
  expect(problemsFor('page', wellAt(10, parts))).toEqual([
    'the price stream is connecting',
    'there is no token',
    ...always,
  ]);
});
