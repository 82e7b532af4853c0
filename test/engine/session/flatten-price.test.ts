/** Where a flatten prices its exit: bid 1,299.9, ask 1,300.1, last 1,300.0, band 1,209.0 to 1,391.0, slip five ticks. */
import { expect, test } from 'vitest';
import { marketLimit } from '../../../src/domain/contract.ts';
import { SessionWorld, type WorldOptions } from '../support/session-world.ts';

const flattenAll = { name: 'flatten', strategy: null, reason: 'by hand' } as const;

function holding(qty: number, has: WorldOptions['has'] = {}): SessionWorld {
  const world = new SessionWorld({ has }).start().hold(0, qty);
  world.broker.fillUs = null;
  return world;
}

/** The stream went and came back. */
const emptied = ({ state: { market } }: SessionWorld): void => {
  market.onStreamDown();
  market.onStreamUp();
};

test.each([
  ['stays above the floor', (world) => world.book(12_092, 12_093), 1, '12090', {}],
  ['stays below the ceiling', (world) => world.book(13_907, 13_908), -1, '13910', {}],
  ['without a book is at the last trade', emptied, 1, '12995', {}],
  ['of a torn book is at the last trade', (world) => world.book(13_500, 13_400), 1, '12995', {}],
  ['without a trade is at the reference', emptied, 1, '12995', { trades: false }],
  ['of nothing known is none', emptied, 1, null, { trades: false, reference: false }],
] as [string, (world: SessionWorld) => unknown, number, string | null, WorldOptions['has']][])(
  'the price %s',
  (_, change, qty, price, has) => {
    const world = holding(qty, has);
    change(world);
    world.command(flattenAll).run(1);
    expect(world.asks('submit')[0]?.split(' at ')[1] ?? null).toBe(price);
  },
);

test('at a locked limit it queues at the limit and says so', () => {
  const world = holding(1);
  world.book(null, 12_090).trade(12_090).command(flattenAll).run(1);
  expect(world.asks('submit')).toEqual(['submit 0 sell 1 of 0 at 12090']);
  expect(world.said).toEqual([
    'critical locked_limit flatten 41I1G3000 (by hand): the market is locked at its limit 1209.0: no buyer, the exit waits in the queue',
  ]);
});

test('is at market where the exchange takes that', () => {
  const world = new SessionWorld({ settings: { marketOrders: true } }).start();
  world.hold(0, 1);
  world.broker.fillUs = null;
  world.command(flattenAll).run(1);
  expect(world.asks('submit')).toEqual([`submit 0 sell 1 of 0 at ${marketLimit('sell')}`]);
});
