/**
 * What a new order is refused for, every row of the table (notes, 3): HTTP 200, `rc` below 0, the text in `rs`, no data,
 * and nothing done.
 */
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/domain/units.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator-options.ts';
import { rowsOf, type Values } from './support/bare-client.ts';
import { ALICE, BOB, CAROL, rich } from './support/customers.ts';
import { openMarket, openMarketAt, order, placed, trade } from './support/market.ts';
import { type Attempt, refusal, refusedCall } from './support/refusal.ts';

const withRules = (rules: SimulatorOptions['rules']) => () => openMarket({ rules });
const at = (moment: string) => () => openMarketAt(moment);

/** Alice buys in the front month. */
const buy =
  (price: unknown, volume: unknown, more: Values = {}): Attempt =>
  async ({ alice, front }) =>
  () =>
    order(alice, 'B', front, price, volume, more);

const REFUSALS = [
  refusal('-6012', 'more than the buying power', buy(1_300, 400)),
  refusal('-6019', 'no volume', buy(1_300, 0)),
  refusal('-6019', 'a volume below zero', buy(1_300, -1)),
  refusal('-6019', 'a part of a contract', buy(1_300, 1.5)),
  refusal('-6021', 'a price between two ticks', buy(1_300.05, 1)),
  refusal('-6021', 'a word for a price', buy('MTL', 1)),
  refusal('-6035', 'a price of nothing', buy(0, 1)),
  refusal('-6034', 'more than 500 contracts', buy(1_300, 501)),
  refusal('-6024', 'an order type without a code', buy(1_300, 1, { orderType: 'ATO' })),
  refusal('-6024', 'half a bracket', buy(1_300, 1, { orderType: 'SLP=10' })),
  refusal('-6021', 'a bracket the wrong way round', buy(1_300, 1, { orderType: 'SLP=-10,-10' })),
  refusal('-6021', 'a bracket between two ticks', buy(1_300, 1, { orderType: 'SLP=10.05,10' })),
  refusal('-6021', 'a bracket without a distance', buy(1_300, 1, { orderType: 'SLP=0,10' })),
  refusal('-6035', 'a bracket of prices', buy(1_300, 1, { orderType: 'SLP=1290,1310' })),
  refusal('-6003', 'an arbitrage with a contract that is not listed', buy(1_300, 1, { orderType: 'ABI=X' })),
  refusal('-6003', 'an arbitrage with itself', async ({ alice, front }) => () => {
    return order(alice, 'B', front, 1_300, 1, { orderType: `ABI=${front}` });
  }),
  refusal('-6003', 'a contract that is not listed', buy(1_300, 1, { symbol: 'VN30F9999' })),
  refusal('-6022', 'an hour before the day', buy(1_300, 1), at('2026-03-04 08:30:00')),
  refusal('-6022', 'the break', buy(1_300, 1), at('2026-03-04 12:00:00')),
  refusal('-6022', 'an hour after the day', buy(1_300, 1), at('2026-03-04 15:00:00')),
  refusal('-6022', 'a Saturday', buy(1_300, 1), at('2026-03-07 10:00:00')),
  refusal('-6022', 'a holiday', buy(1_300, 1), at('2026-02-17 10:00:00')),
  refusal('-6038', 'more than the position limit', buy(1_300, 6), withRules({ positionMax: 5 })),
  refusal('-6001', 'a sub-account that does not trade', buy(1_300, 1, { subAccountId: '0001ALICE1' })),
  refusal('-6001', 'somebody else’s account', async ({ alice, bob, front }) => () => {
    return order(alice, 'B', front, 1_300, 1, { accountId: bob.custodyCode });
  }),
  refusal('-6032', 'a position beyond the safe ratio', async (market) => {
    const { carol, bob, front, next } = market;
    await placed(bob, 'S', front, 1_300, 1);
    await placed(carol, 'B', front, 1_300, 1);
    await trade(market, front, 1_270, 1);
    return () => order(carol, 'B', next, 1_300, 1);
  }),
  refusal(
    '-6033',
    'a contract after its last day',
    async ({ alice, bob, carol, front, time }) => {
      time.advance(minutes(18 * 60 + 20));
      for (const client of [alice, bob, carol]) await client.logIn();
      return () => order(alice, 'B', front, 1_300, 1);
    },
    at('2026-03-19 14:44:59'),
  ),
  refusal(
    '-6004',
    'a repeated reference, where the service refuses one',
    async ({ alice, front }) => {
      await placed(alice, 'B', front, 1_290, 1, { refId: 'H.once' });
      return () => order(alice, 'B', front, 1_290, 1, { refId: 'H.once' });
    },
    withRules({ repeatedRefId: 'refuse' }),
  ),
];

describe('an order', () => {
  it.each(REFUSALS)('is refused with $code for $what', async (row) => {
    const { verdict, before, after } = await refusedCall('place', row);
    expect(verdict).toBe(`refused ${row.code}`);
    expect(after).toEqual(before);
  });

  it('may be as large as 500 contracts, and be at ceiling and floor', async () => {
    const accounts = [{ ...ALICE, subAccounts: rich(ALICE.subAccounts) }, BOB, CAROL];
    const { alice, front } = await openMarket({ accounts });
    const [board] = rowsOf(await alice.call('derivatives'));
    const [ceiling, floor] = [Number(board?.['ceilPrice']), Number(board?.['floorPrice'])];
    const rcOf = async (side: 'B' | 'S', price: number): Promise<unknown> =>
      (await order(alice, side, front, Number(price.toFixed(1)), 500)).json['rc'];
    expect(await rcOf('S', ceiling)).toBe('1');
    expect(await rcOf('S', ceiling + 0.1)).toBe('-6035');
    expect(await rcOf('B', floor)).toBe('1');
    expect(await rcOf('B', floor - 0.1)).toBe('-6035');
  });

  it('that reduces the position is taken beyond the safe ratio', async () => {
    const market = await openMarket();
    const { carol, bob, front } = market;
    await placed(bob, 'S', front, 1_300, 1);
    await placed(carol, 'B', front, 1_300, 1);
    await trade(market, front, 1_270, 1);
    expect((await order(carol, 'S', front, 1_270, 1)).json['rc']).toBe('1');
  });

  it('is taken twice under one reference by default: the service is not known to read it', async () => {
    const { alice, front } = await openMarket();
    for (let i = 0; i < 2; i += 1) {
      expect((await order(alice, 'B', front, 1_290, 1, { refId: 'H.once' })).json['rc']).toBe('1');
    }
  });
});
