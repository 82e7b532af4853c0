import { expect, test } from 'vitest';
import type { BacktestTrade } from '../../../src/research/backtest-result.ts';
import { geometricMean, heldDays, tradeReturns } from '../../../src/research/statistics/run-statistics.ts';
import { money, tsUs, US_PER_DAY } from '../../../src/domain/units.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';

const trade = (netProfit: number, days: number): BacktestTrade => ({
  strategy: 0,
  instrument: 0,
  direction: 'long',
  entryUs: tsUs(0),
  exitUs: tsUs(days * US_PER_DAY),
  qty: 1,
  qtyMax: 1,
  entryValue: money(1_000),
  exitValue: money(1_000 + netProfit),
  grossProfit: money(netProfit),
  fee: money(0),
  tax: money(0),
  netProfit: money(netProfit),
  adverse: money(0),
  favourable: money(0),
  fills: 2,
  isOpen: false,
});

test('returns of trades are parts of their entries', () => {
  const found = tradeReturns([trade(200, 1), trade(-100, 3), trade(50, 2)]);
  expect(found).toMatchObject({
    bestTrade: 0.2,
    worstTrade: -0.1,
    longestTradeDays: 3,
    averageTradeDays: 2,
  });
  expect(found.averageTrade).toBeCloseTo(0.05, 15);
  expect(found.geometricTrade).toBeCloseTo(Math.cbrt(1.2 * 0.9 * 1.05) - 1, 15);
  expect(found.returnFactor).toBeCloseTo(2.5, 15);
});

test('without a trade, without a loss and after a loss of all there are no such figures', () => {
  expect(Object.values(tradeReturns([]))).toEqual(Array.from({ length: 7 }, () => undefined));
  expect(tradeReturns([trade(2, 1)]).returnFactor).toBeUndefined();
  expect(geometricMean([0.5, -1])).toBeUndefined();
});

test('a day is held that begins with a position or has a fill; a close belongs to the day that it ends', () => {
  const [strategy] = SAMPLE_RESULT.strategies;
  const [fill] = strategy!.fills;
  const at = (day: number, positionAfter: number, clause: 'bar_open' | 'bar_close') => ({
    ...fill!,
    tsUs: tsUs(day * US_PER_DAY),
    positionAfter,
    clause,
  });
  const held = (fills: readonly ReturnType<typeof at>[]): number | undefined =>
    heldDays({
      ...SAMPLE_RESULT,
      warmUpDays: 0,
      dayEndUs: Float64Array.of(1, 2, 3, 4).map((day) => day * US_PER_DAY),
      strategies: [{ ...strategy!, fills }],
    });
  expect(held([at(1, 1, 'bar_open'), at(3, 0, 'bar_open')])).toBe(3 / 4);
  expect(held([at(1, 1, 'bar_close'), at(3, 0, 'bar_close')])).toBe(3 / 4);
  expect(held([at(1, 1, 'bar_open'), at(2, 0, 'bar_close')])).toBe(1 / 4);
  expect(held([])).toBe(0);
});
