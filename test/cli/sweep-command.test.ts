/** What `sweep` refuses before it runs anything: each mistake on its own, exit code 2. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliDir, cliRun } from './support/cli-run.ts';

test.each([
  [['--workers', '0'], 'expected a whole number above 0, was "0"'],
  [['--vary', 'ema.fast=3'], 'sweep --vary is gone: write it in the section sweep of the file'],
])('%j is wrong usage', async (flags, expected) => {
  const { code, out, err } = await cliRun('sweep', 'none.yaml', ...flags);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(expected);
});

test('a file with a mistake runs nothing', async () => {
  const file = join(cliDir(), 'run.yaml');
  writeFileSync(file, 'market: 7\ncapital: 1\ndata: {}\nstrategies: []\n');
  const { code, out, err } = await cliRun('sweep', file);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/run\.yaml:\d+:\d+ .*\n(.*\n)*\d+ problems? in the sweep; nothing was run\n$/);
});
