import { describe, expect, it } from 'vitest';
import {
  API_KEY_INVALID,
  decodeErrorBody,
  exchangeToken,
  OTP_INVALID,
  OTP_REQUEST_FAILED,
  requestOtp,
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
