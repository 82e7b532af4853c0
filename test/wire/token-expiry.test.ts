import { describe, expect, it } from 'vitest';
import { decodeTokenExpiry } from '../../src/wire/token-expiry.ts';

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
