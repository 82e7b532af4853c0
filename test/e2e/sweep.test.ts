/** The compiled program sweeps in threads: as many as there are give one and the same outcome, and `kill -9` costs a trial at most. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sweepPlace } from '../research/sweep/sweep-place.ts';
import { MAIN, until } from './daemon-process.ts';

const SECTION = 'sweep: { tradesMin: 0, parameters: { ema: { fast: [3, 5, 7, 9], slow: [12, 18, 24] } } }';
const TRIALS = 12;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function sweep(file: string, out: string, ...more: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, 'sweep', file, '--out', out, ...more]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let [text, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, out: text, err }));
  });
  return { child, ended };
}

const digestIn = (out: string): string | undefined => /^digest +([0-9a-f]{64})$/m.exec(out)?.[1];
const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
const logIn = (dir: string): string =>
  join(dir, (existsSync(dir) ? readdirSync(dir) : []).find((name) => name.endsWith('.jsonl')) ?? 'none');

test(
  'one thread and three find the same, and a sweep that was killed finds it too',
  { timeout: 300_000 },
  async () => {
    const { dir, file } = sweepPlace(SECTION);
    const [one, three, killed] = ['one', 'three', 'killed'].map((name) => join(dir, name)) as [
      string,
      string,
      string,
    ];

    const alone = await sweep(file, one, '--workers', '1').ended;
    expect(alone.err).toMatch(/^importing .*\n.*: finest step of prices .*\n$/);
    expect(alone.code).toBe(0);
    const digest = digestIn(alone.out);
    expect(digest).toBeDefined();

    const many = await sweep(file, three, '--workers', '3').ended;
    expect([many.code, digestIn(many.out)]).toEqual([0, digest]);
    for (const name of ['trials.csv', 'sweep.json'])
      expect(readFileSync(join(three, name), 'utf8')).toBe(readFileSync(join(one, name), 'utf8'));

    const victim = sweep(file, killed, '--workers', '2');
    await until(() => (linesOf(logIn(killed)).length >= 2 ? true : undefined));
    victim.child.kill('SIGKILL');
    expect((await victim.ended).code).toBeNull();
    const before = linesOf(logIn(killed)).length;
    expect(before).toBeGreaterThanOrEqual(2);
    expect(before, 'killed in the middle').toBeLessThan(TRIALS);

    const resumed = await sweep(file, killed, '--workers', '2').ended;
    expect([resumed.code, digestIn(resumed.out)]).toEqual([0, digest]);
    expect(resumed.out).toContain(`${TRIALS - before} runs in `);
    expect(resumed.out).toContain(`${before} known from before`);
    const keys = linesOf(logIn(killed)).map((line) => (JSON.parse(line) as { key: string }).key);
    expect(new Set(keys).size).toBe(TRIALS);
    expect(keys).toHaveLength(TRIALS);
  },
);
