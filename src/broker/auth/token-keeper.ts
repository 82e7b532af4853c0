/**
 * Keeps one usable token. Its `exp` decides, never a constant; a refresh is a new exchange with a new one-time password. The broker allows
 * ten a day, so no loop ever spends one (notes, 2).
 */
import { errorText, thrownText } from '../../domain/failure.ts';
import type { CancelTimer, Timers, Clock } from '../../domain/clock.ts';
import {
  addUs,
  durationUs,
  type DurationUs,
  minutes,
  seconds,
  type TsUs,
  tsUs,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { exchangeToken } from '../../wire/rest/token-calls.ts';
import { type AccessToken, parseAccessToken, type TokenCache, type TokenSource } from './access-token.ts';
import type { OtpProvider } from './one-time-password.ts';

/** A session as its token is concerned, in real time. */
export interface TokenHours {
  /** A password is asked for from here on, not in the night before. */
  readonly fromUs: TsUs;
  /** A token has to live until then: the last reports of the day come after its close. */
  readonly untilUs: TsUs;
}

export interface TokenKeeperOptions {
  readonly exchange: TokenExchange;
  readonly otp: OtpProvider;
  readonly route: 'app' | 'request';
  /** Read on each use and never stored; undefined when there is none. */
  readonly apiKey: () => string | undefined;
  readonly counter: ExchangeCounter;
  /** Real time. */
  readonly clock: Clock;
  readonly cache: TokenCache;
  readonly timers: Timers;
  /** A new token is fetched when the present one ends within this. */
  readonly refreshBefore: DurationUs;
  /** The session that runs or comes next; undefined where nothing closes. */
  readonly session: () => TokenHours | undefined;
  readonly onSignal: (signal: TokenSignal) => void;
}

/** `needed`: a call has no token. `scheduled`: forgives an earlier final failure. `operator`: exchanges always, from the reserve too. */
export type RefreshReason = 'needed' | 'scheduled' | 'operator';

export const EXCHANGES_PER_DAY = 10;
/** Left for the operator. */
const EXCHANGES_RESERVED = 2;
/** With few exchanges of the day left, a person waits too after one that the broker did not answer. */
const FEW_EXCHANGES = 3;
/** With one request for a token. */
const TRIES_MAX = 3;
const OPERATOR_WAIT = minutes(1);
/** The end of a token is noticed within this after a standby. */
const CHECK_EVERY = minutes(1);
/** After a failure that may pass, automatic refreshes wait. */
const RETRY_WAITS: readonly DurationUs[] = [minutes(1), minutes(5), minutes(15), minutes(30)];

/**
 * One refused operation, or a broker that refuses everything for a moment, is no proof against a token: a new one costs a password,
 * and cancels and changes need one. Another operation that is refused this much later is.
 */
const SECOND_PROOF_AFTER = seconds(10);

interface TokenDoubt {
  readonly jwt: string;
  readonly operation: string;
  readonly sinceUs: TsUs;
}

export class TokenKeeper implements TokenSource {
  readonly #options: TokenKeeperOptions;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #token: AccessToken | undefined = undefined;
  /** It lives on beside its successor (rulings, 16), in case the broker rejects that one. */
  #before: AccessToken | undefined = undefined;
  #running: Promise<RefreshResult> | undefined = undefined;
  #finalFailure: RefreshFailure | undefined = undefined;
  #failures = 0;
  #retryAfterUs = 0;
  /** An exchange was spent for a failure that may pass. */
  #spentInVainUs = -Infinity;
  #expiry: CancelTimer | undefined = undefined;
  #doubt: TokenDoubt | undefined = undefined;
  /** Refused operations of the present token. */
  readonly #alertedDoubts = new Set<string>();
  #exchangedUs = -Infinity;
  /** Session whose late token request was already reported. */
  #alertedFromUs = 0;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
  }

  /** Takes the cached token if it is still good. */
  start(): void {
    const cached = this.#options.cache.load();
    if ('none' in cached) return this.#options.onSignal({ kind: 'no_cached_token', reason: cached.none });
    const token = parseAccessToken(cached.jwt);
    if (!token.ok || token.value.expiresAt <= this.#options.clock.nowUs()) {
      return this.#options.onSignal({ kind: 'no_cached_token', reason: 'the cached token has ended' });
    }
    this.#exchangedUs = cached.savedUs;
    this.#useToken(token.value, 'cache');
  }

  current(): AccessToken | undefined {
    const token = this.#token;
    return token === undefined || token.expiresAt <= this.#options.clock.nowUs() ? undefined : token;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  reject(jwt: string, by: 'stream' | 'rest', detail: string): void {
    if (this.#token?.jwt !== jwt) return;
    this.#token = this.#before;
    this.#before = undefined;
    this.#doubt = undefined;
    this.#expiry?.();
    this.#cache(() => this.#options.cache.clear());
    const next = this.current();
    if (next !== undefined) this.#awaitEnd(next);
    const remedy = next === undefined ? '' : '; the one before is used until it ends';
    this.#options.onSignal({ kind: 'rejected', by, detail: detail + remedy });
    this.#notify();
  }

  doubt(jwt: string, operation: string, detail: string): void {
    const now = this.#options.clock.nowUs();
    if (this.#token?.jwt !== jwt) return;
    const first = this.#doubt;
    if (first?.jwt !== jwt) {
      this.#doubt = { jwt, operation, sinceUs: now };
      return this.#alertDoubt(operation, detail);
    }
    if (first.operation === operation || now - first.sinceUs < SECOND_PROOF_AFTER) return;
    this.reject(jwt, 'rest', `${detail}, and before that ${first.operation} was refused`);
  }

  /** Once a token and operation: one that the broker always refuses is refused at each poll. */
  #alertDoubt(operation: string, detail: string): void {
    if (this.#alertedDoubts.has(operation)) return;
    this.#alertedDoubts.add(operation);
    this.#options.onSignal({ kind: 'doubted', detail });
  }

  prove(jwt: string): void {
    if (this.#doubt?.jwt === jwt) this.#doubt = undefined;
  }

  /** When the next automatic refresh should be asked for; undefined when none may be. */
  refreshDueUs(): TsUs | undefined {
    if (this.#finalFailure !== undefined || this.#used() >= EXCHANGES_PER_DAY - EXCHANGES_RESERVED)
      return undefined;
    const now = this.#options.clock.nowUs();
    return addUs(now, Math.max(0, this.wantedUs() - now, this.#retryAfterUs - now));
  }

  /** Exchanges of the broker's day. */
  get budget(): { readonly used: number; readonly allowed: number } {
    return { used: this.#used(), allowed: EXCHANGES_PER_DAY };
  }

  /** From when on another token is wanted. Ahead of each session a token that outlives it. One that is new and still does not is renewed before its end. */
  wantedUs(): number {
    const token = this.current();
    const hours = this.#options.session();
    const fromUs = hours?.fromUs ?? -Infinity;
    if (token === undefined) return fromUs;
    const renewUs = token.expiresAt - this.#options.refreshBefore;
    if (hours === undefined) return renewUs;
    if (token.expiresAt >= hours.untilUs) return hours.untilUs;
    return this.#exchangedUs >= fromUs ? Math.max(renewUs, fromUs) : fromUs;
  }

  #isNight(): boolean {
    const fromUs = this.#options.session()?.fromUs;
    return fromUs !== undefined && this.#options.clock.nowUs() < fromUs;
  }

  /** One at a time: a second call while one runs gets its result. */
  refresh(reason: RefreshReason): Promise<RefreshResult> {
    this.#running ??= this.#refresh(reason)
      // A key that cannot be read just now, or a journal that cannot count, must not end the daemon.
      .catch((error: unknown) => this.#failed({ kind: 'temporary', reason: errorText(error) }, false))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** Signals in time when the token will not last for as long as it is needed. */
  checkClose(): void {
    const token = this.current();
    const neededUntil = this.#options.session()?.untilUs;
    if (token === undefined || neededUntil === undefined || token.expiresAt >= neededUntil) return;
    if (!this.#isNight())
      this.#options.onSignal({ kind: 'expires_before_close', expiresAt: token.expiresAt, neededUntil });
  }

  /** Ends a wait for a password, and for a token. */
  close(): void {
    this.#closing.abort();
    this.#expiry?.();
    this.#notify();
    this.#listeners.clear();
  }

  async #refresh(reason: RefreshReason): Promise<RefreshResult> {
    const token = this.current();
    const isAutomatic = reason !== 'operator';
    if (token !== undefined && isAutomatic && (this.#isNight() || !this.#isDue(token)))
      return { ok: true, token };
    if (isAutomatic && this.#isNight()) return { ok: false, failure: this.#notYet() };
    if (reason !== 'needed') this.#finalFailure = undefined;
    const refusal = this.#finalFailure ?? this.#overLimit(reason) ?? this.#tooSoon(reason);
    if (refusal !== undefined) return { ok: false, failure: refusal };
    const used = this.#used();
    this.#options.onSignal({ kind: 'asking', provider: this.#options.otp.name });
    const obtained = await this.#obtain(reason);
    if (!obtained.ok) return this.#failed(obtained.failure, this.#used() > used);
    this.#failures = 0;
    this.#retryAfterUs = 0;
    this.#exchangedUs = this.#options.clock.nowUs();
    this.#useToken(obtained.token, 'exchange');
    return obtained;
  }

  /** A person may mistype; each try takes a new password and one exchange. */
  async #obtain(reason: RefreshReason): Promise<RefreshResult> {
    const triesMax = this.#options.otp.isFresh ? TRIES_MAX : 1;
    for (let tries = 1; ; tries += 1) {
      const limit = this.#overLimit(reason);
      if (limit !== undefined) return { ok: false, failure: limit };
      const obtained = await exchangeOnce(this.#options, this.#closing.signal);
      if (obtained.ok) return obtained;
      const { kind, reason: why } = obtained.failure;
      if (kind !== 'mistyped') return { ok: false, failure: { kind, reason: why } };
      if (tries >= triesMax) return { ok: false, failure: { kind: 'final', reason: why } };
    }
  }

  #isDue(token: AccessToken): boolean {
    const { clock, session, refreshBefore } = this.#options;
    const hours = session();
    const isEnding = token.expiresAt - clock.nowUs() <= refreshBefore;
    return hours === undefined ? isEnding : token.expiresAt < hours.untilUs;
  }

  #notYet(): RefreshFailure {
    const at = this.#options.session()?.fromUs ?? tsUs(0);
    if (this.#alertedFromUs !== at && this.current() === undefined)
      this.#options.onSignal({ kind: 'asks_later', at });
    this.#alertedFromUs = at;
    return { kind: 'not_yet', reason: 'no password is asked for before the session' };
  }

  #overLimit(reason: RefreshReason): RefreshFailure | undefined {
    const used = this.#used();
    const allowed = reason === 'operator' ? EXCHANGES_PER_DAY : EXCHANGES_PER_DAY - EXCHANGES_RESERVED;
    if (used < allowed) return undefined;
    return { kind: 'limit', reason: `${used} of ${EXCHANGES_PER_DAY} exchanges of the day are used` };
  }

  #tooSoon(reason: RefreshReason): RefreshFailure | undefined {
    const now = this.#options.clock.nowUs();
    if (reason === 'operator') return this.#waitOfFew(now);
    if (reason !== 'needed' || now >= this.#retryAfterUs) return undefined;
    return { kind: 'temporary', reason: 'waiting after the last failure' };
  }

  /** The last exchange of a day is kept for a broker that has had time to recover. */
  #waitOfFew(now: TsUs): RefreshFailure | undefined {
    const used = this.#used();
    if (used < EXCHANGES_PER_DAY - FEW_EXCHANGES) return undefined;
    const isLast = used === EXCHANGES_PER_DAY - 1 && this.#spentInVainUs > -Infinity;
    const until = Math.max(this.#spentInVainUs + OPERATOR_WAIT, isLast ? this.#retryAfterUs : -Infinity);
    if (now >= until) return undefined;
    const left = `${EXCHANGES_PER_DAY - used} of ${EXCHANGES_PER_DAY} exchanges of the day are left`;
    const reason = `the broker failed just now, and ${left}: ask again in ${Math.ceil((until - now) / US_PER_SECOND)} s`;
    return { kind: 'temporary', reason };
  }

  #used(): number {
    return this.#options.counter.used();
  }

  #failed(failure: RefreshFailure, isSpent: boolean): RefreshResult {
    // Ended by us, not refused by the broker.
    if (this.#closing.signal.aborted) return { ok: false, failure };
    this.#spentInVainUs = isSpent && failure.kind === 'temporary' ? this.#options.clock.nowUs() : -Infinity;
    if (failure.kind === 'final') this.#finalFailure = failure;
    const wait = RETRY_WAITS[Math.min(this.#failures, RETRY_WAITS.length - 1)] ?? durationUs(0);
    this.#failures += 1;
    this.#retryAfterUs = this.#options.clock.nowUs() + wait;
    this.#options.onSignal({ kind: 'refresh_failed', failure, used: this.#used() });
    return { ok: false, failure };
  }

  #useToken(token: AccessToken, from: 'cache' | 'exchange'): void {
    const { cache, onSignal } = this.#options;
    this.#before = this.#token;
    this.#token = token;
    this.#alertedDoubts.clear();
    this.#finalFailure = undefined;
    if (from === 'exchange') this.#cache(() => cache.save(token.jwt));
    this.#expiry?.();
    this.#awaitEnd(token);
    onSignal({ kind: 'obtained', from, expiresAt: token.expiresAt, ...this.budget });
    this.checkClose();
    this.#notify();
  }

  /** Checks again and again: timers pause while the machine sleeps, and the token ends meanwhile. */
  #awaitEnd(token: AccessToken): void {
    const { clock, timers, onSignal } = this.#options;
    const left = Math.min(token.expiresAt - clock.nowUs(), CHECK_EVERY);
    this.#expiry = timers.after(durationUs(left), () => {
      if (this.current() !== undefined) return this.#awaitEnd(token);
      if (!this.#isNight()) onSignal({ kind: 'expired' });
      this.#notify();
    });
  }

  /** A full disk costs the cache, not the token. */
  #cache(change: () => void): void {
    const problem = thrownText(change);
    if (problem !== null) this.#options.onSignal({ kind: 'cache_failed', reason: problem });
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

// The two steps of one refresh: a one-time password, then the exchange.

type TokenResult<Failure> =
  | { readonly ok: true; readonly token: AccessToken }
  | { readonly ok: false; readonly failure: Failure };

export type RefreshResult = TokenResult<RefreshFailure>;

type FailureKind = 'final' | 'temporary' | 'mistyped';
type ExchangeResult = TokenResult<{ readonly kind: FailureKind; readonly reason: string }>;

const failure = (kind: FailureKind, reason: string): ExchangeResult => ({
  ok: false,
  failure: { kind, reason },
});

async function exchangeOnce(
  { exchange, otp, route, apiKey, counter, clock }: TokenKeeperOptions,
  signal: AbortSignal,
): Promise<ExchangeResult> {
  const key = apiKey();
  if (key === undefined) return failure('final', 'there is no API key');
  let otpId: string | undefined;
  if (route === 'request') {
    const requested = await exchange.requestOtp(key);
    if (requested.status !== 'ok') return failureOf('request-otp', requested);
    otpId = requested.value;
  }
  const answer = await otp.read(signal);
  if (!answer.ok) return failure(otp.isFresh ? 'temporary' : 'final', `${otp.name}: ${answer.reason}`);
  // Counted before the first byte leaves: a lost answer has cost one as well.
  const reply = await exchange.exchangeToken({ apiKey: key, otp: answer.otp, otpId }, () => counter.add());
  const outcome = reply.status === 'ok' ? tokenOf(reply.value, clock) : failureOf('token', reply);
  const isOtp = reply.status === 'refused' && reply.isOtp;
  answer.onReply?.(outcome.ok ? null : { reason: outcome.failure.reason, isOtp });
  return outcome;
}

function tokenOf(jwt: string, clock: Clock): ExchangeResult {
  const token = parseAccessToken(jwt);
  if (!token.ok) return failure('final', `the broker's token cannot be read: ${token.issues[0].expected}`);
  if (token.value.expiresAt <= clock.nowUs())
    return failure('final', 'the new token has already expired: check the clock');
  return { ok: true, token: token.value };
}

function failureOf(step: string, reply: Exclude<AuthReply, { status: 'ok' }>): ExchangeResult {
  if (reply.status !== 'refused') return failure('temporary', `${step}: ${reply.reason}`);
  const reason = `${step} refused: ${reply.code} ${reply.message}`;
  if (!reply.isFinal) return failure('temporary', reason);
  return failure(step === 'token' && reply.isOtp ? 'mistyped' : 'final', reason);
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
  /** Durable when it returns, where the disk takes it. */
  add(): void;
}

// Signals of the token keeper to the operator's side. Never a key, a password or a token.

interface RefreshFailure {
  /** `final`: only a person can help. `limit`: the day's exchanges are used up. `not_yet`: nobody is asked for a password at night. */
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
      readonly used: number;
      readonly allowed: number;
    }
  /** There is no token, and no person is asked for a password at night. */
  | { readonly kind: 'asks_later'; readonly at: TsUs }
  /** A call was refused: the token is kept until another operation is refused too. */
  | { readonly kind: 'doubted'; readonly detail: string }
  | { readonly kind: 'refresh_failed'; readonly failure: RefreshFailure; readonly used: number }
  /** Alert before it happens: without a token a position cannot be managed. */
  | { readonly kind: 'expires_before_close'; readonly expiresAt: TsUs; readonly neededUntil: TsUs }
  | { readonly kind: 'expired' }
  | { readonly kind: 'rejected'; readonly by: 'stream' | 'rest'; readonly detail: string }
  | { readonly kind: 'cache_failed'; readonly reason: string };
