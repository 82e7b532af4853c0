import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { thrownText } from '../../domain/failure.ts';
import { parsed, type ParseResult } from '../../domain/parsed.ts';
import { type TsUs, tsUs, US_PER_MS } from '../../domain/units.ts';
import { decodeTokenExpiry } from '../../wire/rest/token-calls.ts';

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
  /** The stream proves that the broker no longer accepts this token. */
  reject(jwt: string, by: 'stream' | 'rest', detail: string): void;
  /** A call was refused with 401 or 403: by itself no proof that the token is dead. */
  doubt(jwt: string, operation: string, detail: string): void;
  /** A call was carried out with this token. */
  prove(jwt: string): void;
}

/** The issues never show the token itself. */
export function parseAccessToken(text: string): ParseResult<AccessToken> {
  const jwt = text.trim();
  const expiresAt = decodeTokenExpiry(jwt);
  return expiresAt.ok ? parsed({ jwt, expiresAt: expiresAt.value }) : expiresAt;
}

/** Keeps the token across restarts: a restart must not cost one of the ten exchanges of the day. */
export interface TokenCache {
  /** The cached token with the time of its exchange, or why there is none to use. */
  load(): { readonly jwt: string; readonly savedUs: TsUs } | { readonly none: string };
  save(jwt: string): void;
  clear(): void;
}

/** `owner` names broker and account: a token of another account is not used. */
export function createTokenCache(path: string, owner: string): TokenCache {
  return {
    load: () => {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) return { none: 'no cached token' };
      // Others may read or write it: its text is not trusted.
      if ((stat.mode & 0o077) !== 0) {
        const mode = (stat.mode & 0o777).toString(8);
        return { none: `cached token ignored: mode of ${path} is ${mode}, expected 600` };
      }
      // Another user's, as after a command by sudo, costs an exchange, not the start.
      let text = '';
      const unread = thrownText(() => (text = readFileSync(path, 'utf8')));
      if (unread !== null) return { none: `cached token ignored: ${unread}` };
      const [writtenFor, jwt] = text.split('\n');
      if (writtenFor !== owner)
        return { none: 'cached token ignored: it belongs to another broker or account' };
      if (jwt === undefined || jwt === '') return { none: 'cached token ignored: it is incomplete' };
      return { jwt, savedUs: tsUs(Math.round(stat.mtimeMs * US_PER_MS)) };
    },
    save: (jwt) => writePrivateFile(path, `${owner}\n${jwt}\n`),
    clear: () => rmSync(path, { force: true }),
  };
}

/** The token's file is readable by its owner alone, and replaced whole or not at all. */
const OWNER_ONLY = 0o600;

function writePrivateFile(path: string, text: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true });
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', OWNER_ONLY);
  try {
    // A draft left by a crash keeps its old mode.
    fchmodSync(file, OWNER_ONLY);
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const parent = openSync(folder, 'r');
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}
