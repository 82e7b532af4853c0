import { expect, it } from 'vitest';
import { tradeStatistics } from '../../../src/backtest/statistics/trade-statistics.ts';

it('counts what a pencil counts', () => {
  const found = tradeStatistics([100, -50, 200, -30, -20, 0, 80]);
  expect(found).toMatchObject({
    count: 7,
    wins: 3,
    losses: 3,
    winRate: 3 / 7,
    profitFactor: 3.8,
    expectancy: 40,
    averageLoss: 100 / 3,
    largestWin: 200,
    largestLoss: 50,
    winsInARowMax: 1,
    lossesInARowMax: 2,
  });
  expect(found.averageWin).toBeCloseTo(380 / 3, 12);
  expect(found.sqn).toBeCloseTo(1.1710800875382397, 12);
});

it('leaves undefined what has no value', () => {
  expect(tradeStatistics([])).toMatchObject({
    count: 0,
    winRate: undefined,
    profitFactor: undefined,
    expectancy: undefined,
    sqn: undefined,
  });
  expect(tradeStatistics([5, 5])).toMatchObject({
    profitFactor: undefined,
    sqn: undefined,
    winsInARowMax: 2,
  });
});
