/** An order before it is one of ours: what a strategy wants, and the words of an order's life. */
import type { ClientOrderId } from './ids.ts';
import type { InstrumentIndex, PriceTicks, Qty } from './units.ts';

export type Side = 'buy' | 'sell';
export const opposite = (side: Side): Side => (side === 'buy' ? 'sell' : 'buy');
/** +1 for a buy, -1 for a sell. */
export const signOf = (side: Side): 1 | -1 => (side === 'buy' ? 1 : -1);

/** What a strategy asks for. One case a kind of order, so that a nonsense order cannot be written. */
export type OrderIntent = LimitIntent;

export interface LimitIntent {
  readonly kind: 'limit';
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** Free text for the journal: why the strategy wants it. */
  readonly reason: string;
}

/** A change edits price or total quantity, never both (rulings, 10; market rules, section 4). */
export type ModifyIntent =
  | { readonly kind: 'price'; readonly clientOrderId: ClientOrderId; readonly limitPrice: PriceTicks }
  | { readonly kind: 'qty'; readonly clientOrderId: ClientOrderId; readonly qty: Qty };

/**
 * The life of an order as we know it. `unknown`: sent, and no answer can be trusted. `presumed_absent`: three complete
 * walks did not show it, still counted as exposure. `expired_unproven`: the day ended before it was proven.
 */
export type OrderStatus =
  | 'submitting'
  | 'unknown'
  | 'presumed_absent'
  | 'accepted'
  | 'partially_filled'
  | 'pending_modify'
  | 'pending_cancel'
  | 'denied'
  | 'not_sent'
  | 'rejected'
  | 'filled'
  | 'canceled'
  | 'expired'
  | 'expired_unproven';

export const TERMINAL_STATUSES: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'denied',
  'not_sent',
  'rejected',
  'filled',
  'canceled',
  'expired',
  'expired_unproven',
]);

/** How sure the money of a fill is (rulings, 2). */
export type FillQuality = 'exact' | 'average' | 'estimated';
