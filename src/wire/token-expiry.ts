/**
 * When an access token ends (notes, 2): only its claim `exp` counts, because documented lives differ from those
 * seen. The signature is the broker's business.
 */
import { notParsed, parsed, type ParseResult, parseJson, isRecord } from '../domain/parsed.ts';
import { type TsUs, tsUs, US_PER_SECOND } from '../domain/units.ts';

const JWT = /^[\w-]+\.([\w-]+)\.[\w-]*$/;

/** The issues never show the token. */
export function decodeTokenExpiry(token: string): ParseResult<TsUs> {
  const payload = JWT.exec(token.trim())?.[1];
  if (payload === undefined) return notParsed('token', 'a JWT of three parts', 'something else');
  const json = parseJson(Buffer.from(payload, 'base64url').toString('utf8'), 'token');
  const claims = json.ok && isRecord(json.value) ? json.value : undefined;
  if (claims === undefined) return notParsed('token', 'a JSON payload', 'something else');
  const exp = claims['exp'];
  const seconds = typeof exp === 'string' && exp.trim() !== '' ? Number(exp) : exp;
  const us = typeof seconds === 'number' ? Math.floor(seconds) * US_PER_SECOND : NaN;
  if (us > 0 && Number.isSafeInteger(us)) return parsed(tsUs(us));
  return notParsed('token.exp', 'seconds since 1970', exp);
}
