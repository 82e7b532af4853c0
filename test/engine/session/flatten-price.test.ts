/** Where a flatten prices its exit: bid 1,299.9, ask 1,300.1, last 1,300.0, band 1,209.0 to 1,391.0, slip five ticks. */
import { expect, test } from 'vitest';
import { marketLimit } from '../../../src/domain/contract.ts';
import { at, bookTick, tradeTick } from '../../support/strategy-fixtures.ts';
import { HouseWorld } from '../support/session-world.ts';

const flattenAll = { name: 'flatten', strategy: null, reason: 'by hand' } as const;

function holding(qty: number): HouseWorld {
  const world = new HouseWorld().start();
  world.view.hold(0, qty);
  world.broker.fillUs = null;
  return world;
}

const tick = { seq: 3, tsUs: at('10:00') };
type PriceCase = readonly [
  name: string,
  change: (world: HouseWorld) => unknown,
  qty: number,
  price: string | null,
];

const PRICES: readonly PriceCase[] = [
  ['stays above the floor', ({ view }) => (view.book = bookTick(tick, 12_092, 12_093)), 1, '12090'],
  ['stays below the ceiling', ({ view }) => (view.book = bookTick(tick, 13_907, 13_908)), -1, '13910'],
  ['without a book is at the last trade', ({ view }) => (view.book = undefined), 1, '12995'],
  [
    'of a torn book is at the last trade',
    ({ view }) => (view.book = bookTick(tick, 13_500, 13_400)),
    1,
    '12995',
  ],
  [
    'without a trade is at the reference',
    ({ view }) => Object.assign(view, { book: undefined, trade: undefined }),
    1,
    '12995',
  ],
  [
    'of nothing known is none',
    ({ view }) => Object.assign(view, { book: undefined, trade: undefined, bands: false }),
    1,
    null,
  ],
];

test.each(PRICES)('the price %s', (_, change, qty, price) => {
  const world = holding(qty);
  change(world);
  world.command(flattenAll).run(1);
  expect(world.asks('submit')[0]?.split(' at ')[1] ?? null).toBe(price);
});

test('at a locked limit it queues at the limit and says so', () => {
  const world = holding(1);
  world.view.book = bookTick(tick, null, 12_090);
  world.view.trade = tradeTick(tick, 12_090);
  world.command(flattenAll).run(1);
  expect(world.asks('submit')).toEqual(['submit 0 sell 1 of 0 at 12090']);
  expect(world.said).toEqual([
    'critical locked_limit flatten 41I1G3000 (by hand): the market is locked at its limit 12090: no buyer, the exit waits in the queue',
  ]);
});

test('is at market where the exchange takes that', () => {
  const world = new HouseWorld({ settings: { marketOrders: true } }).start();
  world.view.hold(0, 1);
  world.broker.fillUs = null;
  world.command(flattenAll).run(1);
  expect(world.asks('submit')).toEqual([`submit 0 sell 1 of 0 at ${marketLimit('sell')}`]);
});
