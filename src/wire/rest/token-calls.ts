import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import { requestOtpAnswer, tokenAnswer } from '../answers/account-answers.ts';
import { idText, looseText, parseSecret } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './operation.ts';
/** POST /gaia/v1/oauth2/openapi/request-otp (contract, 4.1, step 1). */

const otpRequest = z.looseObject({ apiKey: z.string().min(1) });
const otpResponse = z.looseObject({ otpId: idText }).transform(({ otpId }) => otpId);

export const requestOtp = {
  name: 'request-otp',
  asks: otpRequest,
  answers: requestOtpAnswer,
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/request-otp',
  encodeRequest: (apiKey: string): WireRequest => bodyRequest({ apiKey }),
  decodeRequest: (raw: RawRequest): Parsed<{ readonly apiKey: string }> =>
    parseSecret(otpRequest, raw.body, 'body'),
  encodeResponse: (otpId: string): z.output<typeof requestOtpAnswer> => ({ otpId }),
  decodeResponse: (json: unknown): Parsed<string> => parseSecret(otpResponse, json, 'request-otp'),
} as const;

/** POST /gaia/v1/oauth2/openapi/token (contract, 4.1, step 2). Without `otpId` on the app route (notes, section 2). */

interface TokenParameters {
  readonly apiKey: string;
  readonly otp: string;
  /** Undefined on the app route. */
  readonly otpId: string | undefined;
}

const tokenRequest = z
  .looseObject({ apiKey: z.string().min(1), otp: idText, otpId: looseText })
  .transform(({ apiKey, otp, otpId }): TokenParameters => ({
    apiKey,
    otp,
    otpId: otpId === '' ? undefined : otpId,
  }));
const tokenResponse = z.looseObject({ token: z.string().min(1) }).transform(({ token }) => token);

export const exchangeToken = {
  name: 'token',
  asks: tokenRequest,
  answers: tokenAnswer,
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/token',
  encodeRequest: ({ apiKey, otp, otpId }: TokenParameters): WireRequest =>
    bodyRequest(otpId === undefined ? { apiKey, otp } : { apiKey, otp, otpId }),
  decodeRequest: (raw: RawRequest): Parsed<TokenParameters> => parseSecret(tokenRequest, raw.body, 'body'),
  encodeResponse: (token: string): z.output<typeof tokenAnswer> => ({ token }),
  decodeResponse: (json: unknown): Parsed<string> => parseSecret(tokenResponse, json, 'token'),
} as const;

/** Errors outside the envelope: `{code, message}` with an HTTP status other than 200 (notes, section 2). */

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

export const API_KEY_INVALID: ErrorBody = { code: '203074', message: 'The API Key is invalid' };
export const OTP_INVALID: ErrorBody = { code: '203033', message: 'The OTP is invalid' };
export const OTP_REQUEST_FAILED: ErrorBody = { code: '203147', message: 'The OTP could not be requested' };

const schema = z.looseObject({ code: looseText, message: looseText });

/** Empty texts for what is not such a body, HTML from a proxy for example. */
export function decodeErrorBody(json: unknown): ErrorBody {
  const read = schema.safeParse(json);
  return read.success ? { code: read.data.code, message: read.data.message } : { code: '', message: '' };
}
