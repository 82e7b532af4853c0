/**
 * Fills on bars that other engines publish, to the last digit: prices and numbers are those of zipline's test of slippage (Apache
 * 2.0) and of vectorbt's tests of portfolios (Apache 2.0 with Commons Clause). Bars whose prices are all the same are made here.
 */
import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { minutes, US_PER_DAY } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

interface Case {
  readonly closes: readonly number[];
  /** Open, high, low and close; all are the close when absent. */
  readonly bars?: readonly (readonly number[])[];
  readonly volume?: number;
  readonly tick?: number;
  readonly lot?: number;
  readonly costs?: string;
  readonly models?: string;
  /** Bought at each bar from the first on; sold below zero. */
  readonly orders: readonly number[];
}

type Fill = readonly [bar: number, size: number, price: number, fee: number];

/** Lots are bought and sold at the market, each at the close of its bar or at the open of the next one. */
async function fillsOf({
  closes,
  bars = closes.map((each) => [each, each, each, each]),
  volume = 1_000_000,
  tick = 0.01,
  lot = 1,
  costs = '',
  models = '',
  orders,
}: Case) {
  const rows = bars.map((each, i) => `2020-01-0${i + 1},${each.join()},${volume}\n`);
  let bar = 0;
  const plan = await barPlan({
    bars: `time,open,high,low,close,volume\n${rows.join('')}`,
    file: ', every: 1d',
    tick,
    contract: `, lot: ${lot}`,
    market: `, weekdays: [sun, mon, tue, wed, thu, fri, sat], costs: { rounding: { per: none }${costs} }`,
    more: `models: { ${models} }`,
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1_440) }).subscribe(() => {
        const qty = Math.round((orders[bar] ?? 0) / lot);
        bar += 1;
        if (qty > 0) trader.buy({ qty, price: 'market', reason: 'test' });
        if (qty < 0) trader.sell({ qty: -qty, price: 'market', reason: 'test' });
      });
    },
  });
  const { strategies, moneyScale, fromUs } = runBacktest(plan);
  expect(strategies[0]!.stopped).toBeNull();
  return [...strategies[0]!.fills].map(({ tsUs, side, qty, priceTicks, fee, clause }): Fill => {
    const sign = side === 'buy' ? 1 : -1;
    const price = Number((priceTicks * tick).toFixed(8));
    const ended = clause === 'bar_close' ? 1 : 0;
    return [Math.round((tsUs - fromUs) / US_PER_DAY) - ended, sign * qty * lot, price, fee / moneyScale];
  });
}

/** `price = 1, 2, 3, 4, 5` and `size = 1, -1, 0, 1, -1` at the close. */
describe('vectorbt: from_orders', () => {
  const run = { closes: [1, 2, 3, 4, 5], orders: [1, -1, 0, 1, -1] };
  const SIZES = [
    [0, 1],
    [1, -1],
    [3, 1],
    [4, -1],
  ] as const;

  test.each([
    ['slippage=0.0', '', '', [1, 2, 4, 5], [0, 0, 0, 0]],
    ['slippage=0.1', '', ', slippagePercent: 10', [1.1, 1.8, 4.4, 4.5], [0, 0, 0, 0]],
    ['fees=0.1', ', valuePercent: 10', '', [1, 2, 4, 5], [0.1, 0.2, 0.4, 0.5]],
    ['fees=1.0', ', valuePercent: 100', '', [1, 2, 4, 5], [1, 2, 4, 5]],
    ['fees=-0.1', ', takerPercent: -10', '', [1, 2, 4, 5], [-0.1, -0.2, -0.4, -0.5]],
    ['fixed_fees=0.1', ', perOrder: 0.1', '', [1, 2, 4, 5], [0.1, 0.1, 0.1, 0.1]],
    ['fixed_fees=1.0', ', perOrder: 1', '', [1, 2, 4, 5], [1, 1, 1, 1]],
  ])('%s', async (_name, costs, models, prices, fees) => {
    const fills = await fillsOf({ ...run, costs, models: `fill: close${models}` });
    expect(fills).toEqual(SIZES.map(([bar, size], i) => [bar, size, prices[i], fees[i]]));
  });
});

/** A fortieth of a bar's volume of 200 is bought at 3; the price moves by a tenth x the square of that share. */
test('zipline: VolumeShareSlippage', async () => {
  const fills = await fillsOf({
    closes: [3, 3],
    volume: 200,
    tick: 0.000_000_1,
    orders: [100],
    models: 'volumePercent: 2.5, impactPercent: 10',
  });
  expect(fills).toEqual([[1, 5, 3.0001875, 0]]);
});

/** 200 trade at 3 in each bar: basis points of the price, and a part of the volume. */
test.each([
  [5, 10, 100, 3.0015, 20],
  [5, 10, -100, 2.9985, -20],
  [5, 10, 10, 3.0015, 10],
  [5, 10, -10, 2.9985, -10],
  [10, 10, 100, 3.003, 20],
  [5, 20, 100, 3.0015, 40],
])(
  'zipline: FixedBasisPointsSlippage(%i) within %i %% of the volume: %i',
  async (points, part, order, price, qty) => {
    const fills = await fillsOf({
      closes: [3, 3],
      volume: 200,
      tick: 0.000_1,
      orders: [order],
      models: `slippagePercent: ${points / 100}, volumePercent: ${part}`,
    });
    expect(fills).toEqual([[1, qty, price, 0]]);
  },
);

/** 12 of 200 a bar, a fortieth at a time: what `process_order` of zipline-reloaded 3.2.1 gives bar by bar. */
test.each([
  [12, [3.0001875, 3.0001875, 3.00003]],
  [-12, [2.9998125, 2.9998125, 2.99997]],
])('zipline: VolumeShareSlippage over several bars: %i', async (order, prices) => {
  const fills = await fillsOf({
    closes: [3, 3, 3, 3, 3],
    volume: 200,
    tick: 0.000_000_1,
    orders: [order],
    models: 'volumePercent: 2.5, impactPercent: 10',
  });
  const sign = Math.sign(order);
  expect(fills).toEqual([5, 5, 2].map((qty, i) => [i + 1, sign * qty, prices[i], 0]));
});

const slipped = async (models: string, orders: readonly number[]) => {
  const fills = await fillsOf({
    closes: [10, 20, 30, 40],
    bars: [
      [10, 10, 10, 10],
      [20, 21, 19, 20],
      [30, 34, 26, 30],
      [40, 41, 39, 40],
    ],
    orders,
    models: `slippagePercent: 10, ${models}`,
  });
  return fills.map(([bar, size, price]) => [bar, size, price]);
};

/** At the open of the next bar, as these engines fill: a tenth of the price, on prices made here. */
describe('slippage', () => {
  test('backtesting.py: a spread is paid by what opens alone', async () => {
    expect(await slipped('slippageOn: entries', [2, -3, 1])).toEqual([
      [1, 2, 22],
      [2, -2, 30],
      [2, -1, 27],
      [3, 1, 40],
    ]);
  });

  test('backtrader: slip_match without slip_out ends at the extreme of the bar', async () => {
    expect(await slipped('slippageUpTo: bar', [2, -3, 1])).toEqual([
      [1, 2, 21],
      [2, -3, 27],
      [3, 1, 41],
    ]);
  });
});
