/** The two token calls, the only ones without a token (notes, section 2). */
import { exchangeToken, requestOtp } from '../../wire/rest/token-calls.ts';
import type { OtpDesk } from '../auth/otp-desk.ts';
import { badRequest, failed, ok, type RestOperation } from './rest-operation.ts';

export function authOperations(otps: OtpDesk): readonly RestOperation[] {
  return [
    {
      name: 'request_otp',
      method: requestOtp.method,
      path: requestOtp.path,
      open: true,
      handle(request) {
        const asked = requestOtp.decodeRequest(request);
        if (!asked.ok) return badRequest(asked.issues);
        const outcome = otps.request(asked.value.apiKey);
        return outcome.ok ? ok(requestOtp.encodeResponse(outcome.otpId)) : failed(400, outcome.error);
      },
    },
    {
      name: 'token',
      method: exchangeToken.method,
      path: exchangeToken.path,
      open: true,
      handle(request) {
        const asked = exchangeToken.decodeRequest(request);
        if (!asked.ok) return badRequest(asked.issues);
        const { apiKey, otp, otpId } = asked.value;
        const outcome = otps.exchange({ apiKey, otp, otpId: otpId ?? null });
        return outcome.ok ? ok(exchangeToken.encodeResponse(outcome.token)) : failed(400, outcome.error);
      },
    },
  ];
}
