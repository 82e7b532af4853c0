/** Stops that wait at the broker, over bare HTTP: how they trigger, are moved, withdrawn, refused (contract, 4.3). */
import { describe, expect, it } from 'vitest';
import type { Json } from './document/answer-check.ts';
import { type Answer, type BareClient, firstRow, rowsOf, type Values } from './support/bare-client.ts';
import { type Market, openMarket, placed, trade } from './support/market.ts';
import { refusal, refusedCall } from './support/refusal.ts';

const bookOf = async (client: BareClient, filter: Values = {}): Promise<Json[]> =>
  rowsOf(await client.call('conditions', filter));
const inDay = async (client: BareClient): Promise<Json[]> => rowsOf(await client.call('in-day'));

let references = 0;

function wait({ alice, front }: Market, values: Values): Promise<Answer> {
  references += 1;
  const usual = { side: 'B', symbol: front, price: 1_310, volume: 2, refId: `C.${references}` };
  return alice.call('condition-place', { ...usual, ...values });
}

const keyOf = (answer: Answer): unknown => firstRow(answer)['pk_orderNo'];

describe('a stop', () => {
  it.each([
    // sent, comes back as, side, does not trigger at, triggers at and beyond
    ['SOL', 'SL', 'B', 1_304.9, 1_305],
    ['SOL', 'SL', 'B', 1_304.9, 1_306],
    ['SOL', 'SL', 'S', 1_304.9, 1_305],
    ['SOU', 'SU', 'S', 1_305.1, 1_305],
    ['SOU', 'SU', 'S', 1_305.1, 1_304],
    ['SOU', 'SU', 'B', 1_305.1, 1_305],
  ])('%s comes back as %s and sends %s: not at %d, but at %d', async (sent, shown, side, before, at) => {
    const market = await openMarket();
    const { alice, front } = market;
    const answer = await wait(market, { orderType: sent, side, soPrice: 1_305 });
    expect(firstRow(answer)).toMatchObject({ symbol: front, status: 'P', side, volume: '2' });
    await trade(market, front, before, 1);
    const waiting = {
      orderType: shown,
      side,
      soPrice: 1_305,
      showPrice: 1_310,
      volume: 2,
      notes: 'Stop order',
    };
    expect(await bookOf(alice)).toMatchObject([{ ...waiting, status: '0', details: '', active_time: '' }]);
    await trade(market, front, at, 1);
    const child = (await inDay(alice)).find((row) => row['source'] === 'SYS');
    expect(child).toMatchObject({ symbol: front, side, volume: 2, showPrice: '1310.0', refId: '' });
    const active = { ...waiting, status: '1', details: child?.['orderNo'], active_time: '10:00:00' };
    expect(await bookOf(alice)).toMatchObject([active]);
  });

  it('that is met when it is placed triggers at the next trade', async () => {
    const market = await openMarket();
    const { alice, front } = market;
    await trade(market, front, 1_306, 1);
    await wait(market, { orderType: 'SOL', soPrice: 1_305 });
    expect(await bookOf(alice)).toMatchObject([{ status: '0' }]);
    await trade(market, front, 1_306, 1);
    expect(await bookOf(alice)).toMatchObject([{ status: '1' }]);
  });

  it('is moved by its key: the trigger alone, in the words of the answer', async () => {
    const market = await openMarket();
    const { alice, front } = market;
    const key = keyOf(await wait(market, { orderType: 'SOL', soPrice: 1_305 }));
    const moved = await alice.call('condition-change', { pkOrderNo: key, refId: 'C.m', soPrice: 1_307 });
    expect(rowsOf(moved)).toEqual([
      { showPrice: '1307.0', price: '1310.0', volume: '2', pkOrderNo: key, notes: 'Stop order' },
    ]);
    await trade(market, front, 1_306, 1);
    expect(await bookOf(alice)).toMatchObject([{ status: '0', soPrice: 1_307, showPrice: 1_310 }]);
    await trade(market, front, 1_307, 1);
    expect(await bookOf(alice)).toMatchObject([{ status: '1' }]);
  });

  it('is withdrawn by its key under the name of a number: an empty list, and status 2 in the book', async () => {
    const market = await openMarket();
    const { alice, front } = market;
    const key = keyOf(await wait(market, { orderType: 'SOL', soPrice: 1_305 }));
    const gone = await alice.call('condition-cancel', { orderNo: key });
    expect(gone.json).toMatchObject({ rc: '1', rs: '', data: [] });
    await trade(market, front, 1_306, 1);
    expect(await bookOf(alice)).toMatchObject([{ status: '2', cancel_time: '10:00:00', details: '' }]);
    expect((await inDay(alice)).filter((row) => row['source'] === 'SYS')).toEqual([]);
  });

  it('is rejected, status 3, when what it sends is refused', async () => {
    const market = await openMarket();
    const { alice, front } = market;
    await wait(market, { orderType: 'SOL', soPrice: 1_305, volume: 500 });
    await trade(market, front, 1_306, 1);
    expect(await bookOf(alice)).toMatchObject([{ status: '3', details: '' }]);
    expect((await inDay(alice)).filter((row) => row['source'] === 'SYS')).toEqual([]);
  });
});

describe('a trailing stop', () => {
  const SELL = {
    orderType: 'TSO',
    side: 'S',
    price: 1_290,
    soPrice: 1_310,
    activationPrice: 1_310,
    callbackPoint: 2,
  };
  const BUY = { ...SELL, side: 'B', price: 1_320, soPrice: 1_290, activationPrice: 1_290 };

  it.each([
    // prices that trade, then the trigger that the book shows and its status
    ['sell', SELL, [1_309], 1_310, '0'],
    ['sell', SELL, [1_310], 1_308, '0'],
    ['sell', SELL, [1_310, 1_315], 1_313, '0'],
    ['sell', SELL, [1_310, 1_315, 1_313.1], 1_313, '0'],
    ['sell', SELL, [1_310, 1_315, 1_313], 1_313, '1'],
    ['sell', SELL, [1_309, 1_305, 1_301], 1_310, '0'],
    ['buy', BUY, [1_291], 1_290, '0'],
    ['buy', BUY, [1_290], 1_292, '0'],
    ['buy', BUY, [1_290, 1_285, 1_286.9], 1_287, '0'],
    ['buy', BUY, [1_290, 1_285, 1_287], 1_287, '1'],
  ] as const)(
    'to %s starts at its activation and moves only in favour: %#',
    async (_side, wish, prices, at, status) => {
      const market = await openMarket();
      await wait(market, wish);
      for (const price of prices) await trade(market, market.front, price, 1);
      const row = { orderType: 'TSO', side: wish.side, soPrice: at, status, notes: 'Stop order' };
      expect(await bookOf(market.alice)).toMatchObject([row]);
      const children = (await inDay(market.alice)).filter(({ source }) => source === 'SYS');
      expect(children).toHaveLength(Number(status));
    },
  );

  it('has its activation moved while it waits for it, and is withdrawn', async () => {
    const market = await openMarket();
    const { alice, front } = market;
    const key = keyOf(await wait(market, SELL));
    const change = { pkOrderNo: key, refId: 'C.m', soPrice: 1_320 };
    expect(firstRow(await alice.call('condition-change', change))).toMatchObject({ showPrice: '1320.0' });
    for (const price of [1_310, 1_307]) await trade(market, front, price, 1);
    expect(await bookOf(alice)).toMatchObject([{ status: '0', soPrice: 1_320 }]);
    expect((await alice.call('condition-cancel', { orderNo: key })).json['rc']).toBe('1');
    expect(await bookOf(alice)).toMatchObject([{ status: '2' }]);
  });
});

const placing = (code: string, what: string, values: Values) =>
  refusal(code, what, async (market) => () => wait(market, values));

describe('a conditional order', () => {
  const STOP = { orderType: 'SOL', soPrice: 1_305 };
  it.each([
    placing('-6019', 'no volume', { ...STOP, volume: 0 }),
    placing('-6034', 'more than 500 contracts', { ...STOP, volume: 501 }),
    placing('-6021', 'a price off the ticks', { ...STOP, price: 1_310.05 }),
    placing('-6021', 'a trigger off the ticks', { ...STOP, soPrice: 1_305.01 }),
    placing('-6035', 'a price outside the band', { ...STOP, price: 2_000 }),
    placing('-6035', 'a trigger outside the band', { ...STOP, soPrice: 2_000 }),
    placing('-6000', 'a type that comes back and is not sent', { ...STOP, orderType: 'SL' }),
    placing('-6021', 'a trailing stop without a step', {
      ...STOP,
      orderType: 'TSO',
      activationPrice: 1_305,
      callbackPoint: 0,
    }),
    placing('-6003', 'a contract that is not listed', { ...STOP, symbol: 'VN30F9999' }),
    placing('-6001', 'a sub-account that does not trade', { ...STOP, subAccountId: '0001ALICE1' }),
    refusal('-6004', 'a repeated reference', async (market) => {
      await wait(market, { ...STOP, refId: 'C.once' });
      return () => wait(market, { ...STOP, refId: 'C.once' });
    }),
  ])('is refused with $code for $what', async (row) => {
    const { verdict, before, after } = await refusedCall('condition-place', row);
    expect(verdict).toBe(`refused ${row.code}`);
    expect(after).toEqual(before);
  });

  it.each([
    ['unknown', '-6003', '-6003'],
    ['somebody else’s', '-6003', '-6003'],
    ['withdrawn', '-6015', '-6014'],
    ['activated', '-6015', '-6014'],
  ])('that is %s is neither moved (%s) nor withdrawn (%s)', async (state, moved, gone) => {
    const market = await openMarket();
    const { alice, bob, front } = market;
    const key = keyOf(await wait(market, STOP));
    if (state === 'withdrawn') await alice.call('condition-cancel', { orderNo: key });
    if (state === 'activated') await trade(market, front, 1_305, 1);
    const who = state === 'somebody else’s' ? bob : alice;
    const pkOrderNo = state === 'unknown' ? '9999999' : key;
    const change = await who.call('condition-change', { pkOrderNo, refId: 'C.m', soPrice: 1_306 });
    const cancel = await who.call('condition-cancel', { orderNo: pkOrderNo });
    expect([change.json['rc'], cancel.json['rc']]).toEqual([moved, gone]);
  });
});

/** One pending, one activated, one withdrawn, one rejected; the exits of a bracket. */
async function fullBook(): Promise<Market> {
  const market = await openMarket();
  const { alice, bob, front, next } = market;
  await wait(market, { orderType: 'SOL', soPrice: 1_330, refId: 'C.pending' });
  await wait(market, { orderType: 'SOL', soPrice: 1_305, volume: 1 });
  const key = keyOf(await wait(market, { orderType: 'SOU', side: 'S', soPrice: 1_260 }));
  await alice.call('condition-cancel', { orderNo: key });
  await wait(market, { orderType: 'SOL', soPrice: 1_305, volume: 500 });
  await trade(market, front, 1_305, 1);
  await placed(alice, 'B', next, 1_300, 1, { orderType: 'SLP=20,40' });
  await placed(bob, 'S', next, 1_300, 1);
  return market;
}

describe('the conditional book', () => {
  it.each<[Values, string[]]>([
    [{}, ['0 Stop order', '1 Stop order', '2 Stop order', '3 Stop order', '0 SL/TP', '0 SL/TP']],
    [{ orderStatus: '1' }, ['0 Stop order', '0 SL/TP', '0 SL/TP']],
    [{ orderStatus: '2' }, ['1 Stop order']],
    [{ orderStatus: '3' }, ['3 Stop order']],
    [{ orderType: '3' }, []],
    [{ orderType: '4' }, ['0 SL/TP', '0 SL/TP']],
    [{ orderType: '5' }, ['0 Stop order', '1 Stop order', '2 Stop order', '3 Stop order']],
    [{ Symbol: 'ALL,S' }, ['2 Stop order', '0 SL/TP', '0 SL/TP']],
    [{ Symbol: 'NEXT,ALL' }, ['0 SL/TP', '0 SL/TP']],
    [{ Symbol: 'FRONT,B' }, ['0 Stop order', '1 Stop order', '3 Stop order']],
    [{ PageSize: '3' }, ['0 Stop order', '1 Stop order', '2 Stop order']],
    [{ PageSize: '4', pageNo: '2' }, ['0 SL/TP', '0 SL/TP']],
    [{ PageSize: '3', pageNo: '4' }, []],
  ])('asked for with %j', async (filter, expected) => {
    const { alice, front, next } = await fullBook();
    const { Symbol: named } = filter;
    const symbol =
      typeof named === 'string' ? named.replace('FRONT', front).replace('NEXT', next) : 'ALL,ALL';
    const rows = await bookOf(alice, { ...filter, Symbol: symbol });
    expect(rows.map(({ status, notes }) => [status, notes].join(' '))).toEqual(expected);
  });

  it.each([
    { orderStatus: '4' },
    { orderType: '6' },
    { Symbol: 'ALL,X' },
    { pageNo: '0' },
    { PageSize: '-1' },
  ])('refuses %j', async (filter: Values) => {
    const { alice } = await openMarket();
    const { json } = await alice.call('conditions', filter);
    expect([json['rc'], json['data']]).toEqual(['-6000', []]);
  });
});
