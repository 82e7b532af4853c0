/** What a normal order brings with it, over bare HTTP: `SLP=a,b` and `ABI=code` (contract, 4.3; rulings, 13). */
import { describe, expect, it } from 'vitest';
import type { Json } from './document/answer-check.ts';
import { type BareClient, firstRow, rowsOf, type Values } from './support/bare-client.ts';
import { type Market, openMarket, order, placed, trade, withReadings } from './support/market.ts';

const bookOf = async (client: BareClient): Promise<Json[]> => rowsOf(await client.call('conditions'));
const inDay = async (client: BareClient, filter: Values = {}): Promise<Json[]> =>
  rowsOf(await client.call('in-day', { ...filter }));

const BRACKET = { orderType: 'SLP=10,20' };
const STOP_LOSS = { side: 'S', orderType: 'SU', soPrice: 1_290, notes: 'SL/TP' };
const TAKE_PROFIT = { side: 'S', orderType: 'SL', soPrice: 1_320, showPrice: 1_320, notes: 'SL/TP' };

/** Alice has bought two of her three with a bracket. */
async function partlyFilled(): Promise<Market & { readonly parent: string }> {
  const market = await openMarket();
  const { alice, bob, front } = market;
  const parent = await placed(alice, 'B', front, 1_300, 3, BRACKET);
  await placed(bob, 'S', front, 1_300, 2);
  return { ...market, parent };
}

describe('stop-loss and take-profit', () => {
  it('are not in the book before their order fills', async () => {
    const { alice, front } = await openMarket();
    await placed(alice, 'B', front, 1_300, 3, BRACKET);
    expect(await bookOf(alice)).toEqual([]);
    expect(await inDay(alice)).toMatchObject([{ product: 'SL/TP', source: 'USER', status: 'P' }]);
  });

  it('wait for what has filled, under the number of their order, and grow with it', async () => {
    const { alice, bob, front, parent } = await partlyFilled();
    const exits = [STOP_LOSS, TAKE_PROFIT];
    const rows = (volume: number) =>
      exits.map((exit) => ({ ...exit, volume, status: '0', groupOrder: parent }));
    expect(await bookOf(alice)).toMatchObject(rows(2));
    await placed(bob, 'S', front, 1_300, 1);
    expect(await bookOf(alice)).toMatchObject(rows(3));
  });

  it.each<[string, 'B' | 'S', number, object[]]>([
    ['bought lower', 'B', 1_302, [STOP_LOSS, TAKE_PROFIT]],
    [
      'sold higher',
      'S',
      1_298,
      [
        { side: 'B', orderType: 'SL', soPrice: 1_310 },
        { side: 'B', orderType: 'SU', soPrice: 1_280 },
      ],
    ],
  ])('lie as far from the fill as the order says: %s than its limit', async (_what, side, limit, exits) => {
    const { alice, bob, front } = await openMarket();
    await placed(bob, side === 'B' ? 'S' : 'B', front, 1_300, 1);
    await placed(alice, side, front, limit, 1, BRACKET);
    expect(await bookOf(alice)).toMatchObject(exits);
  });

  it.each([
    ['stop-loss', 1_290, ['1', '2']],
    ['take-profit', 1_320, ['2', '1']],
  ])('cancel each other: the %s at %d', async (_which, price, statuses) => {
    const market = await partlyFilled();
    const { alice, bob, front, parent } = market;
    await alice.call('cancel', { orderNo: parent });
    await placed(bob, 'S', front, price, 1);
    await placed(bob, 'B', front, price, 1);
    const book = await bookOf(alice);
    expect(book.map(({ status }) => status)).toEqual(statuses);
    const child = (await inDay(alice)).find(({ source }) => source === 'SYS');
    expect(child).toMatchObject({ side: 'S', volume: 2, product: 'SL/TP' });
    expect(book.find(({ status }) => status === '1')?.['details']).toBe(child?.['orderNo']);
  });

  it.each([
    ['stop-loss', 0, 1_285, 'SU'],
    ['take-profit', 1, 1_325, 'SL'],
  ])('can be moved: the %s', async (_which, at, soPrice, orderType) => {
    const { alice, front, bob } = await partlyFilled();
    const pkOrderNo = (await bookOf(alice))[at]?.['pk_orderNo'];
    const moved = await alice.call('condition-change', { pkOrderNo, refId: 'C.m', soPrice });
    expect(firstRow(moved)).toMatchObject({ pkOrderNo, notes: 'SL/TP', showPrice: `${soPrice}.0` });
    expect((await bookOf(alice))[at]).toMatchObject({ orderType, soPrice, status: '0' });
    // What fills later has exits at the prices as they were moved last.
    await placed(bob, 'S', front, 1_300, 1);
    expect((await bookOf(alice))[at]).toMatchObject({ soPrice, volume: 3 });
  });

  it('can be withdrawn one by one; the other one stays', async () => {
    const { alice } = await partlyFilled();
    const [stopLoss] = await bookOf(alice);
    await alice.call('condition-cancel', { orderNo: stopLoss?.['pk_orderNo'] });
    expect((await bookOf(alice)).map(({ status }) => status)).toEqual(['2', '0']);
  });

  it.each<[string, Parameters<typeof withReadings>[0], string]>([
    ['take-profit first', { bracketOrder: 'take_profit_first' }, 'SLP=20,10'],
    ['absolute prices', { bracketPrices: 'absolute' }, 'SLP=1290,1320'],
  ])('are read otherwise where the service does: %s', async (_what, readings, orderType) => {
    const { alice, bob, front } = await openMarket(withReadings(readings));
    await placed(alice, 'B', front, 1_300, 1, { orderType });
    await placed(bob, 'S', front, 1_300, 1);
    expect(await bookOf(alice)).toMatchObject([STOP_LOSS, TAKE_PROFIT]);
  });
});

describe('exits and their position', () => {
  it('are shown by the position that they close', async () => {
    const { alice } = await partlyFilled();
    expect(rowsOf(await alice.call('positions'))).toMatchObject([
      { net: 2, stoploss: '1290.0', takeprofit: '1320.0' },
    ]);
  });

  it('go with a position that is closed by hand', async () => {
    const { alice, bob, front, parent } = await partlyFilled();
    await alice.call('cancel', { orderNo: parent });
    await placed(bob, 'B', front, 1_300, 2);
    await placed(alice, 'S', front, 1_300, 1);
    expect((await bookOf(alice)).map(({ status }) => status)).toEqual(['0', '0']);
    await placed(alice, 'S', front, 1_300, 1);
    expect((await bookOf(alice)).map(({ status }) => status)).toEqual(['2', '2']);
  });
});

async function waiting(): Promise<Market & { readonly row: Json }> {
  const market = await openMarket();
  const { alice, front, next } = market;
  const answer = await order(alice, 'S', front, 1_310, 2, { orderType: `ABI=${next}` });
  return { ...market, row: firstRow(answer) };
}

describe('an arbitrage order', () => {
  it('is listed in the in-day book under type 3, by the number of its answer', async () => {
    const { alice, front, row } = await waiting();
    expect(row).toMatchObject({ symbol: front, status: 'P', showPrice: '1310.0', volume: '2', side: 'S' });
    const { orderNo, pk_orderNo } = row;
    const shown = { orderNo, pk_orderNo, side: 'S', symbol: front, showPrice: '1310.0', volume: 2 };
    const waits = { ...shown, status: 'P', quote: 'G', source: 'USER', isCancel: '1', isAmend: '1' };
    expect(await inDay(alice, { orderType: '3' })).toMatchObject([waits]);
    const number = Number(orderNo);
    expect([await placed(alice, 'B', front, 1_290, 1), number]).toEqual([String(number + 1), number]);
    expect(await bookOf(alice)).toEqual([]);
  });

  it('goes to the exchange once its leg has filled as much', async () => {
    const market = await waiting();
    const { alice, front, next } = market;
    await trade(market, front, 1_300, 5);
    await trade(market, next, 1_300, 1);
    expect(await inDay(alice, { orderType: '3' })).toMatchObject([{ status: 'P', quote: 'G' }]);
    await trade(market, next, 1_300, 1);
    expect(await inDay(alice, { orderType: '3' })).toMatchObject([
      { symbol: front, volume: 2, status: 'P', quote: 'Y', orderNo: market.row['orderNo'] },
    ]);
  });

  it('is changed and withdrawn by its number, and no other order is', async () => {
    const { alice, front, row } = await waiting();
    const other = await placed(alice, 'B', front, 1_290, 1);
    const { orderNo } = row;
    const changed = await alice.call('change', { orderNo, refId: 'H.c', nvol: 2, nprice: 1_311 });
    expect(firstRow(changed)).toMatchObject({ orderNo, status: 'PC', showPrice: '1311.0' });
    expect(await inDay(alice)).toMatchObject([
      { orderNo, showPrice: '1311.0' },
      { orderNo: other, showPrice: '1290.0' },
    ]);
    expect(firstRow(await alice.call('cancel', { orderNo }))).toMatchObject({ orderNo, status: 'PW' });
    expect(await inDay(alice)).toMatchObject([
      { orderNo, status: 'PWX' },
      { orderNo: other, status: 'P' },
    ]);
  });

  it('is not offered where the service does not', async () => {
    const { alice, front, next } = await openMarket(withReadings({ arbitrage: 'refuse' }));
    const answer = await order(alice, 'S', front, 1_310, 2, { orderType: `ABI=${next}` });
    expect([answer.json['rc'], await bookOf(alice)]).toEqual(['-6024', []]);
  });
});

/** Bought and sold, in two contracts, a child of a stop, a bracket. */
async function fullBook(): Promise<Market> {
  const market = await openMarket();
  const { alice, bob, front, next } = market;
  await placed(alice, 'B', front, 1_290, 1, { refId: 'H.one' });
  await placed(alice, 'S', next, 1_310, 1, { refId: 'H.two' });
  await placed(alice, 'B', front, 1_300, 1, { refId: 'H.three', ...BRACKET });
  await placed(bob, 'S', front, 1_300, 1);
  const stop = { side: 'B', symbol: next, price: 1_295, volume: 1, orderType: 'SOL', soPrice: 1_299 };
  await alice.call('condition-place', stop);
  await placed(bob, 'B', next, 1_310, 1);
  const gone = await placed(alice, 'S', front, 1_330, 1, { refId: 'H.gone' });
  await alice.call('cancel', { orderNo: gone });
  return market;
}

describe('the in-day book', () => {
  it.each<[Values, string[]]>([
    [{}, ['H.one', 'H.two', 'H.three', '', 'H.gone']],
    [{ symbol: 'ALL,B' }, ['H.one', 'H.three', '']],
    [{ symbol: 'ALL,S' }, ['H.two', 'H.gone']],
    [{ symbol: 'FRONT,ALL' }, ['H.one', 'H.three', 'H.gone']],
    [{ symbol: 'NEXT,S' }, ['H.two']],
    [{ symbol: 'NEXT,B' }, ['']],
    [{ orderType: '' }, ['H.one', 'H.two', 'H.three', '', 'H.gone']],
    [{ orderType: '3' }, []],
    [{ orderType: '4' }, ['H.three']],
    [{ orderType: '5' }, []],
    [{ orderType: '6' }, ['H.one', 'H.two', '', 'H.gone']],
    [{ status: '1' }, ['H.one', '']],
    [{ status: '2' }, ['H.two', 'H.three']],
    [{ refId: 'H.two' }, ['H.two']],
    [{ refId: 'H.none' }, []],
    [{ pageSize: '2' }, ['H.one', 'H.two']],
    [{ pageSize: '2', pageNo: '3' }, ['H.gone']],
    [{ pageSize: '2', pageNo: '4' }, []],
  ])('asked for with %j', async (filter, expected) => {
    const { alice, front, next } = await fullBook();
    const symbol = typeof filter['symbol'] === 'string' ? filter['symbol'] : 'ALL,ALL';
    const named = symbol.replace('FRONT', front).replace('NEXT', next);
    const rows = await inDay(alice, { ...filter, symbol: named });
    expect(rows.map(({ refId }) => refId)).toEqual(expected);
  });

  it.each([{ status: '3' }, { symbol: 'ALL' }, { symbol: 'ALL,X' }, { pageNo: '0' }, { pageSize: '1.5' }])(
    'refuses %j',
    async (filter: Values) => {
      const { alice } = await openMarket();
      const { json } = await alice.call('in-day', { ...filter });
      expect([json['rc'], json['data']]).toEqual(['-6000', []]);
    },
  );
});
