/** The operator halts entries while the daemon waits for a token: the session of the day is not open yet. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readControl } from '../../src/host/state/running-daemons.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import {
  control,
  journalEntries,
  MAIN,
  resolveAbsent,
  setFault,
  startDaemon,
  until,
  workplace,
} from './daemon-process.ts';

test('a halt before the session is open survives a kill and reaches its engine, and a resume ends it', async () => {
  const place = workplace(BUSY_CONFIG);
  // Not while this process is blocked: connections that the broker closes meanwhile would not be noticed.
  const tickwright = (...command: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(process.execPath, [MAIN, ...command, '--state', place.state], (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  const readiness = async (): Promise<unknown> => {
    const { port = 0, token = '' } = readControl(place.state) ?? {};
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return [reply.status, await reply.json()];
  };
  const before = startDaemon(place);
  await before.line(/stream: live/);
  await before.end('SIGKILL');
  await setFault(place, { name: 'http_500', operation: 'token' });
  rmSync(join(place.state, 'token'));

  const halted = startDaemon(place);
  await halted.line(/no new token/);
  expect(await tickwright('halt', '--reason', 'test')).toMatch(/entries are off/);
  await halted.end('SIGKILL');

  const daemon = startDaemon(place);
  await daemon.line(/entries are off since an earlier run: test/);
  await daemon.line(/no new token/);
  expect(await readiness()).toEqual([503, { ready: false, reason: expect.stringContaining('test') }]);
  expect(await tickwright('status')).toMatch(/HALTED until tickwright resume: test/);
  await control(place, '/faults', { method: 'DELETE' });
  expect(await tickwright('token')).toMatch(/a new token is in use/);
  await daemon.line(/command +halt, by process: test/);
  expect(await readiness()).toEqual([503, { ready: false, reason: expect.stringContaining('test') }]);
  const from = daemon.output().length;
  await tickwright('resume', '--reason', 'test');
  await until(async () => {
    await resolveAbsent(place);
    return / busy +accepted/.test(daemon.output().slice(from)) ? true : undefined;
  });
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  const rows = journalEntries(place).flatMap(({ entry }) => (entry.kind === 'halt' ? [entry] : []));
  const halts = (isOwn: boolean) =>
    rows.filter(({ cause }) => (cause === 0) === isOwn).map(({ halted }) => halted);
  expect(halts(true), 'of the main thread').toEqual([true, false]);
  expect(halts(false), 'of the engine').toEqual([true, false]);
});
