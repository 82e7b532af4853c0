/**
 * Margin and profit as textbooks and exchanges publish them: Hull's frozen orange juice (Options, Futures and Other Derivatives,
 * "Mechanics of Futures Markets": 15,000 pounds a contract, 160 cents, 6,000 initial and 4,500 maintenance margin), and Bybit's examples of
 * profit and loss of USDT perpetual contracts. Prices between the published ones are made here.
 */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import { minutes } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

interface Run {
  readonly prices: readonly number[];
  /** Lots bought (sold below zero) at the market when the minute of this place was over, counted from 0; the next price fills them. */
  readonly orders: Readonly<Record<number, number>>;
  readonly capital: number;
  readonly tick: number;
  readonly contract: string;
  readonly market?: string;
}

async function played({ prices, orders, ...run }: Run) {
  const rows = prices.map(
    (price, i) =>
      `2024-01-03T00:${String(i).padStart(2, '0')}:00Z,${price},${price},${price},${price},1000\n`,
  );
  let minute = 0;
  const plan = await barPlan({
    ...run,
    bars: `time,open,high,low,close,volume\n${rows.join('')}`,
    file: ', every: 1m',
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(() => {
        const lots = orders[minute] ?? 0;
        minute += 1;
        if (lots !== 0)
          trader.submit({
            kind: 'market',
            side: lots > 0 ? 'buy' : 'sell',
            qty: Math.abs(lots),
            reason: 'test',
          });
      });
    },
  });
  const result = runBacktest(plan);
  const [one] = result.strategies;
  const left = [...one!.fills].reduce((sum, { side, qty }) => sum + (side === 'buy' ? qty : -qty), 0);
  const { equity, funds, moneyScale } = result;
  return {
    left,
    netProfit: runStatistics(result).netProfit / moneyScale,
    equity: equity.values.at(-1)! / moneyScale,
    marginUsed: funds.marginUsed.at(-1)! / moneyScale,
  };
}

const ORANGE_JUICE = {
  orders: { 0: 2 },
  capital: 12_000,
  tick: 0.0001,
  contract: ', pointValue: 15000, margin: { initial: 6000, maintenance: 4500 }',
} as const;

/** The margin call comes when more than 1,500 a contract are lost, below 150 cents; at 166.67 cents 2,000 more than the initial margin are there. */
test.each([
  ['150 cents: no margin call yet', [1.6, 1.6, 1.5, 1.5], { left: 2, equity: 9_000, marginUsed: 12_000 }],
  ['below 150 cents: one contract must go', [1.6, 1.6, 1.4999, 1.4999], { left: 1, equity: 8_997 }],
  ['166.67 cents: 2,001 could be withdrawn', [1.6, 1.6, 1.6667, 1.6667], { left: 2, equity: 14_001 }],
])('Hull: %s', async (_, prices, expected) => {
  expect(await played({ ...ORANGE_JUICE, prices })).toMatchObject(expected);
});

const COIN = { capital: 100_000, tick: 0.5, market: ', currency: USDT' } as const;
const LOT = ', lot: 0.1';

test.each([
  ['long 0.2 from 7,000 to 7,500', [7_000, 7_000, 7_500, 7_500], { 0: 2, 1: -2 }, 100],
  ['short 0.4 from 6,000 to 5,000', [6_000, 6_000, 5_000, 5_000], { 0: -4, 1: 4 }, 400],
  ['0.5 at 5,000 and 0.3 at 6,000 are 0.8 at 5,375', [5_000, 5_000, 6_000, 5_375], { 0: 5, 1: 3, 2: -8 }, 0],
])('Bybit: %s', async (_, prices, orders, netProfit) => {
  expect(await played({ ...COIN, prices, orders, contract: LOT })).toMatchObject({ left: 0, netProfit });
});
