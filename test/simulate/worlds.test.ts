/**
 * Worlds of the first seeds: every promise is held in each, and each third is lived through twice the same way. `npm run simulate` goes through
 * thousands, and asks that each named state was met. They run as compiled code (`tsc -p .tsconfig.simulate.json`), which
 * is a third less work than in here.
 */
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../../dist/test/simulate/simulate.js');
const SEEDS = '60';
const STATES_MIN = 10;

const lived = (...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, ['--enable-source-maps', PROGRAM, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : 1, text: stdout + stderr }),
    );
  });

it('keeps its promises through all worlds', { timeout: 1_200_000 }, async () => {
  const jobs = String(availableParallelism());
  const { code, text } = await lived('--seeds', SEEDS, '--scale', '0.25', '--again', '3', '--jobs', jobs);
  expect(code, text).toBe(0);
  expect(text).toContain(`${SEEDS} seeds in `);
  const states = text.split('\n').filter((line) => /^ *\d+ (?!seeds in )/.test(line));
  expect(states.length, text).toBeGreaterThan(STATES_MIN);
});
