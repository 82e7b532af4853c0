/** The two token calls (contract, 4.1), and the errors outside the envelope. */
import { z } from 'zod';
import type { ParseResult } from '../../domain/parsed.ts';
import { idText, looseText, parseSecret } from './lenient.ts';
import { field, message, text } from './wire-message.ts';
import { secretBodyOf } from './operation.ts';

const otpRequest = message<string>()({
  apiKey: field(text, (apiKey) => apiKey, z.string().min(1)),
});
const otpAnswer = message<string>()({
  otpId: field(text, (otpId) => otpId, idText),
});
const otpRead = otpAnswer.reader.transform(({ otpId }) => otpId);

export const requestOtp = {
  name: 'request-otp',
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/request-otp',
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
  name: 'token',
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/token',
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
