/** What the broker checks before it passes a command on. Each function returns the first refusal, or null. */
import type { SessionPhase } from '../../domain/calendar.ts';
import { isOpen, type LiveOrder, leavesOf } from './live-order.ts';
import { refusal } from './refusals.ts';
import type { ChangeOrder, Refusal, RefusalCode } from '../venue-command.ts';
import type { Listing } from '../venue-event.ts';

/** Orders may be entered in the auctions, not in the break (market rules, section 3). */
const ENTRY: Readonly<Record<SessionPhase, RefusalCode | null>> = {
  opening_auction: null,
  continuous: null,
  closing_auction: null,
  break: -6022,
  closed: -6022,
};

/** Nothing is changed or cancelled outside continuous trading, orders carried into an auction included. */
const EDIT: Readonly<Record<SessionPhase, RefusalCode | null>> = {
  opening_auction: -6026,
  continuous: null,
  closing_auction: -6026,
  break: -6026,
  closed: -6022,
};

const refusalOrNull = (code: RefusalCode | null): Refusal | null => (code === null ? null : refusal(code));

export const entryRefusal = (phase: SessionPhase): Refusal | null => refusalOrNull(ENTRY[phase]);
export const editRefusal = (phase: SessionPhase): Refusal | null => refusalOrNull(EDIT[phase]);

export function qtyRefusal(qty: number, qtyMax: number): Refusal | null {
  if (!Number.isSafeInteger(qty) || qty <= 0) return refusal(-6019);
  return qty > qtyMax ? refusal(-6034) : null;
}

export function priceRefusal(price: number, { band }: Listing): Refusal | null {
  if (!Number.isSafeInteger(price)) return refusal(-6021);
  return price < band.floor || price > band.ceiling ? refusal(-6035) : null;
}

export function cancelRefusal(order: LiveOrder, phase: SessionPhase): Refusal | null {
  if (order.filledQty === order.qty) return refusal(-8004);
  if (!isOpen(order) || order.pending?.kind === 'cancel') return refusal(-6014);
  return order.pending?.kind === 'place' ? null : editRefusal(phase);
}

export function changeRefusal(
  order: LiveOrder,
  command: ChangeOrder,
  listing: Listing,
  phase: SessionPhase,
  bothAllowed: boolean,
): Refusal | null {
  if (order.filledQty === order.qty) return refusal(-8004);
  if (!isOpen(order) || order.pending !== null) return refusal(-6015);
  const phaseRefusal = editRefusal(phase);
  if (phaseRefusal !== null) return phaseRefusal;
  const valueRefusal =
    qtyRefusal(command.qty, listing.contract.spec.orderQtyMax) ?? priceRefusal(command.limitPrice, listing);
  if (valueRefusal !== null) return valueRefusal;
  // The new total must leave something: the matched part cannot be taken back.
  if (command.qty <= order.qty - leavesOf(order)) return refusal(-6019);
  const newPrice = command.limitPrice !== order.limitPrice;
  const newQty = command.qty !== order.qty;
  if (newPrice && newQty && !bothAllowed) return refusal(-6048);
  return newPrice || newQty ? null : refusal(-6015);
}
