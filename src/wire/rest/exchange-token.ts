/** POST /gaia/v1/oauth2/openapi/token (contract, 4.1, step 2). Without `otpId` on the app route (notes, section 2). */
import { tokenAnswer } from '../answers/account-answers.ts';
import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import { idText, looseText, parseSecret } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

export interface TokenParameters {
  readonly apiKey: string;
  readonly otp: string;
  /** Undefined on the app route. */
  readonly otpId: string | undefined;
}

const request = z
  .looseObject({ apiKey: z.string().min(1), otp: idText, otpId: looseText })
  .transform(({ apiKey, otp, otpId }): TokenParameters => ({
    apiKey,
    otp,
    otpId: otpId === '' ? undefined : otpId,
  }));
const response = z.looseObject({ token: z.string().min(1) }).transform(({ token }) => token);

export const exchangeToken = {
  name: 'token',
  asks: request,
  answers: tokenAnswer,
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/token',
  encodeRequest: ({ apiKey, otp, otpId }: TokenParameters): WireRequest =>
    bodyRequest(otpId === undefined ? { apiKey, otp } : { apiKey, otp, otpId }),
  decodeRequest: (raw: RawRequest): Parsed<TokenParameters> => parseSecret(request, raw.body, 'body'),
  encodeResponse: (token: string): z.output<typeof tokenAnswer> => ({ token }),
  decodeResponse: (json: unknown): Parsed<string> => parseSecret(response, json, 'token'),
} as const;
