/** Ends and starts at awkward moments: a signal while it starts, and what an earlier life left lying about. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isLockHeld } from '../../src/journal/instance-lock.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { startDaemon, until, workplace } from './daemon-process.ts';

const exists = (path: string) => until(() => (existsSync(path) ? true : undefined));

test.each([
  'daemon.lock.pid',
  'simulator.log',
  'simulator.lock.pid',
  'simulator.json',
  'journal.db',
  'token',
])('a signal as soon as there is %s ends it cleanly, and leaves nothing running', async (file) => {
  const place = workplace(BUSY_CONFIG);
  const daemon = startDaemon(place);
  await exists(join(place.state, file));
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  expect(daemon.output()).not.toMatch(/UND_ERR|Invariant|at .*\.js:/);
  expect(isLockHeld(join(place.state, 'daemon.lock'))).toBe(false);
  await until(() => (isLockHeld(join(place.state, 'simulator.lock')) ? undefined : true));
});

test('a number that now belongs to another program is left alone', async () => {
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  onTestFinished(() => void bystander.kill('SIGKILL'));
  const place = workplace(BUSY_CONFIG);
  mkdirSync(place.state);
  writeFileSync(join(place.state, '.tickwright'), 'abcdef\n');
  const stale = { pid: bystander.pid, rest: 'http://127.0.0.1:9', controlPort: 9, plan: 'of another life' };
  writeFileSync(join(place.state, 'simulator.json'), JSON.stringify(stale));
  writeFileSync(
    join(place.state, 'control.json'),
    JSON.stringify({ url: 'http://127.0.0.1:9', token: 'old' }),
  );
  writeFileSync(join(place.state, 'daemon.lock.pid'), `${bystander.pid}\n`);

  const daemon = startDaemon(place);
  await daemon.line(/accepted/);
  expect(bystander.exitCode ?? bystander.signalCode, 'the bystander lives').toBeNull();
  const link: unknown = JSON.parse(readFileSync(join(place.state, 'simulator.json'), 'utf8'));
  expect(link).not.toMatchObject({ pid: bystander.pid });
  expect(await daemon.end('SIGINT'), daemon.output()).toBe(0);
  expect(bystander.exitCode ?? bystander.signalCode, 'and still does').toBeNull();
});
