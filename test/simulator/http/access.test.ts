import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/domain/units.ts';
import { DEFAULT_OPTIONS } from '../../../src/simulator/simulator-options.ts';
import { OPERATIONS } from '../../../src/wire/rest/operations.ts';
import { everyOperation } from '../support/every-operation.ts';
import { ALICE, started, strangerOf } from '../support/started.ts';
import { Stranger } from '../support/stranger.ts';
import { MORNING } from '../support/virtual-time.ts';

const REQUEST_OTP = '/gaia/v1/oauth2/openapi/request-otp';
const TOKEN = '/gaia/v1/oauth2/openapi/token';
const { apiKey, otp } = ALICE;

describe('the token calls', () => {
  it('give a token in two steps, with the claims of the notes', async () => {
    const { simulator } = await started();
    const stranger = strangerOf(simulator, ALICE);
    const requested = await stranger.call('POST', REQUEST_OTP, { apiKey });
    expect([requested.status, Object.keys(requested.json)]).toEqual([200, ['otpId']]);
    const reply = await stranger.call('POST', TOKEN, { apiKey, otp, otpId: requested.json['otpId'] });
    expect([reply.status, Object.keys(reply.json)]).toEqual([200, ['token']]);
    const [, payload = ''] = String(reply.json['token']).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    expect(Object.keys(claims).toSorted()).toEqual([
      'custodyID',
      'exp',
      'iat',
      'iss',
      'jti',
      'sub',
      'subType',
    ]);
    expect(claims['custodyID']).toBe(ALICE.custodyCode);
    expect([claims['iat'], claims['exp']]).toEqual([MORNING / 1e6, MORNING / 1e6 + 8 * 3_600]);
  });

  it.each([[{}], [{ otpId: null }], [{ otpId: '' }]])(
    'take the code of the app alone, with %j',
    async (extra) => {
      const { simulator } = await started();
      const stranger = strangerOf(simulator, ALICE);
      for (let i = 0; i < 12; i += 1) {
        expect((await stranger.call('POST', TOKEN, { apiKey, otp, ...extra })).status).toBe(200);
      }
    },
  );

  it.each([
    [REQUEST_OTP, { apiKey: 'wrong' }, '203074'],
    [TOKEN, { apiKey: 'wrong', otp }, '203074'],
    [TOKEN, { apiKey, otp: 'wrong' }, '203033'],
    [TOKEN, { apiKey, otp, otpId: 'wrong' }, '203033'],
  ])('refuse %s %j with HTTP 400 and code %s', async (path, body, code) => {
    const { simulator } = await started();
    const reply = await strangerOf(simulator, ALICE).call('POST', path, body);
    expect([reply.status, reply.json['code']]).toEqual([400, code]);
    expect(reply.json['message']).toMatch(/\w/);
  });

  it('say in so many words that an API key is not valid', async () => {
    const { simulator } = await started();
    const reply = await strangerOf(simulator, ALICE).call('POST', TOKEN, { apiKey: 'wrong', otp });
    expect(reply.json).toEqual({ code: '203074', message: 'The API Key is invalid' });
  });

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

  it('keep to the limit of the day when there is one', async () => {
    // Both clients of the test have logged in once.
    const { simulator } = await started({ auth: { ...DEFAULT_OPTIONS.auth, exchangesPerDayMax: 10 } });
    const stranger = strangerOf(simulator, ALICE);
    const statuses: number[] = [];
    for (let i = 0; i < 10; i += 1)
      statuses.push((await stranger.call('POST', TOKEN, { apiKey, otp })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 400]);
  });
});

describe('without a valid token', () => {
  const PROTECTED = OPERATIONS.map(({ name }) => name).filter(
    (name) => name !== 'request-otp' && name !== 'token',
  );

  it.each(PROTECTED)('%s is refused', async (name) => {
    const { simulator, alice, front, time } = await started({
      auth: { ...DEFAULT_OPTIONS.auth, tokenLife: minutes(1) },
    });
    const { token } = alice;
    const statusWith = async (given: string | undefined): Promise<number> => {
      const stranger = new Stranger(alice.account);
      stranger.token = given;
      return (await everyOperation(stranger, front)[name]()).status;
    };
    expect(await statusWith(undefined)).toBe(401);
    expect(await statusWith(`${String(token)}x`)).toBe(401);
    expect(await statusWith(token)).not.toBe(401);
    time.advance(seconds(60));
    expect(await statusWith(token), 'expired').toBe(401);
    expect(simulator.counters.size).toBe(0);
  });

  it('the header has to be the documented one', async () => {
    const { alice } = await started();
    const { token } = alice;
    alice.token = undefined;
    for (const authorization of [String(token), 'Basic abc', 'Bearer', `Token ${String(token)}`]) {
      const reply = await alice.call('GET', '/tartarus/v1/derivatives', undefined, { authorization });
      expect([reply.status, typeof reply.json['code']], authorization).toEqual([401, 'string']);
    }
  });

  it('answers 403 when the switch says so', async () => {
    const { alice } = await started({ auth: { ...DEFAULT_OPTIONS.auth, refusalStatus: 403 } });
    alice.token = undefined;
    expect((await alice.inDay()).status).toBe(403);
  });

  it('is not what another customer gets: the token is good, the account is not found', async () => {
    const { alice, bob, front } = await started();
    const { custodyCode, subAccountId } = bob.account;
    const intruder = new Stranger({ ...alice.account, custodyCode, subAccountId });
    intruder.token = alice.token;
    const calls = everyOperation(intruder, front);
    for (const name of PROTECTED) {
      if (name === 'derivatives' || name === 'contracts') continue;
      const { status, json } = await calls[name]();
      const verdict = [json['rc'], json['error'], json['code']].find((value) => value !== undefined);
      expect([200, 404], name).toContain(status);
      expect(['1', '0', '200'], name).not.toContain(verdict);
    }
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
