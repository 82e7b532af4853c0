import { expect, it } from 'vitest';
import {
  ratioBasis,
  runStatistics,
  tradeStatistics,
} from '../../../src/research/statistics/run-statistics.ts';
import { USUAL_STATISTICS } from '../../support/usual-settings.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { moment, SAMPLE_RESULT } from '../sample-result.ts';

const found = runStatistics(SAMPLE_RESULT);

it('adds up what a pencil adds up', () => {
  expect(found.netProfit).toBe(-10_000);
  expect(found.totalReturn).toBeCloseTo(-0.01, 12);
  expect(found.daily).toEqual([
    { day: '2026-03-04', equity: 1_100_000, profit: 100_000 },
    { day: '2026-03-05', equity: 990_000, profit: -110_000 },
  ]);
  expect(found.dailyReturns[0]).toBeCloseTo(0.1, 12);
  expect(found.dailyReturns[1]).toBeCloseTo(-0.1, 12);
  expect(found.basis.periodsPerYear).toBe(252);
  expect(found.drawdowns.deepest).toEqual({
    depth: 240_000,
    fraction: 0.2,
    peakUs: moment(0, 2),
    troughUs: moment(1, 1),
    recoveredUs: null,
  });
  expect(found.trades).toMatchObject({ count: 3, wins: 1, losses: 2, expectancy: -10_000 / 3 });
  expect(found.costs).toEqual({ fees: 5_250, tax: 16_000, spread: 5_000, total: 21_250 });
  expect(found.exposure).toBeCloseTo(3 / 29, 12);
  expect(found.turnover).toBeCloseTo(380.02, 9);
  // The buy paid a tick of 10,000 VND above the middle of its decision; the sell got one more.
  expect(found.slippage).toBe(0);
});

const ofDays = (...equity: number[]) =>
  runStatistics({
    ...SAMPLE_RESULT,
    days: equity.map((_, day) => tradingDay(`2026-03-${String(day + 2).padStart(2, '0')}`)),
    dayEquity: Float64Array.from(equity),
  });

it('gives no slippage where no fill has a book', () => {
  const strategies = SAMPLE_RESULT.strategies.map((each) => ({ ...each, fills: [] }));
  expect(runStatistics({ ...SAMPLE_RESULT, strategies }).slippage).toBeUndefined();
});

it('gives one Calmar ratio, of the falls from the end of a day to that of another', () => {
  // Within a day it fell by a fifth of its peak, from the end of the first day to that of the second by a tenth.
  const { calmar, annualReturn, drawdowns } = ofDays(1_100_000, 990_000, 1_089_000);
  expect(drawdowns.fractionMax).toBe(0.2);
  expect(calmar).toBeCloseTo((annualReturn ?? 0) / 0.1, 9);
});

it('gives no figure of a year for fewer than three days', () => {
  const { sharpe, sortino, annualReturn, calmar } = found;
  expect([sharpe, sortino, annualReturn, calmar]).toEqual([undefined, undefined, undefined, undefined]);
  const { sharpe: ofThree, annualReturn: growth } = ofDays(1_100_000, 990_000, 1_000_000);
  expect([ofThree, growth]).toEqual([expect.any(Number), expect.closeTo(0, 9)]);
});

it('gives no Sharpe ratio for a loss of one amount each day', () => {
  const equity = Array.from({ length: 20 }, (_, day) => 999_000 - 1_000 * day);
  expect(ofDays(...equity).sharpe).toBeUndefined();
  // One trade less on the first day deviates by 6 % of the mean.
  expect(ofDays(...equity.map((each) => each + 250)).sharpe).toBeUndefined();
  expect(ofDays(...equity.with(10, 990_500)).sharpe).toBeLessThan(0);
});

it('knows a market that never closes by its weekends', () => {
  const days = [tradingDay('2026-03-06'), tradingDay('2026-03-07')];
  expect(runStatistics({ ...SAMPLE_RESULT, days }).basis.periodsPerYear).toBe(365);
});

it.each([
  ['a week', 52, ['2026-03-02', '2026-03-09', '2026-03-23']],
  ['a month', 12, ['2026-01-01', '2026-02-01', '2026-03-01']],
])('knows bars of %s by their days', (_name, perYear, days) => {
  expect(ratioBasis(days.map(tradingDay), USUAL_STATISTICS).periodsPerYear).toBe(perYear);
});

it('leaves the warm-up out of the returns and of the exposure', () => {
  const { daily, exposure } = runStatistics({ ...SAMPLE_RESULT, warmUpDays: 1 });
  expect(daily).toEqual([{ day: '2026-03-05', equity: 990_000, profit: -10_000 }]);
  // Three hours of the 24 between the ends of both days.
  expect(exposure).toBeCloseTo(3 / 24, 12);
});

it('counts what a pencil counts', () => {
  const trades = tradeStatistics([100, -50, 200, -30, -20, 0, 80]);
  expect(trades).toMatchObject({
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
  expect(trades.averageWin).toBeCloseTo(380 / 3, 12);
  expect(trades.sqn).toBeCloseTo(1.1710800875382397, 12);
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
