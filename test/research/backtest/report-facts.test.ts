/** A report says what its figures rest on: market, zone, memory, and whether the run was verified. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runBacktestFile } from '../../../src/research/backtest/run-backtest-file.ts';
import { barFile } from '../spec/bar-run.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Half hours at noon of New York, around the Sunday on which its clocks change: prices that rise and fall. */
const BARS = ['2026-03-05', '2026-03-06', '2026-03-09', '2026-03-10']
  .flatMap((day) =>
    ['10:00', '10:30', '11:00', '11:30'].map((time, i) => {
      const close = 100 + (i % 2 === 0 ? 1 : -1) * (i + 1);
      return `${day} ${time},${close},${close},${close},${close},9`;
    }),
  )
  .join('\n');

const HOURS =
  ', name: US shares, timeZone: America/New_York, hours: [{ phase: continuous, from: "09:30", to: "16:00" }]';

async function played(second?: string) {
  const file = barFile({
    bars: `time,open,high,low,close,volume\n${BARS}\n`,
    market: HOURS,
    file: ', every: 30m',
    params: '{ fast: 1, slow: 2, bufferTicks: 0 }',
  });
  const backtest = await loadedBacktest(file);
  return runBacktestFile(backtest, { out: tempDir(), second });
}

test('market, zone and memory are in the report, and that it was not verified', async () => {
  const { model, report } = await played();
  expect(model.subtitle).toMatch(/, times of America\/New_York$/);
  expect(model.run.settings[0]?.rows).toEqual(
    expect.arrayContaining([
      ['market', 'US shares'],
      ['verified', 'no; --verify runs it again, and without the later prices'],
      ['times', 'America/New_York'],
      ['memory', expect.any(String)],
    ]),
  );
  const page = readFileSync(report, 'utf8');
  expect(page).toContain('no; --verify runs it again');
  expect(page.match(/times of America\/New_York/gi)?.length).toBeGreaterThan(3);
});

test('what a verification found is in the report', async () => {
  const { model } = await played('another thread did not start');
  expect(model.run.settings[0]?.rows).toContainEqual([
    'verified',
    'NOT: a second run does not run the backtest: another thread did not start',
  ]);
});

test('times of New York have the offset of their day in CSV files', async () => {
  const { report } = await played();
  const lines = readFileSync(join(dirname(report), 'equity.csv'), 'utf8').split('\n');
  const times = lines.slice(1).map((line) => line.split(',')[0]);
  expect(times).toEqual(
    expect.arrayContaining(['2026-03-06T11:00:00.000-05:00', '2026-03-09T11:00:00.000-04:00']),
  );
});

const BRACKET = `import { defineStrategy, z } from 'tickwright/strategy';
export default defineStrategy({
  name: 'of-test', summary: 'of a test', params: z.object({}), legs: ['only'],
  connect(ticks, trader) {
    ticks.bars().subscribe(({ close }) => {
      if (trader.position().qty !== 0 || trader.workingOrders().length > 0) return;
      trader.submit({
        kind: 'bracket', side: 'buy', qty: 1, price: 'market', reason: 'flat',
        stopLoss: trader.plus(close, -1), takeProfit: trader.plus(close, 1),
      });
    });
  },
});`;

async function bracketNotes(...bars: readonly string[]) {
  const dir = tempDir();
  const rows = bars.map((prices, hour) => `2026-01-05T0${hour}:00:00Z,${prices}`);
  writeFileSync(join(dir, 'bars.csv'), `time,open,high,low,close\n${rows.join('\n')}\n`);
  writeFileSync(join(dir, 'mine.mjs'), BRACKET);
  writeFileSync(
    join(dir, 'run.yaml'),
    `state: ${dir}
capital: 10000
market: { contracts: { X: { tick: 0.01 } } }
data: { bars: [{ file: bars.csv, symbol: X, every: 1h }] }
strategies: [{ id: one, strategy: ./mine.mjs, symbols: [X], overnight: true }]
`,
  );
  const backtest = await loadedBacktest(join(dir, 'run.yaml'));
  const { model } = runBacktestFile(backtest, { out: tempDir() });
  return model.warnings.filter((each) => each.includes('extremes'));
}

test('exits that depend on the assumed order of the extremes are counted, with the range of the result', async () => {
  const [flat, target, stop] = ['100,100,100,100', '100,101.5,100,100', '100,100,98.5,100'];
  const notes = await bracketNotes(flat, '100,102,98,100', target, stop, flat);
  expect(notes).toEqual([
    'the order of the extremes within a bar, which the data do not say, decides 1 exit of 3: net profit -1.00 with the low first, +1.00 with the high first (models.path: nearest)',
  ]);
  expect(await bracketNotes(flat, target, stop, flat)).toEqual([]);
});

test.each([
  [10_000, []],
  [
    10_000_000,
    [
      'fees are rounded to 5 digits behind the point: a capital of 10,000,000 USD leaves room for no more, a smaller one does',
    ],
  ],
])('with a capital of %d the digits that fees lose are reported', async (capital, notes) => {
  const file = barFile({
    bars: `time,open,high,low,close,volume\n${BARS}\n`,
    capital,
    market: `${HOURS}, costs: { valuePercent: 0.0123 }`,
    file: ', every: 30m',
  });
  const backtest = await loadedBacktest(file);
  const { model } = runBacktestFile(backtest, { out: tempDir() });
  expect(model.warnings.filter((each) => each.startsWith('fees'))).toEqual(notes);
});
