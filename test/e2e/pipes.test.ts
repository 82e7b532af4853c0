/** What the program says goes through pipes: all of it, and without harm when nobody reads on. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readControl } from '../../src/host/state/running-daemons.ts';
import { isLockHeld } from '../../src/journal/instance-lock.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { MAIN, until, workplace } from './daemon-process.ts';

const entry = (_: unknown, i: number): string => `  - { id: s${i}, strategy: ema-cross, symbols: [VN30F1M] }`;
const MANY = `mode: paper\nstate: $STATE\nmarket: vn30f.yaml\nstrategies:\n${Array.from({ length: 300 }, entry).join('\n')}\n`;

const bash = (script: string) =>
  spawnSync('bash', ['-c', script, 'bash', process.execPath, MAIN, workplace(MANY).config], {
    encoding: 'utf8',
  });

/** More than a pipe holds at once. */
const LONG = '"$1" "$2" check "$3" --json';

test('a slow reader gets everything', () => {
  const { stdout, stderr } = bash(`${LONG} | (read -r first; echo "$first"; cat)`);
  expect(stderr).toBe('');
  expect(stdout.length).toBeGreaterThan(100_000);
  expect(() => JSON.parse(stdout)).not.toThrow();
});

test('a reader that leaves breaks nothing', () => {
  const { stdout, stderr } = bash(`${LONG} | head -c 1; echo " \${PIPESTATUS[0]}"`);
  expect([stdout, stderr]).toEqual(['{ 0\n', '']);
});

test('output that a full disk refuses is reported, and fails the exit code', () => {
  const { stderr, status } = bash(`${LONG} > /dev/full`);
  expect([stderr, status]).toEqual([
    'output could not be written, more of it is lost: ENOSPC: no space left on device, write\n',
    1,
  ]);
});

test.each([
  ['a full disk', '> /dev/full 2>&1'],
  ['a terminal that was closed', '>&- 2>&-'],
  ['a reader that left', '2>&1 | true'],
])('a daemon goes on when its screen is %s', async (_, screen) => {
  const daemon = await started(screen);
  expect(await daemon.stop()).toBe(200);
});

test('a daemon goes on when its terminal hangs up', async () => {
  const daemon = await started('> screen.log 2>&1');
  daemon.shell.kill('SIGHUP');
  await until(
    async () => /tickwright stop/.test(readFileSync(join(daemon.dir, 'screen.log'), 'utf8')) || undefined,
  );
  expect(await daemon.stop()).toBe(200);
});

/** A daemon whose output goes to `screen` of a shell. */
async function started(screen: string) {
  const place = workplace(BUSY_CONFIG);
  const script = `exec "$1" "$2" paper --duration 60s --config "$3" ${screen}`;
  const shell = spawn('bash', ['-c', script, 'bash', process.execPath, MAIN, place.config], {
    cwd: place.dir,
    stdio: 'ignore',
  });
  onTestFinished(() => void shell.kill('SIGKILL'));
  const ready = await until(async () => {
    const link = readControl(place.state);
    if (link === undefined) return undefined;
    const { port, token } = link;
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return reply.status === 200 ? link : undefined;
  });
  const stop = async (): Promise<number> => {
    const stopped = await fetch(`http://127.0.0.1:${ready.port}/commands/stop`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' },
      body: '{"reason":"test"}',
    });
    await until(async () => (isLockHeld(join(place.state, 'daemon.lock')) ? undefined : true));
    return stopped.status;
  };
  return { shell, dir: place.dir, stop };
}
