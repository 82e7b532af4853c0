/** What a long run keeps of its samples, against all of them. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { SampleTable } from '../../../src/research/run/sample-table.ts';
import { durationUs } from '../../../src/domain/units.ts';
import { emaCross } from '../../../strategies/ema-cross/ema-cross.ts';
import { fileTape, planOf, SAMPLE, tapesOf } from '../../support/backtest-plan.ts';
import { createRandom, SEED } from '../../support/seed.ts';
import { fallsOf } from '../sample-result.ts';

const ROWS_MAX = 100_000;
const DAY_ROWS = 1_440;

interface Sample {
  readonly atUs: number;
  readonly equity: number;
  readonly profit: number;
  readonly price: number;
  readonly isDayEnd: boolean;
}

/** Minutes of so many days; every third one has no trade. */
function walk(days: number): readonly Sample[] {
  const random = createRandom(SEED);
  let equity = 1_000_000;
  return Array.from({ length: days * DAY_ROWS }, (_, i) => {
    equity += Math.floor(random() * 2_001) - 1_000;
    const price = i % 3 === 0 ? 0 : 10_000 + Math.floor(random() * 1_000);
    return {
      atUs: i * 60,
      equity,
      profit: equity - 1_000_000,
      price,
      isDayEnd: i % DAY_ROWS === DAY_ROWS - 1,
    };
  });
}

const samples = walk(300);
const table = new SampleTable();
const profits = table.column();
const prices = table.prices();
for (const { atUs, equity, profit, price, isDayEnd } of samples) {
  profits.push(profit);
  prices.push(price, price, price, price);
  table.end(atUs, equity, isDayEnd);
}
const { tsUs, values } = table.equity;
const byTime = new Map(samples.map((each) => [each.atUs, each]));

test('of 432,000 samples at most 100,000 stay, each as it was', () => {
  expect(values.length).toBeLessThanOrEqual(ROWS_MAX);
  expect(values.length).toBeGreaterThan(ROWS_MAX / 4);
  expect(Array.from(values)).toEqual(Array.from(tsUs, (at) => byTime.get(at)?.equity));
  expect(Array.from(table.samplesOf(profits).values)).toEqual(
    Array.from(values, (value) => value - 1_000_000),
  );
});

test('the least and the most equity stay, the deepest fall between them, and the last sample of each day', () => {
  const all = {
    tsUs: Float64Array.from(samples, ({ atUs }) => atUs),
    values: Float64Array.from(samples, ({ equity }) => equity),
  };
  expect([values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))]).toEqual([
    all.values.reduce((a, b) => Math.min(a, b)),
    all.values.reduce((a, b) => Math.max(a, b)),
  ]);
  expect(fallsOf({ tsUs, values }).deepest?.depth).toBe(fallsOf(all).deepest?.depth);
  const kept = new Set(tsUs);
  const lost = samples.filter(({ atUs, isDayEnd }) => isDayEnd && !kept.has(atUs));
  expect(lost).toEqual([]);
});

test('each row has the range of all trades since the one before', () => {
  const { first, high, low } = prices.ranges();
  let next = 0;
  const expected = Array.from(tsUs, (untilUs) => {
    const traded: number[] = [];
    for (let each = samples[next]; each !== undefined && each.atUs <= untilUs; each = samples[(next += 1)])
      if (each.price > 0) traded.push(each.price);
    return traded.length === 0 ? [0, 0, 0] : [traded[0], Math.max(...traded), Math.min(...traded)];
  });
  expect(Array.from(tsUs, (_, i) => [first[i], high[i], low[i]])).toEqual(expected);
});

test('what is measured does not change with what is kept', () => {
  const data = tapesOf([fileTape(SAMPLE)]);
  const ema = { id: 'ema', definition: emaCross, params: { barSeconds: 60, fast: 9, slow: 21 } };
  const plan = { ...planOf(data, [ema]), sampleEvery: durationUs(100_000) };
  const { equity, drawdowns, capital, dayEquity, strategies, instruments } = runBacktest(plan);
  expect(equity.values.length).toBeLessThanOrEqual(ROWS_MAX);
  expect(equity.values.length).toBeGreaterThan(1_000);
  expect(equity.values.at(-1)).toBe(dayEquity[0]);
  expect(strategies[0]!.profit.values.at(-1)).toBe(dayEquity[0]! - capital);
  expect(instruments[0]!.prices.values.length).toBe(equity.values.length);
  expect(fallsOf(equity).deepest?.depth).toBe(drawdowns.deepest?.depth);
});
