/** What the token keeper tells the operator's side. Never a key, a password or a token. */
import type { TsUs } from '../../domain/units.ts';

export interface RefreshFailure {
  /** `final`: asking again changes nothing, a person must. `limit`: the day's exchanges are used up. */
  readonly kind: 'final' | 'temporary' | 'limit';
  readonly reason: string;
}

export type TokenSignal =
  | { readonly kind: 'no_cached_token'; readonly reason: string }
  | { readonly kind: 'asking'; readonly provider: string }
  | { readonly kind: 'obtained'; readonly from: 'cache' | 'exchange'; readonly expiresAt: TsUs }
  | { readonly kind: 'refresh_failed'; readonly failure: RefreshFailure; readonly used: number }
  /** Alert, early: a position would be without hands. */
  | { readonly kind: 'expires_before_close'; readonly expiresAt: TsUs; readonly closesAt: TsUs }
  | { readonly kind: 'expired' }
  | { readonly kind: 'rejected'; readonly by: 'stream' | 'rest'; readonly detail: string }
  | { readonly kind: 'cache_failed'; readonly reason: string };
