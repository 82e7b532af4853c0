/**
 * The claims of an access token (notes, section 2). The signature is the broker's business; when the token ends is ours,
 * and only `exp` says it: documented lives differ from those seen.
 */
import { notParsed, parsed, type Parsed } from '../domain/parsed.ts';
import { type TsUs, tsUs, US_PER_SECOND } from '../domain/units.ts';
import { isRecord, parseJson } from './json.ts';

export interface JwtClaims {
  readonly expiresAt: TsUs;
  /** Null when the token does not say. */
  readonly issuedAt: TsUs | null;
  /** Custody account of the token, empty when it does not say. */
  readonly custodyCode: string;
}

const JWT = /^[\w-]+\.([\w-]+)\.[\w-]*$/;

/** The issues never show the token. */
export function decodeJwtClaims(token: string): Parsed<JwtClaims> {
  const payload = JWT.exec(token.trim())?.[1];
  if (payload === undefined) return notParsed('token', 'a JWT of three parts', 'something else');
  const json = parseJson(Buffer.from(payload, 'base64url').toString('utf8'), 'token');
  const claims = json.ok && isRecord(json.value) ? json.value : undefined;
  if (claims === undefined) return notParsed('token', 'a JSON payload', 'something else');
  const expiresAt = momentOf(claims['exp']);
  if (expiresAt === null) return notParsed('token.exp', 'seconds since 1970', claims['exp']);
  const custody = claims['custodyID'];
  return parsed({
    expiresAt,
    issuedAt: momentOf(claims['iat']),
    custodyCode: typeof custody === 'string' ? custody : '',
  });
}

/** Seconds since 1970, as number or text; null for what is neither. */
function momentOf(value: unknown): TsUs | null {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof seconds !== 'number') return null;
  const us = Math.floor(seconds) * US_PER_SECOND;
  return us > 0 && Number.isSafeInteger(us) ? tsUs(us) : null;
}
