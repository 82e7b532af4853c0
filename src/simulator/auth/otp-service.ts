/** Exchanges an API key and a one-time password for a token, on both routes (notes, 2). */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { dayAt } from '../../domain/civil-date.ts';
import type { Clock } from '../../domain/clock.ts';
import { API_KEY_INVALID, type ErrorBody, EXCHANGE_LIMIT, OTP_INVALID } from '../../wire/rest/token-calls.ts';
import type { AccountSettings, AuthSettings } from '../simulator-options.ts';
import type { StateKind, StateStore } from '../state/state-store.ts';
import type { TokenService } from './token-service.ts';

type OtpOutcome<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly error: ErrorBody };

interface OtpServiceParts {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly settings: AuthSettings;
  readonly accounts: readonly AccountSettings[];
  readonly tokens: TokenService;
  /** Offset of the exchange's zone: the day's limit counts local days. */
  readonly utcOffsetMinutes: number;
}

interface OtpExchange {
  readonly apiKey: string;
  readonly otp: string;
  /** Null on the app route. */
  readonly otpId: string | null;
}

interface OtpRequest {
  readonly otpId: string;
  readonly apiKey: string;
  readonly issuedUs: number;
}

const REQUESTS: StateKind<OtpRequest> = { name: 'otp_request' };
const COUNTER = 'exchange ';
const USED_CODES: StateKind<true> = { name: 'used_otp' };
const SEEDS: StateKind<string> = { name: 'otp_seed' };
const SEED_BYTES = 32;
const CODE_DIGITS = 6;
/** Open requests kept; the oldest are forgotten first. */
const REQUESTS_MAX = 1_000;

export class OtpService {
  readonly #parts: OtpServiceParts;

  /** Secret that the codes of the apps are derived from. */
  readonly #seed: string;

  constructor(parts: OtpServiceParts) {
    this.#parts = parts;
    const { store } = parts;
    this.#seed = store.get(SEEDS, 'seed') ?? randomBytes(SEED_BYTES).toString('hex');
    store.put(SEEDS, 'seed', this.#seed);
  }

  shown({ otp, custodyCode }: AccountSettings): string {
    if (this.#parts.settings.appOtp !== 'rotating') return otp;
    const digest = createHmac('sha256', this.#seed).update(`${custodyCode} ${this.#period()}`).digest();
    return String(digest.readUInt32BE() % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0');
  }

  request(apiKey: string): OtpOutcome<{ readonly otpId: string }> {
    if (this.#accountOf(apiKey) === undefined) return { ok: false, error: API_KEY_INVALID };
    const { store, clock } = this.#parts;
    this.#forgetOldRequests();
    const request: OtpRequest = { otpId: randomUUID(), apiKey, issuedUs: clock.nowUs() };
    store.put(REQUESTS, request.otpId, request);
    return { ok: true, otpId: request.otpId };
  }

  exchange({ apiKey, otp, otpId }: OtpExchange): OtpOutcome<{ readonly token: string }> {
    const { store, settings, tokens } = this.#parts;
    const account = this.#accountOf(apiKey);
    if (account === undefined) return { ok: false, error: API_KEY_INVALID };
    const use = this.#useOf(apiKey, otp, otpId);
    const proven =
      otp === this.shown(account) &&
      (use === null || store.get(USED_CODES, use) === undefined) &&
      (otpId === null || this.#isOpen(otpId, apiKey));
    if (!proven) return { ok: false, error: OTP_INVALID };
    const max = settings.exchangesPerDayMax;
    const counter = COUNTER + account.custodyCode;
    if (max !== null && store.counted(counter, this.#today()) >= max)
      return { ok: false, error: EXCHANGE_LIMIT };
    let token = '';
    store.commit(() => {
      store.count(counter, this.#today());
      if (otpId !== null) store.remove(REQUESTS, otpId);
      if (use !== null) store.put(USED_CODES, use, true);
      token = tokens.issue(account.custodyCode);
    });
    return { ok: true, token };
  }

  #accountOf(apiKey: string): AccountSettings | undefined {
    return this.#parts.accounts.find((account) => account.apiKey === apiKey);
  }

  #today(): string {
    return dayAt(this.#parts.clock.nowUs(), this.#parts.utcOffsetMinutes);
  }

  /** Key of the code that an exchange uses up; null when it may be used again. */
  #useOf(apiKey: string, otp: string, otpId: string | null): string | null {
    const { appOtp } = this.#parts.settings;
    if (appOtp === 'rotating') return `${apiKey} ${this.#period()}`;
    return appOtp === 'once' && otpId === null ? `${apiKey} ${otp}` : null;
  }

  #period(): number {
    const { clock, settings } = this.#parts;
    return Math.floor(clock.nowUs() / settings.appOtpLife);
  }

  /** Asked for with this key, not used yet, not too old. */
  #isOpen(otpId: string, apiKey: string): boolean {
    const request = this.#parts.store.get(REQUESTS, otpId);
    return request !== undefined && request.apiKey === apiKey && !this.#isOld(request);
  }

  #isOld(request: OtpRequest): boolean {
    return this.#parts.clock.nowUs() - request.issuedUs >= this.#parts.settings.otpIdLife;
  }

  #forgetOldRequests(): void {
    const { store } = this.#parts;
    const requests = store.all(REQUESTS).toSorted((a, b) => a.issuedUs - b.issuedUs);
    const surplus = requests.length - REQUESTS_MAX;
    requests.forEach((request, at) => {
      if (at < surplus || this.#isOld(request)) store.remove(REQUESTS, request.otpId);
    });
  }
}
