/** Money of backtests on bars, worked out by hand: cash, margin, costs. */
import type { BacktestResult } from '../../../src/research/backtest-result.ts';
import { describe, expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { minutes, priceTicks } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

/** `more`: of a second order in the same event. */
type Order = readonly [side: 'buy' | 'sell', qty: number, points: number, more?: number];

interface Minutes {
  /** One minute each in points: open, high, low and close, or one price for all of them. */
  readonly prices: readonly (number | readonly number[])[];
  /** Sent at the end of its minute; the next one's open fills it. */
  readonly orders: Readonly<Record<number, Order>>;
  readonly market?: string;
  /** Further keys of the contract. */
  readonly contract?: string;
  readonly more?: string;
}

async function played({
  prices,
  orders,
  market = '',
  contract = '',
  more = '',
}: Minutes): Promise<BacktestResult> {
  const bars = prices.map((price, i) => {
    const time = `2024-01-03T00:${String(i).padStart(2, '0')}:00Z`;
    return `${time},${(typeof price === 'number' ? [price, price, price, price] : price).join()},1000\n`;
  });
  let minute = 0;
  const plan = await barPlan({
    bars: `time,open,high,low,close,volume\n${bars.join('')}`,
    file: ', every: 1m',
    market,
    contract,
    more,
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(() => {
        const [side, first, points, more] = orders[minute] ?? [];
        minute += 1;
        if (side === undefined) return;
        for (const qty of [first, more])
          if (qty !== undefined)
            trader.submit(side, { qty, price: priceTicks(Math.round(100 * (points ?? 0))), reason: 'test' });
      });
    },
  });
  return runBacktest(plan);
}

/** `equity cash margin buying-power` at each full minute at which it differs from the one before, in the currency. */
function funds({ equity, funds: { cash, marginUsed, buyingPower }, moneyScale }: BacktestResult) {
  const rows = Array.from(equity.values, (value, i) =>
    [value, cash[i]!, marginUsed[i]!, buyingPower[i]!].map((each) => each / moneyScale).join(' '),
  );
  return rows.filter((row, i) => row !== rows[i - 1]);
}

describe('cash, margin used and buying power', () => {
  /** 40 bought at 100: 4,000 leave the cash of 10,000, whatever the price is then; 6,000 may be spent, before and after a rise. */
  test('shares are paid in full, and a rise takes no cash away', async () => {
    const run = await played({
      prices: [100, 100, 110, 90, 90],
      orders: { 0: ['buy', 40, 150], 3: ['sell', 40, 50] },
    });
    expect(funds(run)).toEqual([
      '10000 10000 0 10000',
      '10000 6000 4000 6000',
      '10400 6000 4400 6000',
      '9600 6000 3600 6000',
      '9600 9600 0 9600',
    ]);
  });

  /** 60 sold short at 100 bring 6,000 into the cash; each 100 of loss takes from equity and adds to margin. */
  test('shares sold short', async () => {
    const run = await played({ prices: [100, 100, 110], orders: { 0: ['sell', 60, 50] } });
    expect(funds(run)).toEqual(['10000 10000 0 10000', '10000 16000 6000 4000', '9400 16000 6600 2800']);
  });

  /** 10 % of 500 x 100 is 5,000; at 101 it is 5,050 and 500 were won. An order for 100 at 90 holds 900. */
  test('what is margined leaves the cash alone, and orders that work hold their margin', async () => {
    const run = await played({
      prices: [100, 100, 101, 101],
      orders: { 0: ['buy', 500, 150], 2: ['buy', 100, 90] },
      market: ', costs: { marginPercent: 10 }',
    });
    expect(funds(run)).toEqual([
      '10000 10000 0 10000',
      '10000 10000 5000 5000',
      '10500 10000 5050 5450',
      '10500 10000 5050 4550',
    ]);
  });

  /** 6,000 of 10,000 are paid; after a rise to 120 the 4,000 are still there, and 33 at 120 are 3,960. */
  test('what the cash pays for is not refused after a rise', async () => {
    const run = await played({
      prices: [100, 100, 120, 120, 120],
      orders: { 0: ['buy', 60, 150], 2: ['buy', 33, 150], 3: ['buy', 1, 150] },
    });
    const [one] = run.strategies;
    expect([...one!.fills].map(({ qty, orderNo }) => [qty, orderNo])).toEqual([
      [60, 1],
      [33, 2],
    ]);
    expect(one!.denials).toMatchObject([
      { code: '-6012', text: 'Not enough buying power: 120 needed, 40 there' },
    ]);
  });
});

/** `side qty at price: fee, tax` of each fill, in the currency. */
function charged({ strategies, moneyScale }: BacktestResult): readonly string[] {
  return strategies.flatMap(({ fills }) =>
    [...fills].map(
      ({ side, qty, priceTicks: price, fee, tax }) =>
        `${side} ${qty} at ${price / 100}: ${fee / moneyScale}, ${tax / moneyScale}`,
    ),
  );
}

const turned = async (prices: readonly number[], turn: number, points: number) => {
  const { strategies } = await played({ prices, orders: { 0: ['sell', 50, 90], 2: ['buy', turn, points] } });
  return [...strategies[0]!.fills].map(({ side, qty }) => `${side} ${qty}`);
};

/** Short 50 at 100 with 10,000: at 180 there is an equity of 6,000, which carries 33 the other way round. */
describe('an order that turns a position round', () => {
  test.each([
    ['at the last price', 83, ['sell 50', 'buy 83']],
    ['beyond its equity', 84, ['sell 50']],
    ['to flat alone', 50, ['sell 50', 'buy 50']],
  ])('%s', async (_name, qty, fills) => {
    expect(await turned([100, 100, 180, 180, 180], qty, 180)).toEqual(fills);
  });

  /** The first closes 50, the second may open 33 at most. */
  test.each([
    ['within its equity', 33, ['sell 50', 'buy 50', 'buy 33']],
    ['beyond its equity', 34, ['sell 50', 'buy 50']],
  ])('with two orders of one event, %s', async (_name, qty, fills) => {
    const { strategies } = await played({
      prices: [100, 100, 180, 180, 180],
      orders: { 0: ['sell', 50, 90], 2: ['buy', 50, 180, qty] },
    });
    expect([...strategies[0]!.fills].map((fill) => `${fill.side} ${fill.qty}`)).toEqual(fills);
  });

  /** Both wait for 170, where an equity of 6,500 carries 38 the other way round. */
  test.each([
    ['within its equity', 38, ['sell 50', 'buy 50', 'buy 38']],
    ['beyond its equity', 39, ['sell 50', 'buy 50']],
  ])('with two limits that wait, %s', async (_name, qty, fills) => {
    const { strategies } = await played({
      prices: [100, 100, 180, 170, 170],
      orders: { 0: ['sell', 50, 90], 2: ['buy', 50, 170, qty] },
    });
    expect([...strategies[0]!.fills].map((fill) => `${fill.side} ${fill.qty}`)).toEqual(fills);
  });

  test('at a better limit counts what it earns', async () => {
    expect(await turned([100, 100, 180, 120, 120], 125, 120)).toEqual(['sell 50', 'buy 125']);
    expect(await turned([100, 100, 180, 120, 120], 126, 120)).toEqual(['sell 50']);
  });
});

describe('fees', () => {
  /** 0.05 % of 12.50 is 0.00625, of 22.50 0.01125, of 62.50 0.03125. */
  test.each([
    ['none', 'half_up', '0.00625', '0.01125', '0.03125'],
    ['order', 'half_up', '0.01', '0.01', '0.03'],
    ['order', 'half_even', '0.01', '0.01', '0.03'],
    ['order', 'up', '0.01', '0.02', '0.04'],
  ])('rounded per %s, %s, to the cent', async (per, mode, ...fees) => {
    const run = await played({
      prices: [12.5, 12.5, 22.5, 40, 62.5],
      orders: { 0: ['buy', 1, 20], 1: ['buy', 1, 23], 3: ['buy', 1, 70] },
      market: `, costs: { valuePercent: 0.05, rounding: { per: ${per}, mode: ${mode} } }`,
    });
    expect(charged(run)).toEqual([12.5, 22.5, 62.5].map((price, i) => `buy 1 at ${price}: ${fees[i]}, 0`));
  });

  /** 0.5 % of 1, 3 and 5 are 0.005, 0.015 and 0.025: halves of a cent. */
  test.each([
    ['half_up', '0.01', '0.02', '0.03'],
    ['half_even', '0', '0.02', '0.02'],
  ])('half a cent, %s', async (mode, ...fees) => {
    const run = await played({
      prices: [1, 1, 2, 3, 4, 5],
      orders: { 0: ['buy', 1, 1], 2: ['buy', 1, 3], 4: ['buy', 1, 5] },
      market: `, costs: { valuePercent: 0.5, rounding: { per: order, mode: ${mode} } }`,
    });
    expect(charged(run)).toEqual([1, 3, 5].map((price, i) => `buy 1 at ${price}: ${fees[i]}, 0`));
  });

  /** 0.02 % of 1,234 is 0.2468 and rounds to nothing in dong; with decimals: 1 to 0.2. */
  test.each([
    ['currency: VND', '0'],
    ['currency: JPY', '0'],
    ['currency: USD', '0.25'],
    ['currency: BTC', '0.2468'],
    ['currency: VND, decimals: 1', '0.2'],
  ])('in the decimals of %s', async (text, fee) => {
    const [currency, decimals = ''] = text.split(', ');
    const run = await played({
      prices: [1234, 1234],
      orders: { 0: ['buy', 1, 1300] },
      market: `, ${currency}, costs: { valuePercent: 0.02, rounding: { per: order${decimals && `, ${decimals}`} } }`,
    });
    expect(charged(run)).toEqual([`buy 1 at 1234: ${fee}, 0`]);
  });

  /** A tenth of each bar fills 100: 0.001 % of 330 is 0.0033; of the order 0.0033, 0.0066 and 0.0099. */
  test.each([
    ['order', ['0', '0.01', '0']],
    ['fill', ['0', '0', '0']],
  ])('of an order in three fills, rounded per %s', async (per, fees) => {
    const run = await played({
      prices: [3.3, 3.3, 3.3, 3.3],
      orders: { 0: ['buy', 300, 4] },
      market: `, costs: { valuePercent: 0.001, rounding: { per: ${per} } }`,
      more: 'models: { volumePercent: 10 }',
    });
    expect(charged(run)).toEqual(fees.map((fee) => `buy 100 at 3.3: ${fee}, 0`));
  });

  /** The buyer at 100 takes: 0.04000001 % of 10,000 is 4.000001; the seller at 101 waits: -0.01 % of 10,100 is -1.01. */
  test('of takers and makers, with eight digits, a rebate below zero', async () => {
    const run = await played({
      prices: [100, 100, [100, 102, 100, 102], 102],
      orders: { 0: ['buy', 100, 110], 1: ['sell', 100, 101] },
      market:
        ', costs: { takerPercent: 0.04000001, makerPercent: -0.01, marginPercent: 10, rounding: { per: order, decimals: 6 } }',
      more: 'models: { fill: ohlc }',
    });
    expect(charged(run)).toEqual(['buy 100 at 100: 4.000001, 0', 'sell 100 at 101: -1.01, 0']);
  });

  /** 0.005 a share: 100 are 0.50, the least is 1; 400 are 2. The tax on what is sold is 0.00278 % of 40,000: 1.112. */
  test('per share with a least fee, and a tax on what is sold', async () => {
    const run = await played({
      prices: [100, 100, 100, 100],
      orders: { 0: ['buy', 100, 110], 1: ['buy', 300, 110], 2: ['sell', 400, 90] },
      market: ', costs: { perContract: 0.005, orderMin: 1, sellTaxPercent: 0.00278, marginPercent: 10 }',
    });
    expect(charged(run)).toEqual([
      'buy 100 at 100: 1, 0',
      'buy 300 at 100: 1.5, 0',
      'sell 400 at 100: 2, 1.112',
    ]);
  });
});

describe('margin', () => {
  /** 10,000 carry 4 contracts at 2,500 each and no fifth, whatever they cost. */
  test('a fixed amount a contract opens as many as the cash carries', async () => {
    const run = await played({
      prices: [100, 100, 100, 100],
      orders: { 0: ['buy', 5, 150], 1: ['buy', 4, 150] },
      contract: ', margin: { initial: 2500, maintenance: 2000 }',
    });
    expect(run.strategies[0]!.denials.map(({ code }) => code)).toEqual(['-6012']);
    expect(funds(run).at(-1)).toBe('10000 10000 10000 0');
  });

  /**
   * Four at 100, 50 a point: at 91 equity is 8,200, above 4 x 2,000; at 89 it is 7,800, 200 too little, and one is closed: at the
   * next open, 88, for a loss of 600 in all 2,400. 7,600 carry three, 6,000.
   */
  test('below maintenance the broker closes as few contracts as bring it back', async () => {
    const run = await played({
      prices: [100, 100, 91, 89, 88, 88],
      orders: { 0: ['buy', 4, 150] },
      contract: ', pointValue: 50, margin: { initial: 2500, maintenance: 2000 }',
    });
    const fills = [...run.strategies[0]!.fills];
    expect(fills.map(({ side, qty, priceTicks: price, cause }) => [side, qty, price / 100, cause])).toEqual([
      ['buy', 4, 100, 'order'],
      ['sell', 1, 88, 'forced'],
    ]);
    expect(funds(run).at(-1)).toBe('7600 9400 7500 100');
  });

  /** 200 at 100 with 50 %; 25 % must stay: 200 x 66 is 13,200 and a quarter 3,300, equity 3,200. */
  test('a maintenance rate of the value', async () => {
    const run = await played({
      prices: [100, 100, 67, 66, 66, 66],
      orders: { 0: ['buy', 200, 150] },
      market: ', costs: { marginPercent: 50, maintenancePercent: 25 }',
    });
    const fills = [...run.strategies[0]!.fills];
    // 100 too much at 16.50 a share: seven.
    expect(fills.map(({ side, qty, priceTicks: price, cause }) => [side, qty, price / 100, cause])).toEqual([
      ['buy', 200, 100, 'order'],
      ['sell', 7, 66, 'forced'],
    ]);
  });
});

test('a capital that leaves no room for exact money, and two rules to close by, are refused', async () => {
  const still = { prices: [100, 100], orders: {} };
  await expect(played({ ...still, contract: ', lot: 0.0000000001' })).rejects.toThrow(
    /capital: expected at most \d+ USD, was 10000 \(one tick of one lot needs 12 digits behind the point/,
  );
  await expect(
    played({ ...still, market: ', costs: { maintenancePercent: 25 }', more: 'entryPercent: 80' }),
  ).rejects.toThrow('entryPercent: expected no ratio where contracts have maintenance margin');
});
