import { rmSync } from 'node:fs';
import { notParsed, parsed, type Parsed } from '../../domain/parsed.ts';
import { type TsUs, tsUs, US_PER_SECOND } from '../../domain/units.ts';
import { readPrivateFile, writePrivateFile } from '../private-file.ts';

export interface AccessToken {
  readonly jwt: string;
  /** The `exp` claim; nothing else decides. */
  readonly expiresAt: TsUs;
}

/** Gives calls and the stream their token; implemented by the token keeper. */
export interface TokenSource {
  /** A token that has not expired and was not refused, if there is one. */
  current(): AccessToken | undefined;
  /** Calls back after `current()` has a new answer; returns how to stop that. */
  onChange(listener: () => void): () => void;
  /** The broker no longer accepts this token. */
  reject(jwt: string, by: 'stream' | 'rest', detail: string): void;
}

// Of a token only `exp` is read: the signature is the broker's business.

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The issues never show the token itself. */
export function parseAccessToken(jwt: string): Parsed<AccessToken> {
  const parts = jwt.split('.');
  const payload = parts[1];
  if (parts.length !== 3 || payload === undefined || !/^[\w.~-]+$/.test(jwt)) {
    return notParsed('token', 'a JWT of three parts', `${parts.length} parts`);
  }
  const claims = readClaims(payload);
  if (claims === undefined) return notParsed('token', 'a JSON payload', 'something else');
  const expiry = typeof claims['exp'] === 'string' ? Number(claims['exp']) : claims['exp'];
  if (typeof expiry !== 'number' || !Number.isFinite(expiry) || expiry <= 0) {
    return notParsed('token.exp', 'seconds since 1970', claims['exp']);
  }
  const expiresAt = Math.floor(expiry) * US_PER_SECOND;
  if (!Number.isSafeInteger(expiresAt)) return notParsed('token.exp', 'seconds since 1970', expiry);
  return parsed({ jwt, expiresAt: tsUs(expiresAt) });
}

function readClaims(payload: string): Record<string, unknown> | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isRecord(claims) ? claims : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Keeps the token across restarts: a restart must not cost one of the ten exchanges of the day. */
export interface TokenCache {
  /** The cached token, or why there is none to use. */
  load(): { readonly jwt: string } | { readonly none: string };
  save(jwt: string): void;
  clear(): void;
}

/** `owner` names broker and account: a token of another one is not used. */
export function createTokenCache(path: string, owner: string): TokenCache {
  return {
    load: () => {
      const file = readPrivateFile(path);
      if (file.kind === 'absent') return { none: 'no cached token' };
      if (file.kind === 'exposed')
        return { none: `cached token ignored: mode of ${path} is ${file.mode}, expected 600` };
      const [writtenFor, jwt] = file.text.split('\n');
      if (writtenFor !== owner)
        return { none: 'cached token ignored: it belongs to another broker or account' };
      return jwt === undefined || jwt === '' ? { none: 'cached token ignored: it is incomplete' } : { jwt };
    },
    save: (jwt) => writePrivateFile(path, `${owner}\n${jwt}\n`),
    clear: () => rmSync(path, { force: true }),
  };
}
