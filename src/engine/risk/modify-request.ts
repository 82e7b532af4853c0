/** A change as the rules see it: the order as it would be afterwards. */
import type { ModifyIntent } from '../../domain/order.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';
import type { Denial } from '../ports/denial.ts';
import type { OrderView } from './risk-view.ts';

export interface ChangedTerms {
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** Null for an order at the exchange. */
  readonly triggerPrice: PriceTicks | null;
  /** Until the change is confirmed either quantity may fill. */
  readonly exposedQty: number;
}

/** One of the two repeats the old value (market rules, section 4: price or volume, never both). */
export function changedTerms(order: OrderView, change: ModifyIntent): ChangedTerms {
  const qty = change.kind === 'qty' ? change.qty : order.qty;
  const limitPrice = change.kind === 'price' ? change.limitPrice : order.limitPrice;
  const triggerPrice = change.kind === 'trigger' ? change.triggerPrice : null;
  const exposedQty =
    order.isWaiting === true ? order.exposedQty : Math.max(order.exposedQty, qty - order.filledQty);
  return { qty, limitPrice, triggerPrice, exposedQty };
}

/** What forbids any change of this order, whatever the rules say of its price and quantity. */
export function modifyDenial(order: OrderView, change: ModifyIntent): Denial | undefined {
  const status = workingStatus(order);
  if (status !== null) return { code: 'order_not_working', status };
  if (change.kind === 'trigger') return { code: 'modify_not_possible', change: 'trigger', order: 'limit' };
  if (change.kind === 'price')
    return change.limitPrice === order.limitPrice ? { code: 'modify_changes_nothing' } : undefined;
  // Whether the new volume is the total or the rest is not known: not of an order that has a part filled (rulings, 10).
  if (order.filledQty > 0) return { code: 'modify_partly_filled', filledQty: order.filledQty };
  return change.qty === order.qty ? { code: 'modify_changes_nothing' } : undefined;
}

/** Null when the order rests and can be changed; else why not. One change at a time. */
function workingStatus({ status, orderNo, canModify, cancelQueued }: OrderView): string | null {
  if (status !== 'accepted' && status !== 'partially_filled') return status;
  if (orderNo === null) return `${status}, without a number`;
  if (cancelQueued) return `${status}, a cancel waits`;
  return canModify ? null : `${status}, the broker says it cannot be changed`;
}
