/** Backtests on quotes: what strategies see, what fills cost, and the same sums by a plain loop. */
import { expect, test } from 'vitest';
import { runBacktest } from '../../../src/research/run/run-backtest.ts';
import { runStatistics } from '../../../src/research/statistics/run-statistics.ts';
import { priceTicks, seconds } from '../../../src/domain/units.ts';
import { barPlan } from './bar-run.ts';

interface Quote {
  readonly second: number;
  readonly bid: number;
  readonly ask: number;
}

const stamp = (second: number): string => new Date(Date.UTC(2024, 0, 3) + second * 1_000).toISOString();

/** Points with two digits. */
const csv = (quotes: readonly Quote[]): string =>
  `time,bid,ask\n${quotes.map(({ second, bid, ask }) => `${stamp(second)},${bid / 100},${ask / 100}\n`).join('')}`;

/** A walk with a spread of 1 to 4 ticks from a generator of its own. */
function walk(count: number): readonly Quote[] {
  let state = 12_345;
  const next = (most: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * most);
  };
  let bid = 10_000;
  return Array.from({ length: count }, (_, second) => {
    bid += next(7) - 3;
    return { second, bid, ask: bid + 1 + next(4) };
  });
}

test('a strategy sees each quote in its book first, then its middle as a price', async () => {
  const seen: string[] = [];
  const plan = await barPlan({
    kind: 'quotes',
    bars: csv([
      { second: 0, bid: 10_000, ask: 10_004 },
      { second: 1, bid: 10_001, ask: 10_004 },
    ]),
    connect(ticks, trader) {
      ticks.books$.subscribe(({ bids, asks }) => seen.push(`book ${bids[0]?.price} ${asks[0]?.price}`));
      ticks.trades$.subscribe(({ price }) =>
        seen.push(`price ${price}, book ${trader.lastBook()?.bids[0]?.price}`),
      );
    },
  });
  runBacktest(plan);
  expect(seen).toEqual([
    'book 10000 10004',
    'price 10002, book 10000',
    'book 10001 10004',
    'price 10002, book 10001',
  ]);
});

test.each([
  ['mid', [10_002, 10_006]],
  ['bid', [10_000, 10_004]],
  ['ask', [10_004, 10_008]],
])('bars are those of the %s', async (quotePrice, [low, high]) => {
  const bars: (readonly number[])[] = [];
  const plan = await barPlan({
    kind: 'quotes',
    bars: csv([
      { second: 0, bid: 10_000, ask: 10_004 },
      { second: 3, bid: 10_004, ask: 10_008 },
      { second: 11, bid: 10_004, ask: 10_008 },
    ]),
    data: `, quotePrice: ${quotePrice}`,
    connect(ticks) {
      ticks
        .bars({ every: seconds(10) })
        .subscribe(({ open, high: top, low: bottom, close, trades }) =>
          bars.push([open, top, bottom, close, trades]),
        );
    },
  });
  runBacktest(plan);
  expect(bars[0]).toEqual([low, high, low, high, 2]);
});

test('buying at the ask and selling at the bid comes to the sum of a plain loop', async () => {
  const quotes = walk(2_000);
  const plan = await barPlan({
    kind: 'quotes',
    bars: csv(quotes),
    connect(ticks, trader) {
      let count = 0;
      ticks.trades$.subscribe(({ price }) => {
        const turn = count % 20;
        count += 1;
        if (turn === 5) trader.buy({ qty: 2, price: priceTicks(price + 100), reason: 'in' });
        if (turn === 12) trader.sell({ qty: 2, price: priceTicks(price - 100), reason: 'out' });
      });
    },
  });
  const result = runBacktest(plan);
  // The order is decided on the quote and meets it: its ask in, its bid out, two lots of 0.01 a tick.
  let expected = 0;
  for (let i = 0; i + 12 < quotes.length; i += 20) expected += 2 * (quotes[i + 12]!.bid - quotes[i + 5]!.ask);
  const { netProfit } = runStatistics(result);
  expect(netProfit / result.moneyScale).toBeCloseTo(expected / 100, 9);
  expect(result.counts.fills).toBe(200);
  expect(result.notices.filter(({ code }) => code === 'quotes').map(({ text }) => text)).toEqual([
    'X: fills are at bid and ask, of any size, because the data have no sizes; bars and values count at the mid',
  ]);
});

test('row by row comes to the same', async () => {
  const quotes = walk(3_000);
  const plan = () =>
    barPlan({
      kind: 'quotes',
      bars: csv(quotes),
      connect(ticks, trader) {
        let count = 0;
        ticks.trades$.subscribe(({ price }) => {
          count += 1;
          if (count % 50 !== 0) return;
          for (const { clientOrderId } of trader.workingOrders()) trader.cancel(clientOrderId);
          trader.buy({ qty: 1, price: priceTicks(price - 4), reason: 'wait' });
          trader.sell({ qty: 1, price: priceTicks(price + 4), reason: 'wait' });
        });
      },
    });
  const quick = runBacktest(await plan());
  const slow = runBacktest(await plan(), { isRowByRow: true });
  expect(quick.counts.fills).toBeGreaterThan(20);
  expect(slow.journalHash).toBe(quick.journalHash);
});
