import { join } from 'node:path';
import { expect, it } from 'vitest';
import { milliseconds } from '../../../src/domain/units.ts';
import {
  endWhenIdle,
  hasDaemon,
  type SimulatorPlan,
} from '../../../src/daemon/simulator/embedded-simulator.ts';
import { takeInstanceLock } from '../../../src/journal/instance-lock.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { VirtualTimers } from '../../broker/support/virtual-timers.ts';

const MINUTE_MS = 60_000;

it('ends after a quarter of an hour in which nobody used it, and not under a daemon whose stream is paused', () => {
  const plan = { daemonLockPath: join(tempDir(), 'daemon.lock') } as SimulatorPlan;
  const timers = new VirtualTimers();
  let ends = 0;
  const lock = takeInstanceLock(plan.daemonLockPath, process.pid);
  endWhenIdle(
    () => hasDaemon(plan),
    () => (ends += 1),
    timers,
  );
  const wait = (minutes: number): number => {
    for (let i = 0; i < minutes; i += 1) timers.advance(milliseconds(MINUTE_MS));
    return ends;
  };
  expect(wait(600), 'ten hours of a paused stream').toBe(0);
  lock.release();
  expect(wait(14)).toBe(0);
  const again = takeInstanceLock(plan.daemonLockPath, process.pid);
  expect(wait(1)).toBe(0);
  again.release();
  expect(wait(15)).toBe(0);
  expect([wait(1), wait(60), timers.pending]).toEqual([1, 1, 0]);
});
