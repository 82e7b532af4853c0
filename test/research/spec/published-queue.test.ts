/**
 * The place in a queue as hftbacktest's documents work it out (MIT): orders of 10 and 15 rest before ours of 5, of 20 and 30 behind it;
 * when 30 contracts trade at the price, both before us and ours are filled and nothing behind. Times are made here, and the orders
 * are levels of a book.
 */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { priceTicks, seconds } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

const START = Date.UTC(2024, 0, 3) * 1_000;

const HEADER = 'time,price,volume,side,bid_1,bid_size_1,ask_1,ask_size_1\n';

/** The bid's 75 after the orders behind ours came, less what is sold to it second by second. */
function tape(sizes: readonly number[]): string {
  let bid = 75;
  const rows = [
    [0, '', 0, '', 100, 25, 101, 50],
    [2, '', 0, '', 100, bid, 101, 50],
    ...sizes.map((size, i) => [3 + i, 100, size, 'sell', 100, (bid -= size), 101, 50]),
  ];
  return (
    HEADER +
    rows.map(([second, ...cells]) => `${START + Number(second) * 1_000_000},${cells.join(',')}\n`).join('')
  );
}

/** Buys 5 at 100 when the offer came; each fill as `second qty`. */
async function filled(bars: string): Promise<readonly string[]> {
  let isSent = false;
  const plan = await barPlan({
    kind: 'prints',
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
])('hftbacktest: %s', async (_, sizes, fills) => {
  expect(await filled(tape(sizes))).toEqual(fills);
});
