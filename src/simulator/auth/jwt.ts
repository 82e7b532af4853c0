/** JSON web tokens signed with HS256: all the simulator needs of them. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The claims of the broker's tokens (notes, section 2). Times in seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly sub: string;
  readonly subType: string;
  readonly custodyID: string;
}

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

export function signJwt(claims: TokenClaims, key: Buffer): string {
  const body = `${HEADER}.${encode(claims)}`;
  return `${body}.${signature(body, key).toString('base64url')}`;
}

/** The claims of a token that this key signed, or undefined. Says nothing about its age. */
export function verifyJwt(token: string, key: Buffer): TokenClaims | undefined {
  const parts = token.split('.');
  const [header, payload, signed] = parts;
  if (parts.length !== 3 || header !== HEADER || payload === undefined || signed === undefined)
    return undefined;
  const expected = signature(`${header}.${payload}`, key);
  const received = Buffer.from(signed, 'base64url');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
  // Under our own signature stands what we wrote.
  const claims: TokenClaims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return claims;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signature(body: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest();
}
