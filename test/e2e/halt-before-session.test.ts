/** The operator halts entries while the daemon waits for a token: the session of the day is not open yet. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUSY_CONFIG } from './busy-config.ts';
import { journalEntries, MAIN, setFault, simulatorLink, startDaemon, workplace } from './daemon-process.ts';

test('a halt before the session is open reaches its engine, and a resume ends it', async () => {
  const place = workplace(BUSY_CONFIG);
  const tell = (...command: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [MAIN, ...command, '--state', place.state], {
      encoding: 'utf8',
    });
    return stdout + stderr;
  };
  const before = startDaemon(place);
  await before.line(/stream: live/);
  await before.end('SIGKILL');
  await setFault(place, { name: 'http_500', operation: 'token' });
  rmSync(join(place.state, 'token'));

  const daemon = startDaemon(place);
  await daemon.line(/no new token/);
  expect(tell('halt', '--reason', 'test')).toMatch(/entries are off/);
  await fetch(`http://127.0.0.1:${simulatorLink(place).controlPort}/faults`, { method: 'DELETE' });
  expect(tell('token')).toMatch(/a new token is in use/);
  await daemon.line(/system +HALTED /);
  const halted = daemon.output().length;
  tell('resume', '--reason', 'test');
  await daemon.line(/ busy +accepted/, halted);
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  const halts = journalEntries(place).flatMap(({ entry }) => (entry.kind === 'halt' ? [entry.halted] : []));
  expect(halts).toEqual([true, false]);
});
