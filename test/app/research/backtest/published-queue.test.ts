/**
 * The place in a queue as hftbacktest's documents work it out (MIT): orders of 10 and 15 stand before ours of 5, of 20 and 30 behind it;
 * when 30 contracts trade at the price, both before us and ours are filled and nothing behind. Orders and times are made here, as a file
 * of single orders.
 */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../../src/backtest/run/run-backtest.ts';
import { priceTicks, seconds } from '../../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

const START = Date.UTC(2024, 0, 3) * 1_000;

type Row = readonly [
  second: number,
  action: string,
  side: 'B' | 'A',
  price: number,
  size: number,
  order: number,
];

const orderFile = (rows: readonly Row[]): string =>
  `ts_event,action,side,price,size,order_id\n${rows
    .map(([second, ...cells]) => `${START + second * 1_000_000}000,${cells.join(',')}\n`)
    .join('')}`;

const BEFORE: readonly Row[] = [
  [0, 'A', 'B', 100, 10, 1],
  [0, 'A', 'B', 100, 15, 2],
  [0, 'A', 'A', 101, 50, 9],
];
const BEHIND: readonly Row[] = [
  [2, 'A', 'B', 100, 20, 3],
  [2, 'A', 'B', 100, 30, 4],
];

/** Sells `sizes` to the orders 1, 2, 3 and so on, in a second each. */
const sold = (...sizes: readonly number[]): readonly Row[] =>
  sizes.flatMap((size, i): readonly Row[] => [
    [3 + i, 'T', 'A', 100, size, 0],
    [3 + i, 'F', 'B', 100, size, i + 1],
    [3 + i, 'C', 'B', 100, size, i + 1],
  ]);

/** Buys 5 at 100 when the offer came; each fill as `second qty`. */
async function filled(bars: string): Promise<readonly string[]> {
  let isSent = false;
  const plan = await barPlan({
    kind: 'depth',
    bars,
    tick: 1,
    capital: 100_000,
    connect(ticks, trader) {
      ticks.books$.subscribe(({ asks }) => {
        if (asks.length > 0 && !isSent)
          trader.after(seconds(1), () => trader.buy({ qty: 5, price: priceTicks(100), reason: 'queue' }));
        isSent ||= asks.length > 0;
      });
    },
  });
  const [one] = runBacktest(plan).strategies;
  expect(one!.denials).toEqual([]);
  return [...one!.fills].map(({ tsUs, qty }) => `${(tsUs - START) / 1_000_000} ${qty}`);
}

test.each([
  ['30 contracts: ours is filled', [10, 15, 5], ['5 5']],
  ['25 contracts: ours is next', [10, 15], []],
  ['27 contracts: 2 of ours', [10, 15, 2], ['5 2']],
])('hftbacktest, with the orders known: %s', async (_, sizes, fills) => {
  expect(await filled(orderFile([...BEFORE, ...BEHIND, ...sold(...sizes)]))).toEqual(fills);
});
