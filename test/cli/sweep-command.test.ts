/** What `sweep` refuses before it runs anything: each mistake on its own, exit code 2. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliDir, cliRun } from './support/cli-run.ts';

test('no worker is wrong usage', async () => {
  const { code, out, err } = await cliRun('sweep', 'none.yaml', '--workers', '0');
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('expected a whole number above 0, was "0"');
});

test('a file with a mistake runs nothing', async () => {
  const file = join(cliDir(), 'run.yaml');
  writeFileSync(file, 'market: 7\ncapital: 1\ndata: {}\nstrategies: []\n');
  const { code, out, err } = await cliRun('sweep', file);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/run\.yaml:\d+:\d+ .*\n(.*\n)*\d+ problems? in the sweep; nothing was run\n$/);
});
