/** The HTTP shell before an operation reads: paths, bodies and types that no client should send. */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/domain/units.ts';
import { ALICE, started, strangerOf } from '../support/started.ts';

const REQUEST_OTP = '/gaia/v1/oauth2/openapi/request-otp';
const TOKEN = '/gaia/v1/oauth2/openapi/token';
const { apiKey, otp } = ALICE;

describe('the token calls', () => {
  it.each([
    [REQUEST_OTP, '{'],
    [REQUEST_OTP, '[]'],
    [REQUEST_OTP, 'null'],
    [REQUEST_OTP, ''],
    [REQUEST_OTP, {}],
    [TOKEN, { apiKey }],
    [TOKEN, { apiKey: 1, otp: [] }],
    [TOKEN, '"text"'],
  ])('answer %s %j with HTTP 400', async (path, body) => {
    const { simulator } = await started();
    const reply = await strangerOf(simulator, ALICE).call('POST', path, body);
    expect(reply.status).toBe(400);
    expect(typeof reply.json['code']).toBe('string');
  });

  it('take a code that was sent as a number', async () => {
    const { simulator } = await started();
    const reply = await strangerOf(simulator, ALICE).call('POST', TOKEN, { apiKey, otp: Number(otp) });
    expect(reply.status).toBe(200);
  });
});

describe('the HTTP shell', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/khronos/v1/order/nothing'],
    ['DELETE', '/khronos/v1/order/place'],
    ['GET', '/khronos/v1/order/place'],
    ['POST', '/tartarus/v1/derivatives'],
    ['GET', '/ws/thesis/v1/stream/derivative'],
  ])('answers 404 to %s %s', async (method, path) => {
    const { alice } = await started();
    const reply = await alice.call(method, path);
    expect([reply.status, typeof reply.json['code']]).toEqual([404, 'string']);
  });

  it.each([
    ['POST', '/khronos/v1/order/place', '{"accountId":'],
    ['POST', '/khronos/v1/order/place', 'accountId=1'],
    ['POST', '/khronos/v1/order/cancel', '\u0000'],
    ['GET', '/%zz', undefined],
  ])('answers 400 to what cannot be read: %s %s %j', async (method, path, body) => {
    const { alice } = await started();
    expect((await alice.call(method, path, body)).status).toBe(400);
  });

  it.each([
    ['null'],
    ['[]'],
    ['17'],
    ['"text"'],
    ['{}'],
    ['{"accountId":{}}'],
    [''],
    ['{"__proto__":{"side":"B"}}'],
  ])('refuses the order %j without falling over', async (body) => {
    const { alice } = await started();
    for (const operation of ['place', 'change', 'cancel']) {
      const reply = await alice.call('POST', `/khronos/v1/order/${operation}`, body);
      const refused =
        reply.status === 400 || (reply.status === 200 && String(reply.json['rc']).startsWith('-'));
      expect(refused, `${operation}: ${reply.status} ${reply.text}`).toBe(true);
    }
  });

  it('refuses a body that is too large', async () => {
    const { alice } = await started();
    const reply = await alice.call('POST', '/khronos/v1/order/place', { refId: 'x'.repeat(300_000) });
    expect(reply.status).toBe(413);
  });

  it('reads JSON whatever the content type says', async () => {
    const { alice, front } = await started();
    const { custodyCode, subAccountId } = alice.account;
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
    const reply = await alice.call('POST', '/khronos/v1/order/place', body, { 'content-type': 'text/plain' });
    expect(reply.json['rc'], reply.text).toBe('1');
  });

  it('dates its answers in real time, by the clock that signs its tokens', async () => {
    const { alice, time } = await started({
      time: { speed: 60, originRealUs: null, originMarketUs: null, start: 'origin' },
    });
    time.advance(seconds(90));
    const reply = await alice.get('/api/v1/derivatives/contracts');
    expect(reply.headers.get('date')).toBe('Wed, 04 Mar 2026 03:01:30 GMT');
  });
});
