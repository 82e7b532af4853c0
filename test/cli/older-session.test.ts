/** The commands over a session that an older program wrote. */
import { expect, it } from 'vitest';
import { olderState, OLDER_DAY } from '../support/older-session.ts';
import { cliRun } from './support/cli-run.ts';

it.each(['orders', 'positions', 'pnl', 'journal'])('%s lists it as it lists a new one', async (name) => {
  const { code, out, err } = await cliRun(name, '--state', olderState(), '--session', OLDER_DAY);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('ema-front');
  expect(out).not.toMatch(/undefined|NaN|\[object/);
});

it('orders tells what became of those that waited, and what still waits', async () => {
  const { out } = await cliRun('orders', '--state', olderState());
  expect(out).toMatch(/#01000001 +waiter .* triggered\n +no\. 1 at the broker: sent order no\. 5/);
  expect(out).toMatch(/#01000005 +waiter .* 1889\.8 .* pending trigger/);
});

it.each(['replay', 'agree'])('%s refuses it, with what to do', async (name) => {
  const { code, out, err } = await cliRun(name, OLDER_DAY, '--state', olderState());
  expect([code, out]).toEqual([4, '']);
  expect(err).toMatch(/session of 2026-11-22 was begun by an older Tickwright: .* The version that wrote it/);
  expect(err).not.toMatch(/ at .*\.ts:/);
});
