/** Commands without `--state` mean the daemon that runs, and ask when there are several. */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listDaemon } from '../../src/host/state/daemon-list.ts';
import { cliDir, cliRun } from './support/cli-run.ts';

function running(mode: string): string {
  const dir = join(cliDir(), mode);
  onTestFinished(listDaemon(dir, mode));
  return dir;
}

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['halt', '--reason', 'x'],
  ['resume', '--reason', 'x'],
  ['flatten', '--reason', 'x'],
  ['cancel-all', '--reason', 'x'],
  ['stop', '--reason', 'x'],
  ['stop-strategy', 'one', '--reason', 'x'],
  ['orders', 'resolve', 'H.1', 'absent', '--reason', 'x'],
  ['orders', 'cancel', 'H.1', '--reason', 'x'],
  ['orders'],
  ['journal', 'verify'],
];

it.each(COMMANDS)('%s %s goes to the one that runs', async (...argv) => {
  const dir = running('live');
  const { code, err } = await cliRun(...argv);
  expect(code).toBe(4);
  expect(err).toContain(dir);
});

it.each(COMMANDS)('%s %s names the daemons when several run, and does nothing', async (...argv) => {
  const dirs = [running('live'), running('paper')];
  const { code, err } = await cliRun(...argv);
  expect(code).toBe(2);
  expect(err).toContain('2 daemons are running; say which one is meant:');
  for (const dir of dirs) expect(err).toContain(`--state ${dir}`);
});

it('means the paper state when none runs', async () => {
  expect(await cliRun('status')).toMatchObject({
    code: 4,
    err: expect.stringContaining('var/paper') as string,
  });
});
