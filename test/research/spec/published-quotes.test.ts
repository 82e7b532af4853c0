/**
 * Orders on quotes as other engines publish their fills. The numbers are those of NautilusTrader's tests of its simulated exchange and of
 * its trailing stops (LGPL): USD/JPY with a taker fee of 0.002 %; quotes behind those of a test, which bring a trailing stop to its
 * trigger, are made here.
 */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

type Trader = Parameters<Parameters<typeof barPlan>[0]['connect']>[1];

interface Case {
  readonly name: string;
  readonly quotes: readonly (readonly [bid: number, ask: number])[];
  /** Sent when the quote of this place was seen, counted from 0. */
  readonly orders: Readonly<Record<number, (trader: Trader) => void>>;
  /** `quote side qty price`, then the fee of the order in yen. */
  readonly fills: readonly string[];
  /** Of what is held at the last quote, in yen, before fees. */
  readonly unrealized?: number;
}

const at = (price: number) => priceTicks(Math.round(price * 1_000));
const market = (side: 'buy' | 'sell', qty: number) => (trader: Trader) =>
  void trader.submit({ kind: 'market', side, qty, reason: 'test' });
const trailing = (side: 'buy' | 'sell', activation: number) => (trader: Trader) =>
  void trader.submit({
    kind: 'trailing_stop',
    side,
    qty: 200_000,
    activation: at(activation),
    offset: 1_000,
    price: 'market',
    reason: 'test',
  });

const CASES: readonly Case[] = [
  {
    name: 'a market order buys at the ask',
    quotes: [
      [90.002, 90.005],
      [90.002, 90.005],
    ],
    orders: { 0: market('buy', 100_000) },
    fills: ['0 buy 100000 90.005 180'],
  },
  {
    name: 'an ask at its trigger sends a stop to buy',
    quotes: [
      [90.002, 90.005],
      [96.71, 96.711],
      [96.71, 96.711],
    ],
    orders: {
      0: (trader) =>
        void trader.submit({
          kind: 'stop',
          side: 'buy',
          qty: 100_000,
          trigger: at(96.711),
          price: 'market',
          reason: 'test',
        }),
    },
    fills: ['1 buy 100000 96.711 193'],
  },
  {
    name: 'a limit order to buy that waits is filled at its price',
    quotes: [
      [90.002, 90.005],
      [90, 90.001],
      [90, 90.001],
    ],
    orders: { 0: (trader) => void trader.buy({ qty: 100_000, price: at(90.001), reason: 'test' }) },
    fills: ['1 buy 100000 90.001 180'],
  },
  {
    name: 'half of a position is closed, the other half is 500,000 yen up',
    quotes: [
      [90.002, 90.003],
      [100.003, 100.003],
      [100.003, 100.003],
    ],
    orders: { 0: market('buy', 100_000), 1: market('sell', 50_000) },
    fills: ['0 buy 100000 90.003 180', '1 sell 50000 100.003 100'],
    unrealized: 500_000,
  },
  {
    // 12 at first, 13 once the bid was 14; 13.5 moves nothing.
    name: 'a trailing stop to sell follows the bid: 13 after 14',
    quotes: [
      [13, 14],
      [14, 15],
      [13.5, 14.5],
      [13.001, 14.001],
      [13, 14],
      [13, 14],
    ],
    orders: { 0: trailing('sell', 13) },
    fills: ['4 sell 200000 13 52'],
  },
  {
    // 15 at first, 14 once the ask was 13; 13.5 moves nothing.
    name: 'a trailing stop to buy follows the ask: 14 after 13',
    quotes: [
      [13, 14],
      [12, 13],
      [12.5, 13.5],
      [12.999, 13.999],
      [13, 14],
      [13, 14],
    ],
    orders: { 0: trailing('buy', 14) },
    fills: ['4 buy 200000 14 56'],
  },
];

const START = Date.UTC(2024, 0, 3);

test.each(CASES)('NautilusTrader: $name', async ({ quotes, orders, fills, unrealized }) => {
  const rows = quotes.map(
    ([bid, ask], i) => `${new Date(START + i * 1_000).toISOString()},${bid},${ask},1000000,1000000\n`,
  );
  let seen = 0;
  const plan = await barPlan({
    kind: 'quotes',
    bars: `time,bid,ask,bid_size,ask_size\n${rows.join('')}`,
    tick: 0.001,
    capital: 300_000_000,
    market:
      ', currency: JPY, costs: { takerPercent: 0.002, makerPercent: 0.002, marginPercent: 3, rounding: { per: order } }',
    connect(ticks, trader) {
      ticks.trades$.subscribe(() => {
        orders[seen]?.(trader);
        seen += 1;
      });
    },
  });
  const { strategies, moneyScale, equity } = runBacktest(plan);
  const [one] = strategies;
  expect(one!.denials).toEqual([]);
  expect(
    [...one!.fills].map(
      ({ tsUs, side, qty, priceTicks: price, fee }) =>
        `${(tsUs / 1_000 - START) / 1_000} ${side} ${qty} ${price / 1_000} ${fee / moneyScale}`,
    ),
  ).toEqual(fills);
  if (unrealized === undefined) return;
  const realized = [...one!.fills].reduce((sum, { fee }) => sum - fee / moneyScale, 300_000_000) + 500_000;
  expect(equity.values.at(-1)! / moneyScale).toBe(realized + unrealized);
});
