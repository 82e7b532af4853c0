/**
 * Keeps one usable token. Its `exp` decides, never a constant; a refresh is a new exchange with a new one-time password. The broker allows
 * ten a day, so no loop ever spends one (notes, 2).
 */
import { failureOf } from '../../domain/failure.ts';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
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
import { type AccessToken, parseAccessToken, type TokenCache, type TokenSource } from './access-token.ts';
import {
  type ObtainOptions,
  obtainToken,
  type RefreshFailure,
  type RefreshResult,
  type TokenSignal,
} from './obtain-token.ts';

/** A session as its token is concerned, in real time. */
export interface TokenHours {
  /** A password is asked for from here on, not in the night before. */
  readonly fromUs: TsUs;
  /** The close: a token has to live until then. */
  readonly untilUs: TsUs;
}

export interface TokenKeeperOptions extends Omit<ObtainOptions, 'signal' | 'mayExchange'> {
  readonly cache: TokenCache;
  readonly timers: Timers;
  /** A new token is fetched when the present one ends within this. */
  readonly refreshBefore: DurationUs;
  /** The session that runs or comes next; undefined where nothing closes. */
  readonly session: () => TokenHours | undefined;
  readonly onSignal: (signal: TokenSignal) => void;
}

/**
 * `needed`: a call or the stream has no token. `scheduled`: a moment of the schedule before the session; forgives an earlier final failure.
 * `operator`: exchanges in any case, and may use the reserve.
 */
export type RefreshReason = 'needed' | 'scheduled' | 'operator';

export const EXCHANGES_PER_DAY = 10;
/** Left for the operator. */
const EXCHANGES_RESERVED = 2;
/** The last exchanges of a day are not pressed away: after one that the broker did not answer a person waits too. */
const EXCHANGES_SPARED = 3;
const OPERATOR_PATIENCE = minutes(1);
/** After a failure that may pass, automatic refreshes wait. */
const PATIENCE: readonly DurationUs[] = [minutes(1), minutes(5), minutes(15), minutes(30)];

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
  #running: Promise<RefreshResult> | undefined = undefined;
  #finalFailure: RefreshFailure | undefined = undefined;
  #failures = 0;
  #patientUntil = 0;
  /** An exchange was spent for a failure that may pass. */
  #wastedUs = -Infinity;
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
    this.#adopt(token.value, 'cache');
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
    this.#token = undefined;
    this.#doubt = undefined;
    this.#expiry?.();
    this.#cache(() => this.#options.cache.clear());
    this.#options.onSignal({ kind: 'rejected', by, detail });
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
    return addUs(now, Math.max(0, this.#wantedUs() - now, this.#patientUntil - now));
  }

  /** Exchanges of the broker's day. */
  get budget(): { readonly used: number; readonly allowed: number } {
    return { used: this.#used(), allowed: EXCHANGES_PER_DAY };
  }

  /**
   * The plan of a day: ahead of each session a token that outlives its close. One that is new and still does not is renewed before
   * its end.
   */
  #wantedUs(): number {
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
    this.#running ??= this.#refresh(reason).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Signals in time when the token will not last until the close. */
  checkClose(): void {
    const token = this.current();
    const closesAt = this.#options.session()?.untilUs;
    if (token === undefined || closesAt === undefined || token.expiresAt >= closesAt) return;
    if (!this.#isNight())
      this.#options.onSignal({ kind: 'expires_before_close', expiresAt: token.expiresAt, closesAt });
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
    const obtained = await obtainToken({
      ...this.#options,
      signal: this.#closing.signal,
      mayExchange: () => this.#overLimit(reason),
    });
    if (!obtained.ok) return this.#failed(obtained.failure, this.#used() > used);
    this.#failures = 0;
    this.#patientUntil = 0;
    this.#exchangedUs = this.#options.clock.nowUs();
    this.#adopt(obtained.token, 'exchange');
    return obtained;
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
    if (reason === 'operator') return this.#wouldWaste(now);
    if (reason !== 'needed' || now >= this.#patientUntil) return undefined;
    return { kind: 'temporary', reason: 'waiting after the last failure' };
  }

  /** The last exchange of a day is kept for a broker that has had time to recover. */
  #wouldWaste(now: TsUs): RefreshFailure | undefined {
    const used = this.#used();
    if (used < EXCHANGES_PER_DAY - EXCHANGES_SPARED) return undefined;
    const isLast = used === EXCHANGES_PER_DAY - 1 && this.#wastedUs > -Infinity;
    const until = Math.max(this.#wastedUs + OPERATOR_PATIENCE, isLast ? this.#patientUntil : -Infinity);
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
    this.#wastedUs = isSpent && failure.kind === 'temporary' ? this.#options.clock.nowUs() : -Infinity;
    if (failure.kind === 'final') this.#finalFailure = failure;
    const wait = PATIENCE[Math.min(this.#failures, PATIENCE.length - 1)] ?? durationUs(0);
    this.#failures += 1;
    this.#patientUntil = this.#options.clock.nowUs() + wait;
    this.#options.onSignal({ kind: 'refresh_failed', failure, used: this.#used() });
    return { ok: false, failure };
  }

  #adopt(token: AccessToken, from: 'cache' | 'exchange'): void {
    const { clock, timers, cache, onSignal } = this.#options;
    this.#token = token;
    this.#alertedDoubts.clear();
    this.#finalFailure = undefined;
    if (from === 'exchange') this.#cache(() => cache.save(token.jwt));
    this.#expiry?.();
    this.#expiry = timers.after(durationUs(token.expiresAt - clock.nowUs()), () => {
      if (!this.#isNight()) onSignal({ kind: 'expired' });
    });
    onSignal({ kind: 'obtained', from, expiresAt: token.expiresAt, ...this.budget });
    this.checkClose();
    this.#notify();
  }

  /** A full disk costs the cache, not the token. */
  #cache(change: () => void): void {
    const problem = failureOf(change);
    if (problem !== null) this.#options.onSignal({ kind: 'cache_failed', reason: problem });
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
