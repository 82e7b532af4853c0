/** The two token calls (contract, 4.1), and the errors outside the envelope. */
import { z } from 'zod';
import { type ParseResult, notParsed, parsed, parseJson, isRecord } from '../../domain/parsed.ts';
import { idText, looseText, parseSecret } from './lenient.ts';
import { field, message, post, secretBodyOf, text } from './wire-message.ts';
import { type TsUs, tsUs, US_PER_SECOND } from '../../domain/units.ts';

const otpRequest = message<string>()({
  apiKey: field(text, (apiKey) => apiKey, z.string().min(1)),
});
const otpAnswer = message<string>()({
  otpId: field(text, (otpId) => otpId, idText),
});
const otpRead = otpAnswer.reader.transform(({ otpId }) => otpId);

export const requestOtp = {
  ...post('request-otp', '/gaia/v1/oauth2/openapi/request-otp'),
  needsToken: false,
  ...secretBodyOf(otpRequest, otpRequest.reader),
  encodeResponse: otpAnswer.encode,
  decodeResponse: (json: unknown): ParseResult<string> => parseSecret(otpRead, json, 'request-otp'),
} as const;

interface TokenParameters {
  readonly apiKey: string;
  readonly otp: string;
  /** Undefined on the app route (notes, 2). */
  readonly otpId: string | undefined;
}

const tokenRequest = message<TokenParameters>()({
  apiKey: field(text, (key) => key.apiKey, z.string().min(1)),
  otp: field(text, ({ otp }) => otp, idText),
  otpId: field(text, ({ otpId }) => otpId, looseText),
});
const tokenAsked = tokenRequest.reader.transform(({ otpId, ...rest }): TokenParameters => ({
  ...rest,
  otpId: otpId === '' ? undefined : otpId,
}));
const tokenAnswer = message<string>()({
  token: field(text, (token) => token, z.string().min(1)),
});
const tokenRead = tokenAnswer.reader.transform(({ token }) => token);

export const exchangeToken = {
  ...post('token', '/gaia/v1/oauth2/openapi/token'),
  needsToken: false,
  ...secretBodyOf(tokenRequest, tokenAsked),
  encodeResponse: tokenAnswer.encode,
  decodeResponse: (json: unknown): ParseResult<string> => parseSecret(tokenRead, json, 'token'),
} as const;

/** Errors outside the envelope: HTTP status other than 200 (notes, 2). */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

export const API_KEY_INVALID: ErrorBody = { code: '203074', message: 'The API Key is invalid' };
export const OTP_INVALID: ErrorBody = { code: '203033', message: 'The OTP is invalid' };
/** Ours [?]: the service's answer beyond the daily limit is not known. */
export const EXCHANGE_LIMIT: ErrorBody = {
  code: '203035',
  message: 'The daily limit of token exchanges is reached',
};
export const OTP_REQUEST_FAILED: ErrorBody = { code: '203147', message: 'The OTP could not be requested' };

const errorRead = z.object({ code: looseText, message: looseText });

/** Empty texts for another body, HTML from a proxy for example. */
export const decodeErrorBody = (json: unknown): ErrorBody =>
  errorRead.safeParse(json).data ?? { code: '', message: '' };

// When an access token ends (notes, 2): only its claim `exp` counts, because documented lives differ from those seen. The signature is the
// broker's business.

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
