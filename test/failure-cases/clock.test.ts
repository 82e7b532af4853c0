/** Machines of other time zones, whose clocks change while the daemon trades. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/host/system-clock.ts';
import { tsUs } from '../../src/domain/units.ts';
import { PLACE, running } from './support/story.ts';

const RESTING = { do: 'buy', qty: 1, price: 12_900 } as const;
const SECONDS_BEFORE = 3;

it.each([
  ['America/New_York', '2026-03-08T07:00:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  // Midnight and a half at the machine: the start is still in the day before for half of the world.
  ['Asia/Ho_Chi_Minh', '2026-03-09T17:30:00Z'],
])('case 28: on a machine in %s orders flow before and after %s', async (zone, moment) => {
  vi.stubEnv('TZ', zone);
  const aheadMs = Date.parse(moment) - SECONDS_BEFORE * 1_000 - Date.now();
  onTestFinished(() => systemClock.restart());
  systemClock.restart({
    wallMs: () => Date.now() + aheadMs,
    monotonicMs: () => performance.now(),
    uptimeMs: () => performance.now(),
  });
  const story = await running(
    [
      { ...RESTING, at: 13_001 },
      { ...RESTING, at: 13_002 },
    ],
    undefined,
    { clock: systemClock },
  );
  story.print(13_001);
  await story.until(async () => (await story.truth()).orders.length === 1);
  const before = story.daemon.sessionDay;
  await story.until(() => systemClock.nowUs() > Date.parse(moment) * 1_000);
  story.print(13_002);
  await story.until(async () => (await story.truth()).orders.length === 2);
  expect(story.daemon.sessionDay).toBe(before);
  expect(story.denials()).toEqual([]);
  expect(story.moves).toEqual([PLACE, PLACE]);
});

it('a virtual machine that was suspended goes on at the time of the broker', async () => {
  let aheadMs = Date.parse('2026-03-04T10:00:00+07:00') - Date.now();
  const wallMs = (): number => Date.now() + aheadMs;
  onTestFinished(() => systemClock.restart());
  // Nothing in the machine counts the time of the suspension but the wall clock, which its host sets.
  systemClock.restart({ wallMs, monotonicMs: () => performance.now(), uptimeMs: () => performance.now() });
  const story = await running(
    [
      { ...RESTING, at: 13_001 },
      { ...RESTING, at: 13_002 },
    ],
    undefined,
    {
      clock: { nowUs: () => tsUs(wallMs() * 1_000) },
    },
  );
  aheadMs += 600_000;
  await story.until(() => story.alerts().includes('standby'));
  expect(Math.abs(systemClock.nowUs() - wallMs() * 1_000)).toBeLessThan(5_000_000);
  // The next answers of the broker show that the clocks agree again.
  await story.settled();
  await story.trading();
  story.print(13_002);
  await story.until(async () => (await story.truth()).orders.length === 1);
  expect(story.denials()).toEqual([]);
});
