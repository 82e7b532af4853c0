/** POST /gaia/v1/oauth2/openapi/request-otp (contract, 4.1, step 1). */
import { requestOtpAnswer } from '../answers/account-answers.ts';
import { z } from 'zod';
import type { Parsed } from '../../domain/parsed.ts';
import { idText, parseSecret } from './lenient.ts';
import { bodyRequest, type RawRequest, type WireRequest } from './request.ts';

const request = z.looseObject({ apiKey: z.string().min(1) });
const response = z.looseObject({ otpId: idText }).transform(({ otpId }) => otpId);

export const requestOtp = {
  name: 'request-otp',
  asks: request,
  answers: requestOtpAnswer,
  method: 'POST',
  path: '/gaia/v1/oauth2/openapi/request-otp',
  encodeRequest: (apiKey: string): WireRequest => bodyRequest({ apiKey }),
  decodeRequest: (raw: RawRequest): Parsed<{ readonly apiKey: string }> =>
    parseSecret(request, raw.body, 'body'),
  encodeResponse: (otpId: string): z.output<typeof requestOtpAnswer> => ({ otpId }),
  decodeResponse: (json: unknown): Parsed<string> => parseSecret(response, json, 'request-otp'),
} as const;
