/** Commands without `--state` mean the daemon that runs, and ask when there are several. */
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listDaemon } from '../../src/host/state/running-daemons.ts';
import { cliDir, cliRun } from './support/cli-run.ts';

function running(mode: string): string {
  const dir = join(cliDir(), mode);
  onTestFinished(listDaemon(dir, mode));
  return dir;
}

/** What reads, and what stops danger. */
const REACHING: readonly (readonly string[])[] = [
  ['status'],
  ['halt', '--reason', 'x'],
  ['halt'],
  ['flatten', '--reason', 'x'],
  ['orders'],
  ['journal', 'verify'],
];
const CHANGING: readonly (readonly string[])[] = [
  ['resume', '--reason', 'x'],
  ['cancel-all', '--reason', 'x'],
  ['stop', '--reason', 'x'],
  ['stop-strategy', 'one', '--reason', 'x'],
  ['orders', 'resolve', 'H.1', 'absent', '--reason', 'x'],
  ['orders', 'cancel', 'H.1', '--reason', 'x'],
  ['reload', '--reason', 'x'],
  ['otp', '123456'],
];

it.each(REACHING)('%s %s goes to the one that runs', async (...argv) => {
  const dir = running('live');
  const { code, out, err } = await cliRun(...argv);
  expect(code).toBe(4);
  expect(err).toContain(dir);
  expect(await cliRun(...argv, '--state', ''), 'a variable that is not set').toEqual({ code, out, err });
});

it.each(CHANGING)('%s %s changes no daemon of another folder that it does not name', async (...argv) => {
  const dir = running('live');
  expect(await cliRun(...argv)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`add --state ${dir}`) as string,
  });
  expect(await cliRun(...argv, '--state', dir), 'named').toMatchObject({ code: 4 });
});

it('goes to the daemon below the folder of now, whatever it changes', async () => {
  const dir = running('paper');
  vi.spyOn(process, 'cwd').mockReturnValue(join(dir, '..'));
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await cliRun('resume', '--reason', 'x')).code).toBe(4);
});

it.each([...REACHING, ...CHANGING])(
  '%s %s names the daemons when several run, and does nothing',
  async (...argv) => {
    const dirs = [running('live'), running('paper')];
    const { code, err } = await cliRun(...argv);
    expect(code).toBe(2);
    expect(err).toContain('2 daemons are running; say which one is meant:');
    for (const dir of dirs) expect(err).toContain(`--state ${dir}`);
  },
);

it('means the paper state when none runs', async () => {
  expect(await cliRun('status')).toMatchObject({
    code: 4,
    err: expect.stringContaining('var/paper') as string,
  });
});
