/** What the contract tests do not ask of orders: the loose forms that clients send, and every filter of the book. */
import { describe, expect, it } from 'vitest';
import { started } from '../support/started.ts';
import { orderNoOf, rowsOf } from '../support/stranger.ts';

it('an order is taken as existing clients send it: numbers as texts, nulls, extra fields, missing filters', async () => {
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
