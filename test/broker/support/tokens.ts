import type { AccessToken, TokenSource } from '../../../src/broker/auth/access-token.ts';
import { type TsUs, tsUs } from '../../../src/domain/units.ts';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with nothing in it but its end. */
export const createJwt = (expiresAt: TsUs, id = 'a'): string =>
  `${encode({ alg: 'none' })}.${encode({ jti: id, exp: Math.floor(expiresAt / 1e6) })}.signature`;

/** A token source that a test drives by hand. */
export class FakeTokens implements TokenSource {
  readonly rejected: string[] = [];
  readonly #listeners = new Set<() => void>();
  #token: AccessToken | undefined;

  constructor(jwt?: string) {
    this.#token = jwt === undefined ? undefined : tokenOf(jwt);
  }

  current(): AccessToken | undefined {
    return this.#token;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  reject(jwt: string): void {
    this.rejected.push(jwt);
    if (this.#token?.jwt === jwt) this.set(undefined);
  }

  readonly doubted: string[] = [];
  readonly proven: string[] = [];

  doubt(jwt: string, operation: string): void {
    this.doubted.push(`${jwt} ${operation}`);
  }

  prove(jwt: string): void {
    this.proven.push(jwt);
  }

  set(jwt: string | undefined, expiresAt?: TsUs): void {
    this.#token = jwt === undefined ? undefined : tokenOf(jwt, expiresAt);
    for (const listener of this.#listeners) listener();
  }
}

const FAR_AWAY = tsUs(9_000_000_000_000_000);

const tokenOf = (jwt: string, expiresAt = FAR_AWAY): AccessToken => ({ jwt, expiresAt });
