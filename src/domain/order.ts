/** An order before it is one of ours: what a strategy wants, and the words of an order's life. */
import type { ConditionalIntent } from './conditional-order.ts';
import type { ClientOrderId } from './ids.ts';
import { opposite, type Side, signOf } from './side.ts';
import type { InstrumentIndex, PriceTicks, Qty } from './units.ts';

export { opposite, type Side, signOf };

/** What a strategy asks for. One case a kind of order, so that a nonsense order cannot be written. */
export type OrderIntent = LimitIntent | ConditionalIntent;

export interface LimitIntent {
  readonly kind: 'limit';
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** Free text for the journal: why the strategy wants it. */
  readonly reason: string;
}

/**
 * A change edits price or total quantity, never both (rulings, 10; market rules, section 4). Of an order that waits for a
 * price it moves the trigger, and nothing else (rulings, 13).
 */
export type ModifyIntent =
  | { readonly kind: 'price'; readonly clientOrderId: ClientOrderId; readonly limitPrice: PriceTicks }
  | { readonly kind: 'qty'; readonly clientOrderId: ClientOrderId; readonly qty: Qty }
  /** Of a trailing stop: its activation price. */
  | { readonly kind: 'trigger'; readonly clientOrderId: ClientOrderId; readonly triggerPrice: PriceTicks };

/**
 * The life of an order as we know it. `unknown`: sent, and no answer can be trusted. `presumed_absent`: three complete
 * walks did not show it, still counted as exposure. `expired_unproven`: the day ended before it was proven.
 *
 * An order that waits for a price stands in the conditional book: `pending_trigger` there; `triggering` once the broker says it
 * sent its order and that order was not seen yet; `triggered` when what it sent is an order of its own, with a life of its own.
 */
export type OrderStatus =
  | 'submitting'
  | 'unknown'
  | 'presumed_absent'
  | 'accepted'
  | 'partially_filled'
  | 'pending_modify'
  | 'pending_cancel'
  | 'pending_trigger'
  | 'triggering'
  | 'triggered'
  | 'denied'
  | 'not_sent'
  | 'rejected'
  | 'filled'
  | 'canceled'
  | 'expired'
  | 'expired_unproven';

export const TERMINAL_STATUSES: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'denied',
  'triggered',
  'not_sent',
  'rejected',
  'filled',
  'canceled',
  'expired',
  'expired_unproven',
]);

/** How sure the money of a fill is (rulings, 2). */
export type FillQuality = 'exact' | 'average' | 'estimated';
