/** The price board and the contract list, over bare HTTP, from an empty day to a rollover. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import type { Json } from './document/answer-check.ts';
import { type BareClient, rowsOf } from './support/bare-client.ts';
import { openMarket, openMarketAt, placed, trade, withReadings } from './support/market.ts';

const boardOf = async (client: BareClient): Promise<Json[]> => rowsOf(await client.call('derivatives'));
const listOf = async (client: BareClient): Promise<Json[]> => rowsOf(await client.call('contracts'));

describe('the price board', () => {
  it('of a day on which nothing has traded', async () => {
    const { alice, front } = await openMarket();
    const [row] = await boardOf(alice);
    const reference = Number(row?.['refPrice']);
    expect(row).toMatchObject({
      symbol: front,
      expiryDate: '19/03/2026',
      // Rounded inwards: the band never widens (market rules, 1).
      ceilPrice: Math.floor(Number((reference * 10.7).toFixed(6))) / 10,
      floorPrice: Math.ceil(Number((reference * 9.3).toFixed(6))) / 10,
      matchPrice: 0,
      matchQtty: 0,
      totalVol: 0,
      change: 0,
      changePercent: 0,
      bidPrice01: 0,
      bidQtty01: 0,
      offerPrice01: 0,
      offerQtty01: 0,
    });
  });

  it('has the three best levels, the last match, and the figures of the day', async () => {
    const market = await openMarket();
    const { alice, bob, front } = market;
    for (const [price, volume] of [
      [1_300, 2],
      [1_310, 1],
      [1_295, 1],
    ] as const)
      await trade(market, front, price, volume);
    for (const [at, price] of [1_294, 1_293.5, 1_293, 1_292].entries())
      await placed(bob, 'B', front, price, at + 1);
    for (const [at, price] of [1_301, 1_302.2, 1_303].entries()) await placed(bob, 'S', front, price, at + 4);
    await placed(alice, 'B', front, 1_294, 5);
    const [row] = await boardOf(alice);
    const reference = Number(row?.['refPrice']);
    expect(row).toMatchObject({
      bidPrice01: 1_294,
      bidQtty01: 6,
      bidPrice02: 1_293.5,
      bidQtty02: 2,
      bidPrice03: 1_293,
      bidQtty03: 3,
      offerPrice01: 1_301,
      offerQtty01: 4,
      offerPrice02: 1_302.2,
      offerQtty02: 5,
      offerPrice03: 1_303,
      offerQtty03: 6,
      matchPrice: 1_295,
      matchQtty: 1,
      totalVol: 4,
      open: 1_300,
      high: 1_310,
      low: 1_295,
      // VND a contract, not points: (2 x 1300 + 1310 + 1295) / 4 points.
      avg: 130_125_000,
      change: Number((1_295 - reference).toFixed(2)),
      changePercent: Number(((1_295 / reference - 1) * 100).toFixed(2)),
    });
  });

  it('lists current, next and two quarter months, nearest first, as the contract list does', async () => {
    const { alice } = await openMarket();
    const board = await boardOf(alice);
    expect(board.map(({ expiryDate }) => expiryDate)).toEqual([
      '19/03/2026',
      '16/04/2026',
      '18/06/2026',
      '17/09/2026',
    ]);
    const list = await listOf(alice);
    expect(list.map(({ symbol, expiryDate }) => [symbol, expiryDate])).toEqual(
      board.map(({ symbol, expiryDate }) => [symbol, expiryDate]),
    );
    expect(list.map(({ frontMonth }) => frontMonth)).toEqual([true, false, false, false]);
  });

  it.each([
    ['coded', ['41I1G3000', '41I1G4000', '41I1G6000', '41I1G9000']],
    ['legacy', ['VN30F2603', 'VN30F2604', 'VN30F2606', 'VN30F2609']],
  ] as const)('has codes of the form %s', async (codes, expected) => {
    const { alice } = await openMarket({ codes });
    expect((await boardOf(alice)).map(({ symbol }) => symbol)).toEqual(expected);
  });
});

describe('the contract list', () => {
  it('may have codes of its own, which no order may carry', async () => {
    const { alice, front } = await openMarket({ streamCodes: 'internal' });
    const [first] = await listOf(alice);
    expect([front, first?.['symbol']]).toEqual(['41I1G3000', 'VN30F2603']);
    const wish = { side: 'B', symbol: 'VN30F2603', price: 1_300, volume: 1, orderType: '0' };
    expect((await alice.call('place', wish)).json['rc']).toBe('-6003');
  });

  it('comes in the other shapes that the service may have', async () => {
    const codes = await openMarket(withReadings({ contractList: 'codes' }));
    expect((await codes.alice.call('contracts')).json).toEqual({ data: codes.simulator.contracts });
    const bare = await openMarket(withReadings({ contractList: 'bare' }));
    const { json } = await bare.alice.call('contracts');
    expect((json as unknown as Json[]).map(({ symbol }) => symbol)).toEqual(bare.simulator.contracts);
  });

  it('changes after the last day of the front month, and the old code has no price any more', async () => {
    const { alice, front, next, time } = await openMarketAt('2026-03-19 14:44:00');
    expect((await listOf(alice))[0]).toMatchObject({ symbol: front, frontMonth: true });
    time.advance(seconds(18 * 3_600));
    await alice.logIn();
    const list = await listOf(alice);
    expect(list[0]).toMatchObject({ symbol: next, frontMonth: true });
    expect(list.map(({ expiryDate }) => expiryDate)).toEqual([
      '16/04/2026',
      '21/05/2026',
      '18/06/2026',
      '17/09/2026',
    ]);
    expect((await boardOf(alice)).map(({ symbol }) => symbol)).not.toContain(front);
  });
});
