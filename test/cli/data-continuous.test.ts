/** `tickwright data continuous` in process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliDir, cliRun } from './support/cli-run.ts';

const DAYS = ['2024-03-13', '2024-03-14', '2024-03-15'];

/** One day each: close and volume. */
async function importDays(
  dir: string,
  symbol: string,
  days: readonly (readonly [close: number, volume: number])[],
) {
  const file = join(cliDir(), `${symbol}.csv`);
  const rows = days.map(
    ([close, volume], i) => `${DAYS[i]!},${close},${close + 1},${close - 1},${close},${volume}\n`,
  );
  writeFileSync(file, `time,open,high,low,close,volume\n${rows.join('')}`);
  const flags = ['--dir', dir, '--symbol', symbol, '--tick-size', '0.25', '--zone', 'UTC', '--every', '1d'];
  expect(await cliRun('data', 'import', file, ...flags)).toMatchObject({ code: 0, err: '' });
}

test('rolls by volume, and says what it did', async () => {
  const [dir, out] = [cliDir(), join(cliDir(), 'es.csv')];
  await importDays(dir, 'ESH4', [
    [5_100, 90],
    [5_110.25, 40],
    [5_105, 10],
  ]);
  await importDays(dir, 'ESM4', [
    [5_160, 30],
    [5_171, 60],
    [5_166.5, 95],
  ]);
  const said = await cliRun('data', 'continuous', 'ESH4', 'ESM4', '--dir', dir, '--out', out);
  expect(said).toEqual({
    code: 0,
    out: `2024-03-15: ESH4 at 5110.25 to ESM4 at 5171\n${out}: 3 days, 1 roll\n`,
    err: '',
  });
  expect(readFileSync(out, 'utf8')).toBe(
    'time,open,high,low,close,volume,front\n' +
      '2024-03-13,5160.75,5161.75,5159.75,5160.75,90,ESH4\n' +
      '2024-03-14,5171.00,5172.00,5170.00,5171.00,40,ESH4\n' +
      '2024-03-15,5166.50,5167.50,5165.50,5166.50,95,ESM4\n',
  );
  // It is a file of bars of one symbol again.
  const flags = [
    '--dir',
    cliDir(),
    '--symbol',
    'ES',
    '--tick-size',
    '0.25',
    '--zone',
    'UTC',
    '--every',
    '1d',
  ];
  expect(await cliRun('data', 'import', out, ...flags)).toMatchObject({ code: 0, err: '' });
});

test('a contract without daily bars', async () => {
  const { code, err } = await cliRun('data', 'continuous', 'ESH4', '--dir', cliDir(), '--out', 'es.csv');
  expect(code).toBe(1);
  expect(err).toContain('has no daily bars of ESH4: import them with data import');
});
