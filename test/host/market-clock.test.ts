import { expect, it } from 'vitest';
import { atMarketTime, createMarketClock } from '../../src/host/system-clock.ts';
import { addUs, minutes, seconds, tsUs } from '../../src/domain/units.ts';
import { VirtualTimers } from '../broker/support/virtual-timers.ts';

it.each([1, 60])('calls back at a market time, at %i times the speed of life', (speed) => {
  const timers = new VirtualTimers();
  const map = { originRealUs: timers.nowUs(), originMarketUs: 5_000, speed };
  const clock = createMarketClock(map, timers);
  let calledAt = 0;
  atMarketTime(
    map,
    addUs(clock.nowUs(), minutes(30 * speed)),
    () => (calledAt = clock.nowUs()),
    timers,
    timers,
  );
  timers.advance(minutes(30) - seconds(1));
  expect(calledAt).toBe(0);
  timers.advance(seconds(1));
  expect(calledAt).toBe(5_000 + minutes(30 * speed));
});

it('notices within a second that the machine slept past that time', () => {
  const timers = new VirtualTimers();
  const map = { originRealUs: 0, originMarketUs: 0, speed: 1 };
  let slept = 0;
  const real = { nowUs: () => tsUs(timers.nowUs() + slept) };
  let isCalled = false;
  atMarketTime(map, addUs(real.nowUs(), minutes(480)), () => (isCalled = true), real, timers);
  timers.advance(minutes(1));
  slept = minutes(600);
  timers.advance(seconds(1));
  expect(isCalled).toBe(true);
  expect(timers.pending).toBe(0);
});
