/**
 * Costs that other engines publish, to the last digit. The numbers are those of zipline's tests of commissions (Apache 2.0), of
 * NautilusTrader's tests of its cash account (LGPL), and of the examples of Interactive Brokers' list of prices. Prices are made here.
 */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { minutes } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

interface Order {
  readonly tick?: number;
  readonly price: string;
  readonly qty: number;
  /** Of the bars that fill it. */
  readonly volumes: readonly number[];
  readonly market: string;
  readonly capital: number;
  readonly more?: string;
}

/** Charged for an order to buy at the market up to each of its fills, in the currency. */
async function chargedSoFar(order: Order): Promise<readonly (readonly [qty: number, fee: number])[]> {
  const { price, qty, volumes, market, capital, more, tick } = order;
  const rows = [1, ...volumes].map(
    (volume, i) => `2024-01-03T00:0${i}:00Z,${price},${price},${price},${price},${volume}\n`,
  );
  let isSent = false;
  const plan = await barPlan({
    bars: `time,open,high,low,close,volume\n${rows.join('')}`,
    file: ', every: 1m',
    market,
    capital,
    ...(tick !== undefined && { tick }),
    ...(more !== undefined && { more }),
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(() => {
        if (!isSent) trader.buy({ qty, price: 'market', reason: 'test' });
        isSent = true;
      });
    },
  });
  const { strategies, moneyScale } = runBacktest(plan);
  let fee = 0;
  return [...strategies[0]!.fills].map((fill) => {
    fee += fill.fee;
    return [fill.qty, fee / moneyScale];
  });
}

/** 500 shares at 100 in fills of 230, 170 and 100: zipline's `PerShare(cost=0.0075, min_trade_cost)`, `PerDollar(cost=0.0015)`, `PerTrade(cost=10)`. */
test.each([
  ['perContract: 0.0075', [1.725, 3, 3.75]],
  ['perContract: 0.0075, orderMin: 1', [1.725, 3, 3.75]],
  ['perContract: 0.0075, orderMin: 2.5', [2.5, 3, 3.75]],
  ['perContract: 0.0075, orderMin: 3.5', [3.5, 3.5, 3.75]],
  ['perContract: 0.0075, orderMin: 5.5', [5.5, 5.5, 5.5]],
  ['valuePercent: 0.15', [34.5, 60, 75]],
  ['perOrder: 10', [10, 10, 10]],
])('zipline: %s', async (costs, totals) => {
  const charged = await chargedSoFar({
    price: '100',
    qty: 500,
    volumes: [2_300, 1_700, 1_000],
    market: `, costs: { ${costs} }`,
    capital: 100_000,
    more: 'models: { volumePercent: 10 }',
  });
  expect(charged).toEqual([230, 170, 100].map((qty, i) => [qty, totals[i]]));
});

/** The three examples of Interactive Brokers' fixed pricing of American shares: half a cent a share, at least 1, at most 1 % of the value. */
test.each([
  [100, '25', 1],
  [1_000, '25', 5],
  [1_000, '0.25', 2.5],
])('Interactive Brokers: %i shares at %s', async (qty, price, fee) => {
  const market = ', costs: { perContract: 0.005, orderMin: 1, orderMaxPercent: 1 }';
  const charged = await chargedSoFar({ price, qty, volumes: [qty], market, capital: 100_000 });
  expect(charged).toEqual([[qty, fee]]);
});

/** A taker of 0.002 %: 24.015 dollars and 5,293.64 yen before rounding to the currency. */
test.each([
  ['USD', 0.00001, '0.80050', 1_500_000, 2_000_000, 24.02],
  ['JPY', 0.001, '120.310', 2_200_000, 300_000_000, 5_294],
])('NautilusTrader: a taker in %s', async (currency, tick, price, qty, capital, fee) => {
  const costs = 'takerPercent: 0.002, rounding: { per: fill, mode: half_even }';
  const market = `, currency: ${currency}, costs: { ${costs} }`;
  const charged = await chargedSoFar({ tick, price, qty, volumes: [qty], market, capital });
  expect(charged).toEqual([[qty, fee]]);
});
