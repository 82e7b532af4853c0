/** Issues, checks and ends access tokens. Tokens live on real time, whatever the speed of the market (rulings, 25). */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { type TsUs, tsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { AuthSettings } from '../simulator-options.ts';
import type { StateKind, StateStore } from '../state/state-store.ts';

interface TokenServiceParts {
  readonly store: StateStore;
  readonly clock: Clock;
  readonly settings: AuthSettings;
}

interface IssuedToken {
  readonly jti: string;
  readonly custodyCode: string;
  readonly exp: number;
  readonly ended: boolean;
}

const KEY_BYTES = 32;
const ISSUED: StateKind<IssuedToken> = { name: 'token' };
const KEYS: StateKind<string> = { name: 'key' };

export class TokenService {
  readonly #parts: TokenServiceParts;
  readonly #key: Buffer;
  readonly #issued = new Map<string, IssuedToken>();
  /** Called when tokens are ended before their time, so that streams close. */
  readonly #listeners: (() => void)[] = [];

  constructor(parts: TokenServiceParts) {
    this.#parts = parts;
    this.#key = persistentKey(parts.store);
    for (const token of parts.store.all(ISSUED)) this.#issued.set(token.jti, token);
  }

  issue(custodyCode: string): string {
    const { clock, settings } = this.#parts;
    this.#forgetExpired();
    if (settings.newTokenEndsOlder) this.end(custodyCode);
    const iat = Math.floor(clock.nowUs() / US_PER_SECOND);
    const exp = iat + Math.floor(settings.tokenLife / US_PER_SECOND);
    const jti = randomUUID();
    this.#remember({ jti, custodyCode, exp, ended: false });
    return signJwt(
      { iss: 'simulator', exp, iat, jti, sub: custodyCode, subType: 'custodyID', custodyID: custodyCode },
      this.#key,
    );
  }

  /** The claims of a token that is ours, has not expired and was not ended. */
  check(token: string): TokenClaims | undefined {
    const claims = verifyJwt(token, this.#key);
    if (claims === undefined || this.#parts.clock.nowUs() >= tokenExpiry(claims)) return undefined;
    return this.isLive(claims.jti) ? claims : undefined;
  }

  /** Not ended before its time; one that is not on file is not accepted either. */
  isLive(jti: string): boolean {
    return this.#issued.get(jti)?.ended === false;
  }

  /** Ends every token of an account, or of all accounts, before its time. */
  end(custodyCode?: string): void {
    for (const token of this.#issued.values()) {
      if (custodyCode === undefined || token.custodyCode === custodyCode)
        this.#remember({ ...token, ended: true });
    }
    for (const listener of this.#listeners) listener();
  }

  onEnded(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #remember(token: IssuedToken): void {
    this.#issued.set(token.jti, token);
    this.#parts.store.put(ISSUED, token.jti, token);
  }

  #forgetExpired(): void {
    const nowS = this.#parts.clock.nowUs() / US_PER_SECOND;
    for (const { jti, exp } of this.#issued.values()) {
      if (exp > nowS) continue;
      this.#issued.delete(jti);
      this.#parts.store.remove(ISSUED, jti);
    }
  }
}

export const tokenExpiry = (claims: TokenClaims): TsUs => tsUs(claims.exp * US_PER_SECOND);

function persistentKey(store: StateStore): Buffer {
  const kept = store.get(KEYS, 'jwt');
  if (kept !== undefined) return Buffer.from(kept, 'base64');
  const key = randomBytes(KEY_BYTES);
  store.put(KEYS, 'jwt', key.toString('base64'));
  return key;
}

/** The claims of the broker's tokens (notes, 2). Times in seconds since 1970. */
export interface TokenClaims {
  readonly iss: string;
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly sub: string;
  readonly subType: string;
  readonly custodyID: string;
}

const HEADER = encode({ alg: 'HS256', typ: 'JWT' });

export function signJwt(claims: TokenClaims, key: Buffer): string {
  const body = `${HEADER}.${encode(claims)}`;
  return `${body}.${signature(body, key).toString('base64url')}`;
}

/** The claims of a token that this key signed, or undefined. Its age is not checked. */
export function verifyJwt(token: string, key: Buffer): TokenClaims | undefined {
  const parts = token.split('.');
  const [header, payload, signed] = parts;
  if (parts.length !== 3 || header !== HEADER || payload === undefined || signed === undefined)
    return undefined;
  const expected = signature(`${header}.${payload}`, key);
  const received = Buffer.from(signed, 'base64url');
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return undefined;
  // A token with our signature has the claims that we wrote.
  const claims: TokenClaims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  return claims;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function signature(body: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest();
}
