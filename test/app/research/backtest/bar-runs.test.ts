/** Backtests on bars, worked out by hand. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { runStatistics } from '../../../../src/backtest/statistics/run-statistics.ts';
import { priceTicks } from '../../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

const HEAD = 'time,open,high,low,close,volume\n';

test('where trading never stops each day ends with its own last bar, Friday and the last day too', async () => {
  // Four-hour bars of six days, Wednesday to Monday; each closes one above the one before: 100, 101, ...
  const bars = Array.from({ length: 36 }, (_, i) => {
    const at = new Date(Date.UTC(2024, 0, 3) + i * 4 * 3_600_000).toISOString().replace('.000Z', 'Z');
    return `${at},${100 + i},${100 + i},${100 + i},${100 + i},10\n`;
  });
  const plan = await barPlan({
    bars: HEAD + bars.join(''),
    file: ', every: 4h',
    connect(ticks, trader) {
      let isDone = false;
      ticks.phases$.subscribe(() => undefined);
      ticks.trades$.subscribe(() => {
        if (!isDone) trader.buy({ qty: 10, price: priceTicks(20_000), reason: 'hold' });
        isDone = true;
      });
    },
  });
  const result = runBacktest(plan);
  const { daily, dailyReturns, totalReturn, netProfit, periodsPerYear } = runStatistics(result);
  // Ten bought at the open of the second bar, 101.
  const closes = [5, 11, 17, 23, 29, 35].map((bar) => 10_000 + 10 * (100 + bar - 101));
  expect(daily.map(({ equity }) => equity / result.moneyScale)).toEqual(closes);
  expect(daily.map(({ day }) => day)).toEqual([3, 4, 5, 6, 7, 8].map((day) => `2024-01-0${day}`));
  expect(dailyReturns[0]).toBeCloseTo(40 / 10_000, 12);
  expect(totalReturn).toBeCloseTo(netProfit / result.moneyScale / 10_000, 12);
  expect(periodsPerYear).toBe(365);
});

test('equity at or below zero is told, once, with its time', async () => {
  const bars = [100, 100, 80, 90, 70].map(
    (price, i) => `2024-01-03T00:0${i}:00Z,${price},${price},${price},${price},10\n`,
  );
  const connect =
    (qty: number): Parameters<typeof barPlan>[0]['connect'] =>
    (ticks, trader) => {
      let isDone = false;
      ticks.trades$.subscribe(() => {
        if (!isDone) trader.buy({ qty, price: priceTicks(20_000), reason: 'hold' });
        isDone = true;
      });
    };
  const lost = async (qty: number): Promise<readonly string[]> => {
    const plan = await barPlan({
      bars: HEAD + bars.join(''),
      file: ', every: 1m',
      market: ', costs: { marginPercent: 5 }',
      connect: connect(qty),
    });
    return runBacktest(plan)
      .notices.filter(({ code }) => code === 'capital_lost')
      .map(({ tsUs }) => new Date((tsUs ?? 0) / 1_000).toISOString());
  };
  // 500 bought at 100: 20 points lower the capital of 10,000 is gone.
  expect(await lost(500)).toEqual(['2024-01-03T00:03:00.000Z']);
  expect(await lost(300)).toEqual([]);
});
