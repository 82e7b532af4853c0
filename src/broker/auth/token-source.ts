import type { TsUs } from '../../domain/units.ts';

export interface AccessToken {
  readonly jwt: string;
  /** The `exp` claim; nothing else decides. */
  readonly expiresAt: TsUs;
}

/** Where calls and the stream take the token from; implemented by the token keeper. */
export interface TokenSource {
  /** A token that has not expired and was not refused, if there is one. */
  current(): AccessToken | undefined;
  /** Calls back after `current()` has a new answer; returns how to stop that. */
  onChange(listener: () => void): () => void;
  /** The broker no longer accepts this token. */
  reject(jwt: string, by: 'stream' | 'rest', detail: string): void;
}
