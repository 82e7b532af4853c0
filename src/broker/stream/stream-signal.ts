/** Signals of the stream client to the operator's side, which makes alerts, logs and metrics of them. */
import type { StreamCode } from '../../domain/ids.ts';
import type { DurationUs } from '../../domain/units.ts';
import type { ConnectionEnd } from './open-socket.ts';
import type { PauseReason } from './reconnect-policy.ts';

export type WatchedChannel = 'trades' | 'bids' | 'asks';
export type FeedPart = 'prices' | 'trades';

export type StreamSignal =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  | { readonly kind: 'ended'; readonly end: ConnectionEnd }
  | { readonly kind: 'retrying'; readonly attempt: number; readonly after: DurationUs }
  /** The process stays up; `resume()` goes on. Alert. */
  | { readonly kind: 'paused'; readonly reason: PauseReason }
  /** Nothing is dialled until there is another token. Alert inside the session. */
  | { readonly kind: 'awaiting_token'; readonly why: 'none' | 'expired' | 'rejected' }
  /** A renewed token took over without a gap. */
  | { readonly kind: 'handed_over' }
  /** The renewed token could not connect next to the old one; the old one still streams. */
  | {
      readonly kind: 'hand_over_failed';
      readonly end: ConnectionEnd;
      readonly next: 'retry' | 'reconnect' | 'none';
    }
  | { readonly kind: 'channel_resubscribed'; readonly code: StreamCode; readonly channel: WatchedChannel }
  /** Still silent after a new subscription. Alert. */
  | { readonly kind: 'channel_stale'; readonly code: StreamCode; readonly channel: WatchedChannel }
  /** Prices stopped while heartbeats go on. Alert. */
  | { readonly kind: 'feed_stale'; readonly what: FeedPart; readonly silence: DurationUs }
  | { readonly kind: 'feed_fresh' }
  /** Quotes come, trades never did on this connection. Alert. */
  | { readonly kind: 'no_trades'; readonly silence: DurationUs }
  | { readonly kind: 'channel_fresh'; readonly code: StreamCode; readonly channel: WatchedChannel };

export type StreamState = 'stopped' | 'connecting' | 'live' | 'waiting' | 'paused' | 'awaiting_token';

export interface StreamStatus {
  readonly state: StreamState;
  /** Prices stopped while heartbeats go on. */
  readonly isStale: boolean;
  readonly attempts: number;
  /** Connections since the start that were authenticated; a renewed token that takes over without a gap makes none. */
  readonly connections: number;
  readonly unknownControlFrames: number;
  /** Data frames of a connection that was not (or no longer) the active one. */
  readonly framesDropped: number;
}
