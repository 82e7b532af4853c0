import { describe, expect, it } from 'vitest';
import {
  API_KEY_INVALID,
  decodeErrorBody,
  exchangeToken,
  OTP_INVALID,
  OTP_REQUEST_FAILED,
  requestOtp,
  decodeTokenExpiry,
} from '../../../src/wire/rest/token-calls.ts';

const body = (content: unknown) => ({ params: {}, query: {}, body: content });
const SECRET = 'secret-that-nobody-may-see';

describe('step 1', () => {
  it('sends the key and brings the id', () => {
    expect([requestOtp.method, requestOtp.path]).toEqual(['POST', '/gaia/v1/oauth2/openapi/request-otp']);
    expect(requestOtp.encodeRequest('key')).toStrictEqual({ query: {}, body: { apiKey: 'key' } });
    expect(requestOtp.decodeRequest(body({ apiKey: 'key' }))).toMatchObject({
      ok: true,
      value: { apiKey: 'key' },
    });
    expect(requestOtp.encodeResponse('id')).toStrictEqual({ otpId: 'id' });
    expect(requestOtp.decodeResponse({ otpId: 'id' })).toEqual({ ok: true, value: 'id' });
    expect(requestOtp.decodeResponse({ otpId: 17 })).toEqual({ ok: true, value: '17' });
  });
});

describe('step 2', () => {
  it('brings the token', () => {
    expect(exchangeToken.encodeResponse('a.b.c')).toStrictEqual({ token: 'a.b.c' });
    expect(exchangeToken.decodeResponse({ token: 'a.b.c' })).toEqual({ ok: true, value: 'a.b.c' });
  });
});

describe('what cannot be read is never shown', () => {
  it.each([
    [SECRET],
    [[SECRET]],
    [{ apiKey: [SECRET], otp: { SECRET }, token: [SECRET], otpId: [SECRET] }],
    [null],
  ])('%j', (json) => {
    for (const read of [
      requestOtp.decodeRequest(body(json)),
      requestOtp.decodeResponse(json),
      exchangeToken.decodeRequest(body(json)),
      exchangeToken.decodeResponse(json),
    ]) {
      expect(read.ok).toBe(false);
      expect(JSON.stringify(read)).not.toContain(SECRET);
    }
  });
});

describe('an error body', () => {
  it.each([
    ['{"code":"203074","message":"The API Key is invalid"}', '203074', 'The API Key is invalid'],
    [JSON.stringify(API_KEY_INVALID), '203074', 'The API Key is invalid'],
    ['{"code":203147}', '203147', ''],
    [JSON.stringify(OTP_REQUEST_FAILED), '203147', OTP_REQUEST_FAILED.message],
    [JSON.stringify(OTP_INVALID), '203033', OTP_INVALID.message],
    ['{}', '', ''],
    ['[]', '', ''],
    ['null', '', ''],
    ['{"code":{}}', '', ''],
  ])('%s', (text, code, message) => {
    expect(decodeErrorBody(JSON.parse(text))).toEqual({ code, message });
  });
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwtOf = (claims: unknown): string => `${encode({ alg: 'HS256' })}.${encode(claims)}.c2ln`;
const CLAIMS = {
  iss: 'broker',
  exp: 1_763_000_000,
  iat: 1_762_971_200,
  jti: 'a',
  sub: '105C123456',
  subType: 'custodyID',
  custodyID: '105C123456',
};
const EXPIRY = 1_763_000_000_000_000;

describe('the end of a token', () => {
  it.each([
    ['all of the notes', {}, EXPIRY],
    ['a life of 24 hours: the claim is believed', { exp: 1_763_057_600 }, 1_763_057_600_000_000],
    ['times as texts', { exp: '1763000000', iat: '1762971200' }, EXPIRY],
    ['fractions of a second', { exp: 1_763_000_000.9 }, EXPIRY],
    ['nothing but exp', { iat: undefined, custodyID: undefined }, EXPIRY],
    ['names outside of ASCII', { sub: 'Nguyễn' }, EXPIRY],
  ])('is read from claims with %s', (_what, fields, value) => {
    expect(decodeTokenExpiry(jwtOf({ ...CLAIMS, ...fields }))).toStrictEqual({ ok: true, value });
  });

  it('is read with blanks at its ends and without a signature', () => {
    expect(decodeTokenExpiry(` ${encode({})}.${encode(CLAIMS)}.\n`)).toStrictEqual({
      ok: true,
      value: EXPIRY,
    });
  });

  it.each([
    ['nothing', ''],
    ['two parts', 'aaa.bbb'],
    ['four parts', 'a.b.c.d'],
    ['text', 'a.b.c'],
    ['a list', jwtOf([])],
    ['null', jwtOf(null)],
    ['no exp', jwtOf({})],
    ['an exp of 0', jwtOf({ exp: 0 })],
    ['an exp of no sense', jwtOf({ exp: 'soon' })],
    ['an empty exp', jwtOf({ exp: '' })],
    ['an endless exp', jwtOf({ exp: 1e300 })],
    ['a bar in it', `${jwtOf(CLAIMS)}|x`],
  ])('is not read from %s, and the token is not shown', (_what, token) => {
    const read = decodeTokenExpiry(token);
    expect(read.ok).toBe(false);
    expect(token.length > 10 && JSON.stringify(read).includes(token)).toBe(false);
  });
});
