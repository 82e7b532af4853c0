/** The two calls that carry no token. Never tried twice: each exchange is one of ten a day. */
import {
  API_KEY_INVALID,
  decodeErrorBody,
  EXCHANGE_LIMIT,
  exchangeToken,
  OTP_INVALID,
  requestOtp,
} from '../../wire/rest/token-calls.ts';
import { jsonOf } from '../../wire/rest/call-reply.ts';
import type { WireRequest } from '../../wire/rest/wire-message.ts';
import type { ParseResult } from '../../domain/parsed.ts';
import type { AuthReply, TokenExchange } from '../auth/obtain-token.ts';
import type { HttpHooks } from './http-edge.ts';
import type { Transport } from './transport.ts';

interface AuthOperation {
  readonly name: string;
  readonly method: 'POST';
  readonly path: string;
  decodeResponse(json: unknown): ParseResult<string>;
}

export function createAuthCalls(transport: Transport): TokenExchange {
  const ask = async (
    operation: AuthOperation,
    { query, body }: WireRequest,
    hooks: HttpHooks,
  ): Promise<AuthReply> => {
    const { name, method, path } = operation;
    const result = await transport.send({
      ...hooks,
      operation: name,
      // No other call works without a token.
      priority: 'lookup',
      request: () => ({ method, path, query, body, token: undefined }),
    });
    if (result.kind === 'lost') return { status: 'unknown', reason: result.reason };
    if (result.kind !== 'reply') return { status: 'not_sent', reason: result.reason };
    return replyOf(result.status, jsonOf(result.text), operation);
  };
  return {
    requestOtp: (apiKey) => ask(requestOtp, requestOtp.encodeRequest(apiKey), {}),
    exchangeToken: (request, onStart) =>
      ask(exchangeToken, exchangeToken.encodeRequest(request), { onStart }),
  };
}

function replyOf(status: number, json: unknown, operation: AuthOperation): AuthReply {
  if (status === 200) {
    const value = operation.decodeResponse(json);
    if (value.ok) return { status: 'ok', value: value.value };
    return { status: 'unknown', reason: `${operation.name}: expected ${value.issues[0].expected}` };
  }
  const { code, message } = decodeErrorBody(json);
  const isOtp = code === OTP_INVALID.code;
  return {
    status: 'refused',
    code: code === '' ? `HTTP ${status}` : code,
    message,
    // Any other refusal (maintenance, a fault of the broker, a proxy's page) may pass: key and password are not to blame.
    isFinal: isOtp || code === API_KEY_INVALID.code || code === EXCHANGE_LIMIT.code,
    isOtp,
  };
}
