import { expect, it, vi } from 'vitest';
import { awaitToken, followTokenPlan } from '../../src/daemon/token-watch.ts';
import type { RefreshResult } from '../../src/broker/auth/token-keeper.ts';
import { minutes, seconds, type TsUs, tsUs } from '../../src/domain/units.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';

const FAILED: RefreshResult = { ok: false, failure: { kind: 'temporary', reason: 'no answer' } };

/** A keeper that says when the next refresh is due, and counts what it is asked for. */
class FakeTokens {
  readonly asked: number[] = [];
  dueUs: TsUs | undefined;
  readonly #timers: VirtualTimers;
  #listener: () => void = () => undefined;

  constructor(timers: VirtualTimers, dueUs: TsUs | undefined) {
    this.#timers = timers;
    this.dueUs = dueUs;
  }

  readonly refreshDueUs = (): TsUs | undefined => this.dueUs;

  readonly refresh = (): Promise<RefreshResult> => {
    this.asked.push(this.#timers.nowUs() / 1_000_000);
    return Promise.resolve(FAILED);
  };

  readonly onChange = (listener: () => void): (() => void) => {
    this.#listener = listener;
    return () => {
      this.#listener = () => undefined;
    };
  };

  changed(dueUs: TsUs | undefined): void {
    this.dueUs = dueUs;
    this.#listener();
  }
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i += 1) await Promise.resolve();
};

it('asks when the token is due, and at once when it is taken away', async () => {
  const timers = new VirtualTimers();
  const start = timers.nowUs();
  const tokens = new FakeTokens(timers, tsUs(start + minutes(10)));
  followTokenPlan({ tokens, clock: timers, timers });
  timers.advance(minutes(9));
  expect(tokens.asked).toEqual([]);
  tokens.changed(timers.nowUs());
  timers.advance(seconds(0));
  await settle();
  expect(tokens.asked).toHaveLength(1);
});

it('asks at most every half minute, however often each new token is refused', async () => {
  const timers = new VirtualTimers();
  const tokens = new FakeTokens(timers, timers.nowUs());
  followTokenPlan({ tokens, clock: timers, timers });
  for (let second = 0; second < 119; second += 1) {
    tokens.changed(timers.nowUs());
    timers.advance(seconds(1));
    await settle();
  }
  const first = tokens.asked[0] ?? 0;
  expect(tokens.asked.map((at) => at - first)).toEqual([0, 30, 60, 90]);
});

it('leaves it when no exchange is allowed, and when it is stopped', async () => {
  const timers = new VirtualTimers();
  const tokens = new FakeTokens(timers, undefined);
  const stop = followTokenPlan({ tokens, clock: timers, timers });
  timers.advance(minutes(60));
  stop();
  tokens.changed(timers.nowUs());
  timers.advance(minutes(60));
  await settle();
  expect(tokens.asked).toEqual([]);
});

it('asks again when a refresh is allowed again, and after a standby', async () => {
  const timers = new VirtualTimers();
  let sleptUs = 0;
  const clock = { nowUs: () => tsUs(timers.nowUs() + sleptUs) };
  const tokens = new FakeTokens(timers, undefined);
  followTokenPlan({ tokens, clock, timers });
  timers.advance(minutes(600));
  expect(tokens.asked).toEqual([]);
  tokens.dueUs = tsUs(timers.nowUs() + minutes(480));
  timers.advance(minutes(10));
  sleptUs = minutes(480);
  timers.advance(minutes(5));
  await settle();
  expect(tokens.asked).toHaveLength(1);
});

it('leaves no listener behind while it waits for a token all night', async () => {
  vi.useFakeTimers();
  try {
    const listeners = new Set<() => void>();
    let isEnding = false;
    const tokens = {
      current: () => undefined,
      refresh: () => Promise.resolve(FAILED),
      onChange: (listener: () => void) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    const waiting = awaitToken(tokens, () => isEnding);
    for (let half = 0; half < 100; half += 1) await vi.advanceTimersByTimeAsync(30_000);
    expect(listeners.size).toBe(1);
    isEnding = true;
    // A keeper that closes says so.
    for (const listener of listeners) listener();
    await waiting;
    expect([listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});
