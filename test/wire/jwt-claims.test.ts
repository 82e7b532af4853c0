import { describe, expect, it } from 'vitest';
import { decodeJwtClaims } from '../../src/wire/jwt-claims.ts';

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
const READ = {
  expiresAt: 1_763_000_000_000_000,
  issuedAt: 1_762_971_200_000_000,
  custodyCode: '105C123456',
};

describe('the claims of a token', () => {
  it.each([
    ['all of the notes', {}, {}],
    [
      'a life of 24 hours: the claim is believed',
      { exp: 1_763_057_600 },
      { expiresAt: 1_763_057_600_000_000 },
    ],
    ['times as texts', { exp: '1763000000', iat: '1762971200' }, {}],
    ['fractions of a second', { exp: 1_763_000_000.9 }, {}],
    ['nothing but exp', { iat: undefined, custodyID: undefined }, { issuedAt: null, custodyCode: '' }],
    ['names outside of ASCII', { sub: 'Nguyễn' }, {}],
  ])('with %s', (_what, fields, differs) => {
    expect(decodeJwtClaims(jwtOf({ ...CLAIMS, ...fields }))).toStrictEqual({
      ok: true,
      value: { ...READ, ...differs },
    });
  });

  it('are read around blanks and without a signature', () => {
    expect(decodeJwtClaims(` ${encode({})}.${encode(CLAIMS)}.\n`)).toStrictEqual({ ok: true, value: READ });
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
  ])('are not read from %s, and the token is not shown', (_what, token) => {
    const read = decodeJwtClaims(token);
    expect(read.ok).toBe(false);
    expect(token.length > 10 && JSON.stringify(read).includes(token)).toBe(false);
  });
});
