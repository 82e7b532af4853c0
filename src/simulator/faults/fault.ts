/** The faults of the simulated broker, each by one name with its parameters. */

import type { OperationName } from '../../wire/rest/operations.ts';

export type FrameChannel = 'trade' | 'bid' | 'offer' | 'summary';
export const FRAME_CHANNELS: readonly FrameChannel[] = ['trade', 'bid', 'offer', 'summary'];

interface Counted {
  /** Number of strikes; absent strikes until it is cleared. */
  readonly times?: number;
}

interface OfOperation extends Counted {
  /** The operation it strikes; every one when absent. */
  readonly operation?: OperationName;
}

interface OfFrame extends Counted {
  readonly channel?: FrameChannel;
  /** Stream code; every one when absent. */
  readonly symbol?: string;
}

/** Strikes later, when its moment comes. */
export type StandingFault =
  /** Does what was asked, then destroys the socket before the answer. */
  | (OfOperation & { readonly name: 'accept_then_drop' })
  /** Does what was asked at once and answers `delayMs` of real time later. */
  | (OfOperation & { readonly name: 'late_answer'; readonly delayMs: number })
  /** `done`: what was asked is done all the same. */
  | (OfOperation & { readonly name: 'http_500'; readonly done?: boolean })
  | (OfOperation & { readonly name: 'html_502'; readonly done?: boolean })
  | (OfOperation & { readonly name: 'http_429' })
  /** The in-day book does not show orders placed under it for `seconds` of real time. */
  | (Counted & { readonly name: 'hide_new_order'; readonly seconds: number })
  /** The in-day book shows `status` letters that contradict the matched volume, for one order or all. */
  | (Counted & { readonly name: 'contradict_status'; readonly status: string; readonly orderNo?: string })
  | (OfFrame & { readonly name: 'lose_frame' })
  | (OfFrame & { readonly name: 'duplicate_frame' })
  /** Sent after the next frame that passes. */
  | (OfFrame & { readonly name: 'reorder_frame' })
  | (Counted & { readonly name: 'stop_pongs' })
  /** Maintenance: `stream` turns upgrades away, `all` every new connection. */
  | (Counted & { readonly name: 'refuse_connections'; readonly scope?: 'stream' | 'all' })
  /** The broker's clock is ahead by so many seconds, or behind below zero: `Date`, and the times of tokens. */
  | { readonly name: 'clock_skew'; readonly seconds: number; readonly times?: never };

/** Strikes at once. */
type InstantFault =
  /** 1006 cuts the connection without a close frame. */
  | { readonly name: 'close_stream'; readonly code: number }
  /** Connections stay open, say nothing and hear nothing. */
  | { readonly name: 'half_open' }
  /** Every token issued so far, of an account or of all, is no longer accepted; streams that used one close. */
  | { readonly name: 'expire_token'; readonly account?: string }
  /** A frame as it is given, to every stream. */
  | { readonly name: 'inject_frame'; readonly text: string }
  /** The front month expires now: settled, its orders ended, the list moved on. */
  | { readonly name: 'roll_contract' }
  /** An order of the account (the first one when it is left out) from another channel. */
  | {
      readonly name: 'inject_order';
      readonly account?: string;
      readonly symbol: string;
      readonly side: 'buy' | 'sell';
      readonly points: number;
      readonly volume: number;
    }
  /** Contracts that appear in (or leave, below zero) the account without any order, at the last price. */
  | {
      readonly name: 'inject_position';
      readonly account?: string;
      readonly symbol: string;
      readonly net: number;
    };

export type Fault = StandingFault | InstantFault;
export type FaultName = Fault['name'];
export type StandingFaultName = StandingFault['name'];
