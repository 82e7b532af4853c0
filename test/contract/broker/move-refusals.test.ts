/** What a change and a cancel of a normal order are refused for, every row of the table (notes, 3), and nothing done. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import type { Answer } from './support/bare-client.ts';
import { firstRow } from './support/bare-client.ts';
import { type Market, openMarket, placed, withReadings } from './support/market.ts';
import { type Attempt, refusal, refusedCall } from './support/refusal.ts';

const GATEWAY = seconds(1);
const openSlowMarket = (): Promise<Market> => openMarket({ rules: { gatewayDelay: GATEWAY } });

const cancel = ({ alice }: Market, orderNo: string): Promise<Answer> => alice.call('cancel', { orderNo });
const change = ({ alice }: Market, orderNo: string, nprice: number, nvol: number): Promise<Answer> =>
  alice.call('change', { orderNo, nprice, nvol, refId: 'H.change' });

type Made = (market: Market) => Promise<string>;

const resting: Made = ({ alice, front }) => placed(alice, 'B', front, 1_290, 2);
const foreign: Made = ({ bob, front }) => placed(bob, 'B', front, 1_290, 2);
const unknown: Made = async () => '99';
const matched: Made = async ({ alice, bob, front }) => {
  const orderNo = await placed(alice, 'B', front, 1_300, 1);
  await placed(bob, 'S', front, 1_300, 1);
  return orderNo;
};
const partly: Made = async ({ alice, bob, front }) => {
  const orderNo = await placed(alice, 'B', front, 1_300, 5);
  await placed(bob, 'S', front, 1_300, 3);
  return orderNo;
};
const canceled: Made = async (market) => {
  const orderNo = await resting(market);
  await cancel(market, orderNo);
  return orderNo;
};
const leaving: Made = async (market) => {
  const orderNo = await resting(market);
  market.time.advance(GATEWAY);
  await cancel(market, orderNo);
  return orderNo;
};

const canceling =
  (make: Made): Attempt =>
  async (market) => {
    const orderNo = await make(market);
    return () => cancel(market, orderNo);
  };
const changing =
  (make: Made, price: number, volume: number): Attempt =>
  async (market) => {
    const orderNo = await make(market);
    return () => change(market, orderNo, price, volume);
  };

const CANCELS = [
  refusal('-6014', 'a canceled order', canceling(canceled)),
  refusal('-6014', 'an order whose cancel is on its way', canceling(leaving), openSlowMarket),
  refusal('-8004', 'a matched order', canceling(matched)),
  refusal('-6003', 'an order that nobody placed', canceling(unknown)),
  refusal('-6003', 'somebody else’s order', canceling(foreign)),
];

const CHANGES = [
  refusal('-6015', 'of a canceled order', changing(canceled, 1_291, 2)),
  refusal('-6015', 'of an order whose cancel is on its way', changing(leaving, 1_291, 2), openSlowMarket),
  refusal('-6015', 'of an order that waits at the gateway', changing(resting, 1_291, 2), openSlowMarket),
  refusal('-6015', 'of nothing', changing(resting, 1_290, 2)),
  refusal('-8004', 'of a matched order', changing(matched, 1_291, 1)),
  refusal('-6048', 'of price and volume', changing(resting, 1_291, 3)),
  refusal('-6019', 'to no volume', changing(resting, 1_290, 0)),
  refusal('-6019', 'to a part of a contract', changing(resting, 1_290, 1.5)),
  refusal('-6019', 'to the volume that is matched', changing(partly, 1_300, 3)),
  refusal('-6034', 'to more than 500 contracts', changing(resting, 1_290, 501)),
  refusal('-6012', 'beyond the buying power', changing(resting, 1_290, 400)),
  refusal('-6035', 'below the floor', changing(resting, 1_000, 2)),
  refusal('-6035', 'above the ceiling', changing(resting, 1_500, 2)),
  refusal('-6021', 'off the ticks', changing(resting, 1_290.01, 2)),
  refusal('-6003', 'of an order that nobody placed', changing(unknown, 1_291, 2)),
  refusal('-6003', 'of somebody else’s order', changing(foreign, 1_291, 2)),
];

describe('a cancel', () => {
  it.each(CANCELS)('is refused with $code for $what', async (row) => {
    const { verdict, before, after } = await refusedCall('cancel', row);
    expect(verdict).toBe(`refused ${row.code}`);
    expect(after).toEqual(before);
  });
});

describe('a change', () => {
  it.each(CHANGES)('is refused with $code $what', async (row) => {
    const { verdict, before, after } = await refusedCall('change', row);
    expect(verdict).toBe(`refused ${row.code}`);
    expect(after).toEqual(before);
  });

  it('of price and volume is a new order in the queue where the service allows it', async () => {
    const market = await openMarket({ rules: { changeOfBoth: 'replace' } });
    const orderNo = await resting(market);
    const behind = await placed(market.alice, 'B', market.front, 1_291, 1);
    expect(firstRow(await change(market, orderNo, 1_291, 3))).toMatchObject({ status: 'PC', volume: '3' });
    await placed(market.bob, 'S', market.front, 1_291, 1);
    const { data } = (await market.alice.call('in-day')).json;
    expect(data).toMatchObject([
      { orderNo, matchVolume: 0, volume: 3, showPrice: '1291.0' },
      { orderNo: behind, matchVolume: 1 },
    ]);
  });

  it.each([
    ['total', 4, 4],
    ['leaves', 1, 4],
  ] as const)('of the volume means the %s where the service reads it so', async (reading, nvol, volume) => {
    const market = await openMarket(withReadings({ changedVolume: reading }));
    const orderNo = await partly(market);
    expect(firstRow(await change(market, orderNo, 1_300, nvol))).toMatchObject({ volume: String(nvol) });
    const book = await market.alice.call('in-day');
    expect(firstRow(book)).toMatchObject({ volume, matchVolume: 3 });
  });
});
