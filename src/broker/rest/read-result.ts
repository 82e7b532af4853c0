/** What a read brought, or why it brought nothing. Nothing is known after a failure that was not known before. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly kind: ReadFailureKind; readonly reason: string };

/**
 * `no_token`: nothing was asked. `unanswered`: lost, too late, or an answer without sense; asking again may help.
 * `token_refused`: 401 or 403. `too_many`: 429. `refused`: the broker understood and said no.
 */
export type ReadFailureKind =
  | 'no_token'
  | 'unanswered'
  | 'token_refused'
  | 'too_many'
  | 'refused'
  | 'queue_full';
