/** Reads `exp` out of a token. The signature is the broker's business; when the token ends is ours. */
import { notParsed, parsed, type Parsed } from '../../domain/parsed.ts';
import { tsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { AccessToken } from './token-source.ts';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The issues never show the token itself. */
export function parseAccessToken(jwt: string): Parsed<AccessToken> {
  const parts = jwt.split('.');
  const payload = parts[1];
  if (parts.length !== 3 || payload === undefined || !/^[\w.~-]+$/.test(jwt)) {
    return notParsed('token', 'a JWT of three parts', `${parts.length} parts`);
  }
  const claims = readClaims(payload);
  if (claims === undefined) return notParsed('token', 'a JSON payload', 'something else');
  const expiry = typeof claims['exp'] === 'string' ? Number(claims['exp']) : claims['exp'];
  if (typeof expiry !== 'number' || !Number.isFinite(expiry) || expiry <= 0) {
    return notParsed('token.exp', 'seconds since 1970', claims['exp']);
  }
  const expiresAt = Math.floor(expiry) * US_PER_SECOND;
  if (!Number.isSafeInteger(expiresAt)) return notParsed('token.exp', 'seconds since 1970', expiry);
  return parsed({ jwt, expiresAt: tsUs(expiresAt) });
}

function readClaims(payload: string): Record<string, unknown> | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isRecord(claims) ? claims : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
