/** What `sweep` refuses before it runs anything: each mistake on its own, exit code 2. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OBJECTIVES } from '../../src/backtest/research/trials.ts';
import { varied, walkForwardSplit } from '../../src/cli/research/sweep-command.ts';
import { cliDir, cliRun } from './support/cli-run.ts';

test.each([
  ['3,5,9', [3, 5, 9]],
  ['-1.5,true,long', [-1.5, true, 'long']],
  ['10..60:10', { from: 10, to: 60, step: 10 }],
  ['0.5..2', { from: 0.5, to: 2 }],
  ['1..100:log', { from: 1, to: 100, scale: 'log' }],
  ['any', 'any'],
])('ema.x=%s means %j', (values, written) => {
  expect(varied(`ema.x=${values}`)).toEqual([
    { text: `ema.x=${values}`, strategy: 'ema', param: 'x', written },
  ]);
});

test.each(['fast=3', 'ema.fast', 'ema.fast=', '.fast=3', 'ema.fa st=3'])('--vary %j is refused', (text) => {
  expect(() => varied(text)).toThrow('expected id.parameter=values');
});

test('days in sample and out of it', () => {
  expect(walkForwardSplit('8:2')).toEqual({ inSample: 8, outOfSample: 2, isAnchored: false });
  expect(walkForwardSplit('8:2:anchored').isAnchored).toBe(true);
  for (const text of ['8', '0:2', '8:2:fixed', '8:-2']) expect(() => walkForwardSplit(text)).toThrow('8:2');
});

test('offers every objective', async () => {
  const { out } = await cliRun('sweep', '--help');
  for (const objective of OBJECTIVES) expect(out).toContain(`"${objective}"`);
});

test.each([
  [['--trials', '0'], 'expected a whole number above 0, was "0"'],
  [['--search', 'all'], 'Allowed choices are grid, random'],
  [['--objective', 'profit'], 'Allowed choices are sharpe'],
  [['--walk-forward', '8'], 'expected days in sample and out of it like 8:2'],
  [['--vary', 'fast=3'], 'expected id.parameter=values like ema.fast=3,5,9'],
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
