import { describe, expect, test, vi } from 'vitest';
import type { Daemon } from '../../../src/app/live/daemon.ts';
import { healthOf } from '../../../src/app/live/health.ts';

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
