/** Sizes by money, and the terms of orders that work, as a strategy reads them in a backtest. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { barPlan } from './bar-run.ts';

const BARS = `time,open,high,low,close,volume
${[100, 100, 100, 110].map((price, hour) => `2026-01-05T0${hour}:00:00Z,${price},${price},${price},${price},900`).join('\n')}
`;
const HOUR_US = 3_600_000_000;

test.each([
  ['of shares that are paid in full', '', '', [95, 1]],
  ['by a margin in percent', '', ', costs: { marginPercent: 10 }', [950, 10]],
  ['by a margin in money', ', margin: { initial: 1000 }', '', [9, 0]],
])('95 and 1 percent of 10,000 at a price of 100 are lots %s', async (_, contract, market, lots) => {
  const seen: unknown[] = [];
  const plan = await barPlan({
    bars: BARS,
    contract,
    market,
    file: ', every: 1h',
    connect(ticks, trader) {
      ticks.bars().subscribe(() => seen.push([95, 1].map((percent) => trader.lotsFor({ percent }))));
    },
  });
  expect(runBacktest(plan).strategies[0]?.stopped).toBeNull();
  expect(seen[0]).toEqual(lots);
});

test('equity follows the open profit, in whole units of the books', async () => {
  const seen: (number | undefined)[] = [];
  const plan = await barPlan({
    bars: BARS,
    file: ', every: 1h',
    connect(ticks, trader) {
      ticks.bars().subscribe(({ close }) => {
        seen.push(trader.equity());
        if (trader.position().qty === 0)
          trader.buy({ qty: trader.lotsFor({ percent: 95 }), price: close, reason: 'all in' });
      });
    },
  });
  const { moneyScale } = runBacktest(plan);
  expect(seen.map((equity) => (equity ?? 0) / moneyScale)).toEqual([10_000, 10_000, 10_000, 10_950]);
});

test('a working order has its price, quantity, what is filled, its trigger and its age', async () => {
  const seen: unknown[] = [];
  const plan = await barPlan({
    bars: BARS,
    file: ', every: 1h',
    connect(ticks, trader) {
      let count = 0;
      ticks.bars().subscribe(() => {
        count += 1;
        if (count === 1) {
          trader.buy({ qty: 7, price: trader.ticks(90), reason: 'far below' });
          trader.submit({
            kind: 'stop',
            side: 'buy',
            qty: 2,
            trigger: trader.ticks(120),
            price: trader.ticks(121),
            reason: 'far above',
          });
        }
        seen.push(
          trader
            .workingOrders()
            .map(({ qty, limitPrice, filledQty, leavesQty, triggerPrice, sinceUs }) => [
              qty,
              trader.points(limitPrice),
              filledQty,
              leavesQty,
              triggerPrice === undefined ? null : trader.points(triggerPrice),
              Math.round((trader.time() - sinceUs) / HOUR_US),
            ]),
        );
      });
    },
  });
  expect(runBacktest(plan).strategies[0]?.stopped).toBeNull();
  expect(seen[2]).toEqual([
    [7, 90, 0, 7, null, 2],
    [2, 121, 0, 2, 120, 2],
  ]);
});
