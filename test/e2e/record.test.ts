/** A recording of the embedded simulator, killed in the middle: what was received stays, and the next run goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readFrames, type RecordedFrame } from '../../src/recording/frame-log.ts';
import { BUSY_CONFIG } from './busy-config.ts';
import { MAIN, type Workplace, workplace } from './daemon-process.ts';

function record({ config, dir }: Workplace, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [MAIN, 'record', '--config', config, ...args], { cwd: dir });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Resolves when `err` has said so much. */
function said(child: ChildProcess, pattern: RegExp): Promise<void> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (more: string) => {
      text += more;
      if (pattern.test(text)) resolve();
    });
    child.once('exit', () => reject(new Error(`the recording ended:\n${text}`)));
  });
}

async function ended(child: ChildProcess): Promise<{ readonly code: unknown; readonly out: string }> {
  let out = '';
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    out += more;
  });
  const [code] = await once(child, 'close');
  return { code, out };
}

test('a recording survives its kill and trades nothing', async () => {
  const place = workplace(`${BUSY_CONFIG}operator: { statusEvery: 500ms }\n`);
  const killed = record(place);
  await said(killed, /[1-9]\d* frames \(/);
  const beside = await ended(record(place, '--duration', '1s'));
  expect(beside.code).toBe(3);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  const dir = join(place.state, 'record', 'frames');
  const read = (): readonly RecordedFrame[] =>
    readdirSync(dir).flatMap((name) => [...readFrames(join(dir, name))]);
  const before = read();
  expect(before.length).toBeGreaterThan(0);
  const { code, out } = await ended(record(place, '--duration', '3s', '--json'));
  expect(code).toBe(0);
  const told = JSON.parse(out) as { frames: number; lost: number; path: string };
  const all = read();
  expect(told).toEqual({
    frames: all.length - before.length,
    lost: 0,
    path: expect.stringMatching(/\.frames$/),
  });
  expect(told.frames).toBeGreaterThan(0);
  expect(all.slice(0, before.length)).toEqual(before);
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1));
  expect(all.every(({ text }) => text.startsWith('s|'))).toBe(true);
  expect(readFileSync(join(place.state, 'simulator.log'), 'utf8')).toBe('');
});
