/**
 * The life of a normal order in its letters (notes, 3): each row of the table of `status` and `quote`, and the
 * ways a cancel or a change can lose against a fill. The gateway takes a second, so that every letter can be seen.
 */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { firstRow, rowsOf } from './support/bare-client.ts';
import { type Market, openMarket, order, placed } from './support/market.ts';
import type { Json } from './document/answer-check.ts';

const GATEWAY = seconds(1);
const HALF = seconds(0.5);

const openSlowMarket = (): Promise<Market> => openMarket({ rules: { gatewayDelay: GATEWAY } });

/** Alice's order of five at 1300, at the exchange. */
async function resting(market: Market): Promise<string> {
  const orderNo = await placed(market.alice, 'B', market.front, 1_300, 5);
  market.time.advance(GATEWAY);
  return orderNo;
}

async function hit({ bob, front, time }: Market, volume: number): Promise<void> {
  await placed(bob, 'S', front, 1_300, volume);
  time.advance(GATEWAY);
}

const cancel = ({ alice }: Market, orderNo: string) => alice.call('cancel', { orderNo });
const change = ({ alice }: Market, orderNo: string, nprice: number, nvol: number) =>
  alice.call('change', { orderNo, nprice, nvol, refId: 'H.change' });

async function seen({ alice }: Market, orderNo: string): Promise<Json> {
  const rows = rowsOf(await alice.call('in-day'));
  const row = rows.find((candidate) => candidate['orderNo'] === orderNo);
  if (row === undefined) throw new Error(`no order ${orderNo}`);
  return row;
}

type Story = (market: Market) => Promise<string>;

/** Of the order that rests: one step after the other. */
const then =
  (...steps: readonly ((market: Market, orderNo: string) => unknown)[]): Story =>
  async (market) => {
    const orderNo = await resting(market);
    for (const step of steps) await step(market, orderNo);
    return orderNo;
  };
const confirmed = ({ time }: Market): void => time.advance(GATEWAY);
const moved = (market: Market, orderNo: string) => change(market, orderNo, 1_300.5, 5);
const matches = (volume: number) => (market: Market) => hit(market, volume);

const STORIES: readonly (readonly [string, string, Json, Story])[] = [
  [
    'waits at the gateway, where it can be canceled in the queue',
    'P/G',
    { matchVolume: 0, isCancel: '1', isAmend: '0' },
    ({ alice, front }) => placed(alice, 'B', front, 1_300, 5),
  ],
  ['accepted by the exchange, resting', 'P/Y', { matchVolume: 0, isCancel: '1', isAmend: '1' }, resting],
  [
    'a change waits for confirmation',
    'PC/G',
    { matchVolume: 0, volume: 5, showPrice: '1300.0', isAmend: '0' },
    then(moved),
  ],
  [
    'a change is confirmed, the order rests',
    'PC/Y',
    { matchVolume: 0, volume: 5, showPrice: '1300.5', isCancel: '1', isAmend: '1' },
    then(moved, confirmed),
  ],
  [
    'a cancel is requested',
    'PW/',
    { matchVolume: 0, isCancel: '0', isAmend: '0', cancelTime: '' },
    then(cancel),
  ],
  [
    'canceled',
    'PWX/',
    { matchVolume: 0, isCancel: '0', isAmend: '0', cancelTime: '10:00:02' },
    then(cancel, confirmed),
  ],
  [
    'canceled in the queue of the gateway, at once',
    'PWX/',
    { matchVolume: 0, isCancel: '0', isAmend: '0', cancelTime: '10:00:00' },
    async (market) => {
      const orderNo = await placed(market.alice, 'B', market.front, 1_300, 5);
      await cancel(market, orderNo);
      return orderNo;
    },
  ],
  [
    'partly matched: the matched volume is below the volume',
    'PM/',
    {
      matchVolume: 2,
      volume: 5,
      isCancel: '1',
      isAmend: '1',
      matchValue: '260000000',
      matchPriceBQ: '1300.0000',
    },
    then(matches(2)),
  ],
  ['matched', 'PM/', { matchVolume: 5, volume: 5, isCancel: '0', isAmend: '0' }, then(matches(5))],
  [
    'partly matched, a cancel of the rest is requested',
    'PMW/G',
    { matchVolume: 2, isCancel: '0', isAmend: '0' },
    then(matches(2), cancel),
  ],
  [
    'partly matched, the rest is canceled',
    'PMWX/Y',
    { matchVolume: 2, isCancel: '0', isAmend: '0', cancelTime: '10:00:03' },
    then(matches(2), cancel, confirmed),
  ],
];

describe('status and quote', () => {
  it.each(STORIES)('%s: %s', async (_what, letters, fields, story) => {
    const market = await openSlowMarket();
    const orderNo = await story(market);
    const row = await seen(market, orderNo);
    const [status, quote] = letters.split('/');
    expect(row).toMatchObject({ ...fields, status, quote, orderStatus: status, side: 'B' });
  });
});

describe('a race', () => {
  it('a cancel that comes after the fill: PW ends as PM', async () => {
    const market = await openSlowMarket();
    const orderNo = await resting(market);
    await placed(market.bob, 'S', market.front, 1_300, 5);
    market.time.advance(HALF);
    expect(firstRow(await cancel(market, orderNo))).toMatchObject({ orderNo, status: 'PW' });
    expect(await seen(market, orderNo)).toMatchObject({ status: 'PW', matchVolume: 0 });
    market.time.advance(GATEWAY);
    expect(await seen(market, orderNo)).toMatchObject({ status: 'PM', matchVolume: 5 });
  });

  it('a cancel that comes before: PW ends as PWX, and the other side finds nothing', async () => {
    const market = await openSlowMarket();
    const orderNo = await resting(market);
    await cancel(market, orderNo);
    market.time.advance(HALF);
    await placed(market.bob, 'S', market.front, 1_300, 5);
    market.time.advance(GATEWAY);
    expect(await seen(market, orderNo)).toMatchObject({ status: 'PWX', matchVolume: 0 });
    expect(firstRow(await market.bob.call('in-day'))).toMatchObject({ status: 'P' });
  });

  it('a fill of a part on the way of a cancel: PW, PMW, PMWX', async () => {
    const market = await openSlowMarket();
    const orderNo = await resting(market);
    await placed(market.bob, 'S', market.front, 1_300, 2);
    market.time.advance(HALF);
    await cancel(market, orderNo);
    market.time.advance(HALF);
    expect(await seen(market, orderNo)).toMatchObject({ status: 'PMW', matchVolume: 2 });
    market.time.advance(HALF);
    expect(await seen(market, orderNo)).toMatchObject({ status: 'PMWX', matchVolume: 2 });
  });

  it('a change that comes after the fill: PC ends as PM, at the old price', async () => {
    const market = await openSlowMarket();
    const orderNo = await resting(market);
    await placed(market.bob, 'S', market.front, 1_300, 5);
    market.time.advance(HALF);
    expect(firstRow(await change(market, orderNo, 1_299, 5))).toMatchObject({ status: 'PC' });
    market.time.advance(GATEWAY);
    expect(await seen(market, orderNo)).toMatchObject({ status: 'PM', showPrice: '1300.0' });
  });

  it('a change that comes before: PC ends resting, at the new price', async () => {
    const market = await openSlowMarket();
    const orderNo = await resting(market);
    await change(market, orderNo, 1_299, 5);
    market.time.advance(HALF);
    await placed(market.bob, 'S', market.front, 1_300, 5);
    market.time.advance(GATEWAY);
    const row = { status: 'PC', quote: 'Y', matchVolume: 0, showPrice: '1299.0' };
    expect(await seen(market, orderNo)).toMatchObject(row);
  });

  it('a change and a cancel of one order: the cancel is the last word', async () => {
    const market = await openSlowMarket();
    const orderNo = await resting(market);
    await change(market, orderNo, 1_299, 5);
    await cancel(market, orderNo);
    market.time.advance(GATEWAY);
    expect(await seen(market, orderNo)).toMatchObject({ status: 'PWX', matchVolume: 0 });
  });
});

describe('its place in the queue', () => {
  type Change = readonly [price: number, volume: number];
  const KEPT: readonly Change[] = [[1_300, 2]];
  it.each<[string, readonly Change[], 'first' | 'second']>([
    ['nothing changed', [], 'first'],
    ['a decrease alone', KEPT, 'first'],
    ['a decrease, and another one', [...KEPT, [1_300, 1]], 'first'],
    ['an increase', [[1_300, 4]], 'second'],
    [
      'an increase, taken back',
      [
        [1_300, 4],
        [1_300, 3],
      ],
      'second',
    ],
    [
      'another price, and back',
      [
        [1_299, 3],
        [1_300, 3],
      ],
      'second',
    ],
  ])('after %s', async (_what, changes, expected) => {
    const market = await openMarket();
    const { alice, bob, front } = market;
    const first = await placed(alice, 'B', front, 1_300, 3);
    const second = await placed(alice, 'B', front, 1_300, 3);
    for (const [price, volume] of changes) {
      expect((await change(market, first, price, volume)).json['rc']).toBe('1');
    }
    await placed(bob, 'S', front, 1_300, 1);
    const winner = Number((await seen(market, first))['matchVolume']) === 1 ? 'first' : 'second';
    expect(winner).toBe(expected);
    const loser = await seen(market, expected === 'first' ? second : first);
    expect(loser['matchVolume']).toBe(0);
  });
});

it('orders are numbered through the day, and their keys are never the same', async () => {
  const { alice, bob, front } = await openMarket();
  const rows: Json[] = [];
  for (const client of [alice, bob, alice]) rows.push(firstRow(await order(client, 'B', front, 1_290, 1)));
  expect(rows.map((row) => row['orderNo'])).toEqual(['1', '2', '3']);
  expect(new Set(rows.map((row) => row['pk_orderNo'])).size).toBe(3);
});
