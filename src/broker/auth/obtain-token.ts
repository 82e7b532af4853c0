/** The two steps of one refresh: a one-time password, then the exchange. */
import type { Clock } from '../../domain/clock.ts';
import type { TsUs } from '../../domain/units.ts';
import type { exchangeToken } from '../../wire/rest/token-calls.ts';
import { type AccessToken, parseAccessToken } from './access-token.ts';
import type { OtpProvider } from './otp-providers.ts';

export interface ObtainOptions {
  readonly exchange: TokenExchange;
  readonly otp: OtpProvider;
  readonly route: 'app' | 'request';
  /** Read on each use and never stored; undefined when there is none. */
  readonly apiKey: () => string | undefined;
  readonly counter: ExchangeCounter;
  /** Real time. */
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Whether one more exchange may be spent. */
  readonly mayExchange: () => RefreshFailure | undefined;
}

type TokenResult<Failure> =
  | { readonly ok: true; readonly token: AccessToken }
  | { readonly ok: false; readonly failure: Failure };

export type RefreshResult = TokenResult<RefreshFailure>;

/** A person may mistype; each try takes a new password and one exchange. */
const TRIES_MAX = 3;

export async function obtainToken(options: ObtainOptions): Promise<RefreshResult> {
  const triesMax = options.otp.isFresh ? TRIES_MAX : 1;
  for (let tries = 1; ; tries += 1) {
    const limit = options.mayExchange();
    if (limit !== undefined) return { ok: false, failure: limit };
    const obtained = await tryOnce(options);
    if (obtained.ok) return obtained;
    const { kind, reason } = obtained.failure;
    if (kind !== 'mistyped') return { ok: false, failure: { kind, reason } };
    if (tries >= triesMax) return { ok: false, failure: { kind: 'final', reason } };
  }
}

type FailureKind = 'final' | 'temporary' | 'mistyped';
type Try = TokenResult<{ readonly kind: FailureKind; readonly reason: string }>;

const fail = (kind: FailureKind, reason: string): Try => ({ ok: false, failure: { kind, reason } });

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
  const outcome = reply.status === 'ok' ? tokenOf(reply.value, clock) : failed('token', reply);
  const isOtp = reply.status === 'refused' && reply.isOtp;
  answer.onReply?.(outcome.ok ? null : { reason: outcome.failure.reason, isOtp });
  return outcome;
}

function tokenOf(jwt: string, clock: Clock): Try {
  const token = parseAccessToken(jwt);
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

/** The calls that the token keeper needs of the REST client. */
export type AuthReply =
  | { readonly status: 'ok'; readonly value: string }
  /** The broker refused, with its code; `isFinal` when the same request cannot succeed later. */
  | {
      readonly status: 'refused';
      readonly code: string;
      readonly message: string;
      readonly isFinal: boolean;
      /** The password was wrong; another one may be right. */
      readonly isOtp: boolean;
    }
  /** Nothing was sent. */
  | { readonly status: 'not_sent'; readonly reason: string }
  | { readonly status: 'unknown'; readonly reason: string };

export type TokenRequest = Parameters<typeof exchangeToken.encodeRequest>[0];

export interface TokenExchange {
  requestOtp(apiKey: string): Promise<AuthReply>;
  /** `onStart` runs before the first byte; when it throws, nothing is sent. */
  exchangeToken(request: TokenRequest, onStart: () => void): Promise<AuthReply>;
}

/** Exchanges of the broker's day, kept where a restart finds them (rulings, 30). */
export interface ExchangeCounter {
  used(): number;
  /** Durable when it returns. */
  add(): void;
}

// Signals of the token keeper to the operator's side. Never a key, a password or a token.

export interface RefreshFailure {
  /**
   * `final`: asking again changes nothing, a person must. `limit`: the day's exchanges are used up. `not_yet`: it is night, and no person
   * is asked for a password.
   */
  readonly kind: 'final' | 'temporary' | 'limit' | 'not_yet';
  readonly reason: string;
}

export type TokenSignal =
  | { readonly kind: 'no_cached_token'; readonly reason: string }
  | { readonly kind: 'asking'; readonly provider: string }
  | {
      readonly kind: 'obtained';
      readonly from: 'cache' | 'exchange';
      readonly expiresAt: TsUs;
      /** Exchanges of the broker's day. */
      readonly used: number;
      readonly allowed: number;
    }
  /** There is no token, and no person is asked for a password at night. */
  | { readonly kind: 'asks_later'; readonly at: TsUs }
  /** A call was refused: the token is kept until another operation is refused too. */
  | { readonly kind: 'doubted'; readonly detail: string }
  | { readonly kind: 'refresh_failed'; readonly failure: RefreshFailure; readonly used: number }
  /** Alert before it happens: without a token a position cannot be managed. */
  | { readonly kind: 'expires_before_close'; readonly expiresAt: TsUs; readonly closesAt: TsUs }
  | { readonly kind: 'expired' }
  | { readonly kind: 'rejected'; readonly by: 'stream' | 'rest'; readonly detail: string }
  | { readonly kind: 'cache_failed'; readonly reason: string };
