/** Money of backtests on bars, worked out by hand: cash, margin, costs. */
import { describe, expect, test } from 'vitest';
import type { BacktestResult } from '../../../../src/backtest/backtest-result.ts';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { minutes, priceTicks } from '../../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

type Order = readonly [side: 'buy' | 'sell', qty: number, points: number];

interface Minutes {
  /** One minute each, all four prices alike, in points. */
  readonly prices: readonly number[];
  /** Sent at the end of its minute; the next one's open fills it. */
  readonly orders: Readonly<Record<number, Order>>;
  readonly market?: string;
  readonly more?: string;
}

async function played({ prices, orders, market = '', more = '' }: Minutes): Promise<BacktestResult> {
  const bars = prices.map(
    (price, i) =>
      `2024-01-03T00:${String(i).padStart(2, '0')}:00Z,${price},${price},${price},${price},1000\n`,
  );
  let minute = 0;
  const plan = await barPlan({
    bars: `time,open,high,low,close,volume\n${bars.join('')}`,
    file: ', every: 1m',
    market,
    more,
    connect(ticks, trader) {
      ticks.bars({ every: minutes(1) }).subscribe(() => {
        const [side, qty, points] = orders[minute] ?? [];
        minute += 1;
        if (side !== undefined)
          trader.submit(side, {
            qty: qty ?? 0,
            price: priceTicks(Math.round(100 * (points ?? 0))),
            reason: 'test',
          });
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
    expect(one!.denials.map(({ code }) => code)).toEqual(['-6012']);
  });
});
