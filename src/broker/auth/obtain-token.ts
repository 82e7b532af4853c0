/** The two steps of one refresh: a one-time password, then the exchange. */
import type { Clock } from '../../domain/clock.ts';
import { parseAccessToken } from './json-web-token.ts';
import type { OtpProvider } from './otp-provider.ts';
import type { AuthReply, ExchangeCounter, TokenExchange } from './token-exchange.ts';
import type { RefreshFailure } from './token-signal.ts';
import type { AccessToken } from './token-source.ts';

export interface ObtainOptions {
  readonly exchange: TokenExchange;
  readonly otp: OtpProvider;
  readonly route: 'app' | 'request';
  readonly apiKey: () => string | undefined;
  readonly counter: ExchangeCounter;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether one more exchange may be spent. */
  readonly mayExchange: () => RefreshFailure | undefined;
}

export type Obtained =
  | { readonly ok: true; readonly token: AccessToken }
  | { readonly ok: false; readonly failure: RefreshFailure };

/** A person may mistype; each try takes a new password and one exchange. */
const TRIES_MAX = 3;

export async function obtainToken(options: ObtainOptions): Promise<Obtained> {
  const triesMax = options.otp.isFresh ? TRIES_MAX : 1;
  for (let tries = 1; ; tries += 1) {
    const limit = options.mayExchange();
    if (limit !== undefined) return { ok: false, failure: limit };
    const obtained = await tryOnce(options);
    const mayRepeat = !obtained.ok && obtained.failure.kind === 'mistyped' && tries < triesMax;
    if (mayRepeat) continue;
    if (obtained.ok) return obtained;
    const { kind, reason } = obtained.failure;
    return { ok: false, failure: { kind: kind === 'mistyped' ? 'final' : kind, reason } };
  }
}

type Try =
  | { readonly ok: true; readonly token: AccessToken }
  | {
      readonly ok: false;
      readonly failure: { readonly kind: 'final' | 'temporary' | 'mistyped'; readonly reason: string };
    };

const fail = (kind: 'final' | 'temporary' | 'mistyped', reason: string): Try => ({
  ok: false,
  failure: { kind, reason },
});

async function tryOnce(options: ObtainOptions): Promise<Try> {
  const { exchange, otp, route, apiKey, counter, clock, signal } = options;
  const key = apiKey();
  if (key === undefined) return fail('final', 'there is no API key');
  let otpId: string | undefined;
  if (route === 'request') {
    const requested = await exchange.requestOtp(key);
    if (requested.status !== 'ok') return failed('request-otp', requested);
    otpId = requested.value;
  }
  const answer = await otp.read(signal);
  if (!answer.ok) return fail(otp.isFresh ? 'temporary' : 'final', `${otp.name}: ${answer.reason}`);
  // Counted before the first byte leaves: a lost answer has cost one as well.
  const reply = await exchange.exchangeToken({ apiKey: key, otp: answer.otp, otpId }, () => counter.add());
  if (reply.status !== 'ok') return failed('token', reply);
  const token = parseAccessToken(reply.value);
  if (!token.ok) return fail('final', `the broker's token cannot be read: ${token.issues[0].expected}`);
  if (token.value.expiresAt <= clock.nowUs())
    return fail('final', 'the new token has already expired: check the clock');
  return { ok: true, token: token.value };
}

function failed(step: string, reply: Exclude<AuthReply, { status: 'ok' }>): Try {
  if (reply.status !== 'refused') return fail('temporary', `${step}: ${reply.reason}`);
  const reason = `${step} refused: ${reply.code} ${reply.message}`;
  if (!reply.isFinal) return fail('temporary', reason);
  return fail(step === 'token' && reply.isOtp ? 'mistyped' : 'final', reason);
}
