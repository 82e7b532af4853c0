import { resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  exchangeCounter,
  lastOpenDay,
  reconnectStore,
  tokenHours,
} from '../../../src/daemon/edge/broker-edge.ts';
import { REAL_TIME, systemClock } from '../../../src/host/system-clock.ts';
import { momentOf, tradingDay } from '../../../src/domain/civil-date.ts';
import { tsUs, US_PER_HOUR, US_PER_MINUTE } from '../../../src/domain/units.ts';
import { CATALOG } from '../../../src/host/strategy-files/own-strategies.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { ReconnectPolicy } from '../../../src/broker/stream/reconnect-policy.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { openStore, tempPath } from '../../journal/journal-fixture.ts';

/** From the start of the plan to `now`, and from `now` to five minutes after the close, in minutes. */
function planAt(otp: 'simulator' | 'prompt', now: number): readonly [since: number, left: number] {
  const loaded = loadConfig(resolve('config/paper.yaml'), CATALOG);
  if (!loaded.ok) throw new Error('the paper configuration is valid');
  const { auth, exchangeCalendar } = loaded.config;
  const config = {
    ...loaded.config,
    calendar: exchangeCalendar,
    auth: { ...auth, otp: { from: otp } as const },
  };
  const hours = tokenHours(config, tsUs(now), REAL_TIME);
  if (hours === undefined) throw new Error('the exchange closes');
  const realUs = systemClock.nowUs();
  return [
    Math.round((realUs - hours.fromUs) / US_PER_MINUTE),
    Math.round((hours.untilUs - realUs) / US_PER_MINUTE),
  ];
}

const at = (hour: number, minute: number): number =>
  momentOf(tradingDay('2026-04-06'), hour * US_PER_HOUR + minute * US_PER_MINUTE, 420);

it("counts the simulator's token plan from the last close on", () => {
  expect(planAt('simulator', at(14, 51))).toEqual([6, 24 * 60 - 1]);
  expect(planAt('simulator', at(20, 45))).toEqual([6 * 60, 18 * 60 + 5]);
});

it('counts the plan of a session from its first refresh on, also later in the day', () => {
  expect(planAt('prompt', at(7, 15))).toEqual([-60, 7 * 60 + 35]);
  expect(planAt('prompt', at(10, 15))).toEqual([120, 4 * 60 + 35]);
});

it('is not over with the close: the last reports of the day come after it', () => {
  expect(planAt('prompt', at(14, 47))).toEqual([6 * 60 + 32, 3]);
});

it('counts an exchange of tokens that a full disk does not take, and lets it go: no cancel leaves without a token', () => {
  const { store } = openStore(tempPath());
  onTestFinished(() => store.close());
  const counter = exchangeCounter(store);
  counter.add();
  vi.spyOn(store, 'bumpCounter').mockImplementationOnce(() => {
    throw new Error('database or disk is full');
  });
  counter.add();
  counter.add();
  expect([counter.used(), exchangeCounter(store).used()]).toEqual([3, 2]);
});

it('counts attempts to reconnect until the next open, also where no process saw that', () => {
  const { store } = openStore(tempPath());
  onTestFinished(() => store.close());
  const startedAt = (now: number) =>
    new ReconnectPolicy(reconnectStore(store, () => lastOpenDay(MARKET_CALENDAR, tsUs(now))));
  const atNight = startedAt(at(2, 0));
  while (atNight.state.paused === null) atNight.onEnd({ kind: 'connect_timeout' });
  expect(startedAt(at(8, 44)).onStart()).toEqual({ kind: 'pause', reason: 'attempts_used_up' });
  expect(startedAt(at(9, 30)).onStart(), 'at once').toBeUndefined();
});
