/** The two token calls, over bare HTTP: both routes, and all that can be wrong with a key, a code, an id (notes, 2). */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/domain/units.ts';
import { type Answer, BareClient, type Values } from './support/bare-client.ts';
import { ALICE } from './support/customers.ts';
import { type Market, openLockedMarket, openMarket, withAuth } from './support/market.ts';

/** Somebody with Alice's key and code who has not logged in. */
const newcomer = ({ simulator }: Market): BareClient => new BareClient(simulator.rest, ALICE);

const otpIdOf = async (client: BareClient): Promise<unknown> =>
  (await client.call('request-otp')).json['otpId'];
const said = ({ status, json }: Answer): unknown[] => [status, json['code']];

const BAD_KEY = [400, '203074'];
const BAD_OTP = [400, '203033'];

describe('a token', () => {
  it.each<[string, Values]>([
    ['the app route, without an id', { otpId: undefined }],
    ['the app route, with an empty id', { otpId: '' }],
    ['the app route, with null for an id', { otpId: null }],
  ])('comes on %s', async (_route, values) => {
    const client = newcomer(await openMarket());
    expect(Object.keys((await client.call('token', values)).json)).toEqual(['token']);
  });

  it('comes on the route with a requested id', async () => {
    const client = newcomer(await openMarket());
    const otpId = await otpIdOf(client);
    expect(otpId).toMatch(/\S/);
    const answer = await client.call('token', { otpId });
    expect(Object.keys(answer.json)).toEqual(['token']);
    client.token = String(answer.json['token']);
    expect((await client.call('account-status')).json['rc']).toBe('1');
  });

  it('says who and until when: eight hours at most', async () => {
    const market = await openMarket();
    const [, payload = ''] = (await newcomer(market).logIn()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const names = ['custodyID', 'exp', 'iat', 'iss', 'jti', 'sub', 'subType'];
    expect(Object.keys(claims).toSorted()).toEqual(names);
    expect(claims['custodyID']).toBe(ALICE.custodyCode);
    expect(Number(claims['iat'])).toBe(market.time.nowUs() / 1e6);
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(8 * 3_600);
  });

  it('leaves older ones valid, or ends them where the service does so', async () => {
    for (const newTokenEndsOlder of [false, true]) {
      const market = await openMarket(withAuth({ newTokenEndsOlder }));
      await newcomer(market).logIn();
      expect((await market.alice.call('positions')).status).toBe(newTokenEndsOlder ? 401 : 200);
    }
  });
});

describe('what is wrong', () => {
  it.each<[string, 'request-otp' | 'token', Values, unknown[]]>([
    ['a wrong key', 'request-otp', { apiKey: 'wrong' }, BAD_KEY],
    ['a wrong key', 'token', { apiKey: 'wrong' }, BAD_KEY],
    ['a wrong code', 'token', { otp: '000000' }, BAD_OTP],
    ['an id that nobody gave out', 'token', { otpId: 'wrong' }, BAD_OTP],
  ])('%s, in %s', async (_what, name, values, expected) => {
    const answer = await newcomer(await openMarket()).call(name, values);
    expect(said(answer)).toEqual(expected);
    expect(answer.json['message']).toMatch(/\w/);
  });

  it('an API key has the text of the notes', async () => {
    const answer = await newcomer(await openMarket()).call('token', { apiKey: 'wrong' });
    expect(answer.json).toEqual({ code: '203074', message: 'The API Key is invalid' });
  });

  it('an id that was used', async () => {
    const client = newcomer(await openMarket());
    const otpId = await otpIdOf(client);
    expect((await client.call('token', { otpId })).status).toBe(200);
    expect(said(await client.call('token', { otpId }))).toEqual(BAD_OTP);
  });

  it('an id that is too old', async () => {
    const market = await openMarket(withAuth({ otpIdLife: minutes(5) }));
    const client = newcomer(market);
    const otpId = await otpIdOf(client);
    market.time.advance(minutes(5));
    expect(said(await client.call('token', { otpId }))).toEqual(BAD_OTP);
  });

  it('an id of somebody else', async () => {
    const market = await openMarket();
    const otpId = await otpIdOf(market.bob);
    expect(said(await newcomer(market).call('token', { otpId }))).toEqual(BAD_OTP);
  });

  it('a wrong code does not use the id up', async () => {
    const client = newcomer(await openMarket());
    const otpId = await otpIdOf(client);
    expect(said(await client.call('token', { otpId, otp: '000000' }))).toEqual(BAD_OTP);
    expect((await client.call('token', { otpId })).status).toBe(200);
  });

  it('a code of the app that was used, where each works once', async () => {
    const market = await openMarket(withAuth({ appOtp: 'once' }));
    // The market's own login was the first.
    expect(said(await newcomer(market).call('token', { otpId: undefined }))).toEqual(BAD_OTP);
  });

  it('a code of the app that is too old, or was used: they change every half minute', async () => {
    const appOtpLife = seconds(30);
    const market = await openLockedMarket(withAuth({ appOtp: 'rotating', appOtpLife }));
    const client = newcomer(market);
    const first = market.simulator.otp;
    expect((await client.call('token', { otpId: undefined, otp: first })).status).toBe(200);
    expect(said(await client.call('token', { otpId: undefined, otp: first }))).toEqual(BAD_OTP);
    market.time.advance(appOtpLife);
    expect(said(await client.call('token', { otpId: undefined, otp: first }))).toEqual(BAD_OTP);
    const otp = market.simulator.otp;
    expect((await client.call('token', { otpId: undefined, otp })).status).toBe(200);
  });

  it('the eleventh exchange of a day; the next day is another', async () => {
    // The market's own login was the first.
    const market = await openMarket(withAuth({ exchangesPerDayMax: 10 }));
    const client = newcomer(market);
    for (let i = 2; i <= 10; i += 1)
      expect((await client.call('token', { otpId: undefined })).status).toBe(200);
    const eleventh = await client.call('token', { otpId: undefined });
    expect([eleventh.status, typeof eleventh.json['code']]).toEqual([400, 'string']);
    expect((await market.bob.call('token', { otpId: undefined })).status).toBe(200);
    // 10:00 in Vietnam: the day is over at midnight there.
    market.time.jump(minutes(14 * 60 - 1));
    expect((await client.call('token', { otpId: undefined })).status).toBe(400);
    market.time.jump(minutes(1));
    expect((await client.call('token', { otpId: undefined })).status).toBe(200);
  });

  it('a wrong code costs none of the ten', async () => {
    const client = newcomer(await openMarket(withAuth({ exchangesPerDayMax: 2 })));
    for (let i = 0; i < 5; i += 1) await client.call('token', { otpId: undefined, otp: '000000' });
    expect((await client.call('token', { otpId: undefined })).status).toBe(200);
  });

  it('with the service itself: request-otp may fail with HTTP 500 and its own code', async () => {
    const market = await openMarket();
    market.simulator.faults.set({ name: 'http_500', operation: 'request-otp', times: 1 });
    const answer = await newcomer(market).call('request-otp');
    expect(said(answer)).toEqual([500, '203147']);
  });
});
