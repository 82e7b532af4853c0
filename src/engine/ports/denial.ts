/** Reasons of risk: a closed union of codes with their numbers. A denial is ours; a rejection is the broker's. */
import type { SessionPhase } from '../../domain/calendar.ts';

/** Calls that a rule may stop. Cancels are never denied (rulings, 36). */
export type DenialScope = 'entry' | 'entry_and_reduce';

export type Denial =
  | { readonly code: 'qty_not_positive'; readonly qty: number }
  | { readonly code: 'qty_above_max'; readonly qty: number; readonly max: number }
  | { readonly code: 'price_off_grid'; readonly price: number }
  | {
      readonly code: 'price_outside_band';
      readonly price: number;
      readonly floor: number;
      readonly ceiling: number;
    }
  | { readonly code: 'band_unknown' }
  | {
      readonly code: 'price_outside_collar';
      readonly price: number;
      readonly last: number;
      readonly collarBps: number;
    }
  | { readonly code: 'session_closed'; readonly phase: SessionPhase }
  | { readonly code: 'contract_unknown'; readonly instrument: number }
  | { readonly code: 'contract_expired'; readonly expiry: string; readonly tradingDay: string }
  | { readonly code: 'calendar_ended'; readonly validTo: string; readonly tradingDay: string }
  | { readonly code: 'data_stale'; readonly ageUs: number; readonly maxUs: number }
  | { readonly code: 'stream_down' }
  /** A disconnect emptied the book of the contract, and a side of it has not come back. */
  | { readonly code: 'book_unknown' }
  | { readonly code: 'strategy_position_limit'; readonly worst: number; readonly max: number }
  | { readonly code: 'account_position_limit'; readonly worst: number; readonly max: number }
  | { readonly code: 'position_unproven'; readonly reason: string }
  | { readonly code: 'open_orders_limit'; readonly open: number; readonly max: number }
  | { readonly code: 'order_rate'; readonly orders: number; readonly max: number; readonly perUs: number }
  | { readonly code: 'own_cross'; readonly price: number; readonly restingPrice: number }
  | { readonly code: 'daily_loss'; readonly loss: number; readonly max: number }
  | { readonly code: 'margin'; readonly needed: number; readonly available: number }
  | { readonly code: 'account_unknown'; readonly ageUs: number; readonly maxUs: number }
  | { readonly code: 'halted'; readonly reason: string }
  /** No entries while positions and orders are taken out: before an auction, before the close or the expiry, in a flatten. */
  | { readonly code: 'closing_out'; readonly because: 'auction' | 'overnight' | 'expiry' | 'flatten' }
  | { readonly code: 'same_rejection'; readonly rejections: number; readonly text: string }
  | { readonly code: 'clock_skew'; readonly skewUs: number; readonly maxUs: number }
  | { readonly code: 'strategy_stopped' }
  /** The past is replayed with a new version of the strategy, and its earlier version did not place this. */
  | { readonly code: 'rebuilding' }
  | { readonly code: 'stopping' }
  | { readonly code: 'order_not_found'; readonly clientOrderId: string }
  | { readonly code: 'order_not_working'; readonly status: string }
  | { readonly code: 'modify_partly_filled'; readonly filledQty: number }
  | { readonly code: 'modify_changes_nothing' }
  /** A trigger is moved of what waits for one; price and quantity are changed of what rests (rulings, 13). */
  | {
      readonly code: 'modify_not_possible';
      readonly change: 'price' | 'qty' | 'trigger';
      readonly order: string;
    }
  /** It rests on a reading of the broker's contract that the configuration does not take upon itself. */
  | { readonly code: 'not_assumed'; readonly assumption: string }
  /** The trigger book was not read since the start: a new order could not be told from the rows in it. */
  | { readonly code: 'triggers_unread' }
  | { readonly code: 'trailing_offset_not_positive'; readonly offset: number }
  /** An exit on the wrong side of the entry would trigger at once, or never. */
  | {
      readonly code: 'exit_price_side';
      readonly stopLoss: number;
      readonly limit: number;
      readonly takeProfit: number;
    }
  | { readonly code: 'limit_behind_trigger'; readonly limit: number; readonly trigger: number }
  | { readonly code: 'leg_is_own_contract' };

/** `CODE: key=value key=value`, stable for logs and tests. */
export function formatDenial(denial: Denial): string {
  const { code, ...numbers } = denial;
  const rest = Object.entries(numbers).map(([key, value]) => `${key}=${value}`);
  return rest.length === 0 ? code : `${code}: ${rest.join(' ')}`;
}
