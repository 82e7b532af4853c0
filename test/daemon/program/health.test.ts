import { describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/host/system-clock.ts';
import type { Daemon } from '../../../src/daemon/daemon.ts';
import { healthOf, healthProblem } from '../../../src/daemon/program/health.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { US_PER_HOUR, US_PER_SECOND } from '../../../src/domain/units.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

/** The parts of a daemon that its health is read from. */
const daemonWith = (parts: Partial<Record<keyof Daemon, unknown>>): Daemon =>
  ({
    journal: { isFailing: false },
    degraded: null,
    sessionDay: '2026-03-04',
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
    expect(await healthOf(daemonWith({ sessionDay: undefined, degraded }))).toEqual({
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

const edge = (state: string, isStale: boolean, token: object | undefined) => ({
  stream: { status: () => ({ state, isStale }) },
  tokens: { current: () => token },
});

describe('the dead man’s switch', () => {
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
    ['a lost engine is not back', { degraded: 'the engine is gone' }, 'the engine is gone'],
    ['it is gone until the next day', { degraded: 'gone', sessionDay: undefined }, 'gone'],
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
