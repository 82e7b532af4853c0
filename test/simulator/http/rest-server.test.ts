/** The HTTP shell before an operation reads: paths, bodies and types that no client should send. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { openMarket } from '../../contract/broker/support/market.ts';

describe('the HTTP shell', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/khronos/v1/order/nothing'],
    ['DELETE', '/khronos/v1/order/place'],
    ['GET', '/khronos/v1/order/place'],
    ['POST', '/tartarus/v1/derivatives'],
    ['GET', '/ws/thesis/v1/stream/derivative'],
  ])('answers 404 to %s %s', async (method, path) => {
    const { alice } = await openMarket();
    const reply = await alice.raw(method, path);
    expect([reply.status, typeof reply.json['code']]).toEqual([404, 'string']);
  });

  it.each([
    ['POST', '/khronos/v1/order/place', '{"accountId":'],
    ['POST', '/khronos/v1/order/place', 'accountId=1'],
    ['POST', '/khronos/v1/order/cancel', '\u0000'],
    ['GET', '/%zz', undefined],
  ])('answers 400 to what cannot be read: %s %s %j', async (method, path, body) => {
    const { alice } = await openMarket();
    expect((await alice.raw(method, path, body)).status).toBe(400);
  });

  it('refuses a body that is too large', async () => {
    const { alice } = await openMarket();
    const reply = await alice.raw('POST', '/khronos/v1/order/place', { refId: 'x'.repeat(300_000) });
    expect(reply.status).toBe(413);
  });

  it('reads JSON whatever the content type says', async () => {
    const { alice, front } = await openMarket();
    const { custodyCode, subAccountId } = alice;
    const body = {
      accountId: custodyCode,
      subAccountId,
      side: 'B',
      symbol: front,
      price: 1299,
      volume: 1,
      orderType: '0',
      refId: 'H.1',
    };
    const reply = await alice.raw('POST', '/khronos/v1/order/place', body, { 'content-type': 'text/plain' });
    expect(reply.json['rc'], reply.text).toBe('1');
  });

  it('dates its answers in real time, by the clock that signs its tokens', async () => {
    const { alice, time } = await openMarket({
      time: { speed: 60, originRealUs: null, originMarketUs: null, start: 'origin' },
    });
    time.advance(seconds(90));
    const reply = await alice.call('contracts');
    expect(reply.headers.get('date')).toBe('Wed, 04 Mar 2026 03:01:30 GMT');
  });
});
