import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { started } from '../support/started.ts';
import { firstOf, orderNoOf, rowsOf } from '../support/stranger.ts';

describe('an order over bare HTTP', () => {
  it('is placed, seen, changed and cancelled', async () => {
    const { alice, front } = await started();
    const placed = await alice.place({ side: 'B', symbol: front, price: 1299.5, volume: 3, refId: 'H.1' });
    expect(placed.status).toBe(200);
    expect(placed.json).toMatchObject({ cmd: 'Web.newOrder', rc: '1', rs: '' });
    expect(firstOf(placed)).toMatchObject({
      showPrice: '1299.5',
      symbol: front,
      side: 'B',
      matchVolume: '0',
    });
    const orderNo = orderNoOf(placed);

    const seen = firstOf(await alice.inDay());
    expect(seen).toMatchObject({
      orderNo,
      refId: 'H.1',
      side: 'B',
      symbol: front,
      showPrice: '1299.5',
      status: 'P',
      quote: 'Y',
    });
    expect(Number(seen['volume'])).toBe(3);

    const changed = await alice.change(orderNo, 1299.6, 3, 'H.2');
    expect(changed.json).toMatchObject({ cmd: 'Web.changeOrder', rc: '1' });
    expect(firstOf(changed)).toMatchObject({ orderNo, status: 'PC', showPrice: '1299.6', volume: '3' });

    const canceled = await alice.cancel(orderNo);
    expect(canceled.json).toMatchObject({ cmd: 'Web.changeOrder', rc: '1' });
    expect(firstOf(canceled)).toMatchObject({ orderNo, status: 'PW' });
    expect(firstOf(canceled)['cancelTime']).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(firstOf(await alice.inDay())).toMatchObject({
      orderNo,
      status: 'PWX',
      isCancel: '0',
      isAmend: '0',
    });
  });

  it('shows its partial fills, its exact value and the position that came of them', async () => {
    const { alice, bob, front } = await started();
    const resting = orderNoOf(
      await alice.place({ side: 'S', symbol: front, price: 1300.1, volume: 5, refId: 'H.1' }),
    );
    await bob.place({ side: 'B', symbol: front, price: 1300.1, volume: 2, refId: 'H.1' });
    const partly = firstOf(await alice.inDay({ refId: 'H.1' }));
    expect(partly).toMatchObject({ orderNo: resting, status: 'PM', isCancel: '1' });
    expect([Number(partly['matchVolume']), Number(partly['matchValue'])]).toEqual([2, 260_020_000]);

    await bob.place({ side: 'B', symbol: front, price: 1300.3, volume: 3, refId: 'H.2' });
    const fully = firstOf(await alice.inDay());
    expect(fully).toMatchObject({ status: 'PM', isCancel: '0' });
    expect([Number(fully['matchVolume']), Number(fully['matchValue'])]).toEqual([5, 650_050_000]);
    const [short] = rowsOf(await alice.positions());
    expect(short).toMatchObject({
      symbol: front,
      net: -5,
      side: 'S',
      deliver: 5,
      receive: 0,
      lastPrice: 1300.1,
    });
    const [long] = rowsOf(await bob.positions());
    expect(long).toMatchObject({ symbol: front, net: 5, side: 'L', deliver: 0, receive: 5 });
  });

  it.each([
    ['between two ticks', { price: 1300.05, volume: 1 }, '-6021'],
    ['for nothing', { price: 1300, volume: 0 }, '-6019'],
    ['for a fraction', { price: 1300, volume: 1.5 }, '-6019'],
    ['for more than the exchange takes', { price: 1300, volume: 501 }, '-6034'],
    ['beyond the buying power', { price: 1300, volume: 400 }, '-6012'],
    ['in an unknown contract', { price: 1300, volume: 1, symbol: 'VN30F9999' }, '-6003'],
    ['with a text for a price', { price: 'high', volume: 1 }, '-6021'],
    ['with a text for a volume', { price: 1300, volume: 'many' }, '-6019'],
  ])('is refused with HTTP 200 and a code: %s', async (_what, wish, rc) => {
    const { alice, front } = await started();
    const reply = await alice.place({ side: 'B', symbol: front, refId: 'H.1', ...wish });
    expect([reply.status, reply.json['rc']], reply.text).toEqual([200, rc]);
    expect(reply.json['rs']).toMatch(/\w/);
    expect(reply.json['data']).toEqual([]);
    expect(rowsOf(await alice.inDay())).toEqual([]);
  });

  it('may stand at ceiling and floor, and not beyond', async () => {
    const { alice, front } = await started();
    const board = firstOf(await alice.get('/tartarus/v1/derivatives'));
    const [ceiling, floor] = [Number(board['ceilPrice']), Number(board['floorPrice'])];
    const rcAt = async (side: 'B' | 'S', price: number, refId: string): Promise<unknown> =>
      (await alice.place({ side, symbol: front, price, volume: 1, refId })).json['rc'];
    expect(await rcAt('S', ceiling, 'H.1')).toBe('1');
    expect(await rcAt('S', Number((ceiling + 0.1).toFixed(1)), 'H.2')).toBe('-6035');
    expect(await rcAt('B', floor, 'H.3')).toBe('1');
    expect(await rcAt('B', Number((floor - 0.1).toFixed(1)), 'H.4')).toBe('-6035');
  });

  it('takes what existing clients send: numbers as texts, nulls, extra fields, missing filters', async () => {
    const { alice, front } = await started();
    const { custodyCode, subAccountId } = alice.account;
    const placed = await alice.call('POST', '/khronos/v1/order/place', {
      accountId: custodyCode,
      subAccountId,
      side: 'B',
      symbol: front,
      price: '1298.7',
      volume: '2',
      orderType: '0',
      refId: 'H.1',
      advance: '',
      pin: null,
      type: 'I',
      cmd: '',
    });
    expect(placed.json['rc'], placed.text).toBe('1');
    const canceled = await alice.call('POST', '/khronos/v1/order/cancel', {
      accountId: custodyCode,
      orderNo: Number(orderNoOf(placed)),
      cmd: null,
      pin: '',
      refId: null,
    });
    expect(canceled.json['rc'], canceled.text).toBe('1');
    const book = await alice.get('/khronos/v1/order/in-day', {
      accountId: custodyCode,
      pageNo: '1',
      pageSize: '10',
      symbol: 'ALL,ALL',
      status: '0',
    });
    expect(rowsOf(book)).toHaveLength(1);
  });

  it('cannot be cancelled twice, changed when it is gone, or touched by another account', async () => {
    const { alice, bob, front } = await started();
    const orderNo = orderNoOf(
      await alice.place({ side: 'B', symbol: front, price: 1299, volume: 1, refId: 'H.1' }),
    );
    expect((await bob.cancel(orderNo)).json['rc']).not.toBe('1');
    expect((await alice.cancel(orderNo)).json['rc']).toBe('1');
    expect((await alice.cancel(orderNo)).json['rc']).toBe('-6014');
    expect((await alice.change(orderNo, 1299.1, 1, 'H.2')).json['rc']).toBe('-6015');
  });

  it('may not change price and volume at once, unless the switch allows it', async () => {
    const strict = await started();
    const one = orderNoOf(
      await strict.alice.place({ side: 'B', symbol: strict.front, price: 1299, volume: 2, refId: 'H.1' }),
    );
    expect((await strict.alice.change(one, 1299.1, 3, 'H.2')).json['rc']).toBe('-6048');
    const lax = await started({ rules: { changeOfBoth: 'replace' } });
    const two = orderNoOf(
      await lax.alice.place({ side: 'B', symbol: lax.front, price: 1299, volume: 2, refId: 'H.1' }),
    );
    expect((await lax.alice.change(two, 1299.1, 3, 'H.2')).json['rc']).toBe('1');
  });

  it('waits at the gateway before the exchange confirms it', async () => {
    const { alice, time, front } = await started({ rules: { gatewayDelay: seconds(1) } });
    await alice.place({ side: 'B', symbol: front, price: 1299, volume: 1, refId: 'H.1' });
    expect(firstOf(await alice.inDay())).toMatchObject({ status: 'P', quote: 'G' });
    time.advance(seconds(1));
    expect(firstOf(await alice.inDay())).toMatchObject({ status: 'P', quote: 'Y' });
  });

  it('of another account cannot be placed or read with this token', async () => {
    const { alice, bob, front } = await started();
    const body = { accountId: bob.account.custodyCode, subAccountId: bob.account.subAccountId };
    const wish = { side: 'B', symbol: front, price: 1299, volume: 1, orderType: '0', refId: 'H.1' };
    const placed = await alice.call('POST', '/khronos/v1/order/place', { ...body, ...wish });
    expect(placed.json['rc']).toMatch(/^-/);
    const read = await alice.get('/khronos/v1/account/portfolio/status', body);
    expect(read.json['rc']).toMatch(/^-/);
    expect(rowsOf(await bob.inDay())).toEqual([]);
  });
});

async function filledBook() {
  const all = await started();
  const { alice, bob, front } = all;
  for (let i = 1; i <= 5; i += 1) {
    await alice.place({ side: 'B', symbol: front, price: 1290 + i, volume: 1, refId: `H.${i}` });
  }
  await alice.place({ side: 'S', symbol: front, price: 1310, volume: 1, refId: 'H.6' });
  // Takes Alice's best bid, order 5.
  await bob.place({ side: 'S', symbol: front, price: 1295, volume: 1, refId: 'H.1' });
  return all;
}
const refIds = (rows: readonly Record<string, unknown>[]): unknown[] => rows.map((row) => row['refId']);

describe('the in-day book', () => {
  it.each([
    [{}, ['H.1', 'H.2', 'H.3', 'H.4', 'H.5', 'H.6']],
    [{ symbol: 'ALL,B' }, ['H.1', 'H.2', 'H.3', 'H.4', 'H.5']],
    [{ symbol: 'ALL,S' }, ['H.6']],
    [{ symbol: 'FRONT,B' }, ['H.1', 'H.2', 'H.3', 'H.4', 'H.5']],
    [{ symbol: 'NEXT,B' }, []],
    [{ orderType: '6' }, ['H.1', 'H.2', 'H.3', 'H.4', 'H.5', 'H.6']],
    [{ orderType: '4' }, []],
    [{ status: '1' }, ['H.1', 'H.2', 'H.3', 'H.4', 'H.6']],
    [{ status: '2' }, ['H.5']],
    [{ refId: 'H.3' }, ['H.3']],
    [{ refId: 'H.9' }, []],
    [{ refId: '' }, ['H.1', 'H.2', 'H.3', 'H.4', 'H.5', 'H.6']],
    [{ pageSize: '4' }, ['H.1', 'H.2', 'H.3', 'H.4']],
    [{ pageSize: '4', pageNo: '2' }, ['H.5', 'H.6']],
    [{ pageSize: '4', pageNo: '3' }, []],
  ])('filtered by %j', async (filter: Record<string, string>, expected) => {
    const { alice, simulator, front } = await filledBook();
    const symbol = filter['symbol']?.replace('FRONT', front).replace('NEXT', simulator.contracts[1] ?? '');
    const reply = await alice.inDay({ ...filter, ...(symbol !== undefined && { symbol }) });
    expect(reply.json).toMatchObject({ cmd: 'Web.Order.IndayOrder', rc: '1' });
    expect(refIds(rowsOf(reply))).toEqual(expected);
  });

  it.each([[{ pageNo: '0' }], [{ pageNo: 'one' }], [{ pageSize: '0' }], [{ status: '7' }]])(
    'refuses %j',
    async (filter: Record<string, string>) => {
      const { alice } = await started();
      const reply = await alice.inDay(filter);
      expect([reply.status, String(reply.json['rc']).startsWith('-')], reply.text).toEqual([200, true]);
    },
  );
});
