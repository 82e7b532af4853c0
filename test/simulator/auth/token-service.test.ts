import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signJwt, type TokenClaims, verifyJwt } from '../../../src/simulator/auth/token-service.ts';

const KEY = randomBytes(32);
const CLAIMS: TokenClaims = {
  iss: 'simulator',
  exp: 2_000,
  iat: 1_000,
  jti: 'one',
  sub: '105C000001',
  subType: 'custodyID',
  custodyID: '105C000001',
};
const TOKEN = signJwt(CLAIMS, KEY);
const [HEADER = '', PAYLOAD = '', SIGNATURE = ''] = TOKEN.split('.');
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('tokens', () => {
  it('carry the claims that were signed', () => {
    expect(verifyJwt(TOKEN, KEY)).toEqual(CLAIMS);
  });

  it.each([
    ['another key', () => verifyJwt(TOKEN, randomBytes(32))],
    ['another payload', () => verifyJwt(`${HEADER}.${part({ ...CLAIMS, exp: 9_999 })}.${SIGNATURE}`, KEY)],
    ['no signature', () => verifyJwt(`${part({ alg: 'none' })}.${PAYLOAD}.`, KEY)],
    ['a cut signature', () => verifyJwt(TOKEN.slice(0, -4), KEY)],
    ['two parts', () => verifyJwt(`${HEADER}.${PAYLOAD}`, KEY)],
    ['four parts', () => verifyJwt(`${TOKEN}.x`, KEY)],
    ['nothing', () => verifyJwt('', KEY)],
    ['noise', () => verifyJwt('é.è.ê', KEY)],
  ])('are refused with %s', (_what, verify) => {
    expect(verify()).toBeUndefined();
  });
});
