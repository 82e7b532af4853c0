/** The broker's checks before it passes a command on. Each function returns the first refusal, or null. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { isMarketLimit } from '../../domain/contract.ts';
import type { Side } from '../../domain/order.ts';
import type { TsUs } from '../../domain/units.ts';
import {
  type ChangeOrder,
  exitPrices,
  type PlaceLimit,
  type PlaceTrigger,
  refusal,
  type Refusal,
} from '../venue-command.ts';
import type { OrderBook } from '../exchange/contract-book.ts';
import type { Listing } from '../venue-event.ts';
import type { VenueOrder } from './venue-order.ts';

/** Orders may be entered in the auctions, not in the break (market rules, 3). */
const ENTRY_REFUSALS: Readonly<Record<SessionPhase, Refusal | null>> = {
  opening_auction: null,
  continuous: null,
  closing_auction: null,
  break: refusal(-6022),
  closed: refusal(-6022),
};

/** Nothing is changed or canceled outside continuous trading, orders carried into an auction included. */
const EDIT_REFUSALS: Readonly<Record<SessionPhase, Refusal | null>> = {
  opening_auction: refusal(-6026),
  continuous: null,
  closing_auction: refusal(-6026),
  break: refusal(-6026),
  closed: refusal(-6022),
};

export const entryRefusal = (phase: SessionPhase): Refusal | null => ENTRY_REFUSALS[phase];
export const editRefusal = (phase: SessionPhase): Refusal | null => EDIT_REFUSALS[phase];

function qtyRefusal(qty: number, qtyMax: number): Refusal | null {
  if (!Number.isSafeInteger(qty) || qty <= 0) return refusal(-6019);
  return qty > qtyMax ? refusal(-6034) : null;
}

/** Of the limit of an order; a market order has no price that could be outside. */
function limitRefusal(side: Side, price: number, listing: Listing): Refusal | null {
  return isMarketOrder(side, price, listing) ? null : priceRefusal(price, listing);
}

const isMarketOrder = (side: Side, limit: number, { takesMarketOrders }: Listing): boolean =>
  takesMarketOrders === true && isMarketLimit(side, limit);

export function priceRefusal(price: number, { band }: Listing): Refusal | null {
  if (!Number.isSafeInteger(price)) return refusal(-6021);
  return price < band.floor || price > band.ceiling ? refusal(-6035) : null;
}

export function cancelRefusal(order: VenueOrder, phase: SessionPhase): Refusal | null {
  if (order.filledQty === order.qty) return refusal(-8004);
  if (!order.isOpen || order.pending?.kind === 'cancel') return refusal(-6014);
  return order.isAtGateway ? null : editRefusal(phase);
}

export function changeRefusal(
  order: VenueOrder,
  command: ChangeOrder,
  listing: Listing,
  phase: SessionPhase,
  bothAllowed: boolean,
): Refusal | null {
  if (order.filledQty === order.qty) return refusal(-8004);
  if (!order.isOpen || (order.pending !== null && order.pending.kind !== 'leg')) return refusal(-6015);
  const phaseRefusal = editRefusal(phase);
  if (phaseRefusal !== null) return phaseRefusal;
  const valueRefusal =
    qtyRefusal(command.qty, listing.contract.spec.orderQtyMax) ??
    limitRefusal(order.side, command.limitPrice, listing);
  if (valueRefusal !== null) return valueRefusal;
  // The new total must exceed the matched part, which cannot be taken back.
  if (command.qty <= order.filledQty) return refusal(-6019);
  const newPrice = command.limitPrice !== order.price;
  const newQty = command.qty !== order.qty;
  if (newPrice && newQty && !bothAllowed) return refusal(-6048);
  return newPrice || newQty ? null : refusal(-6015);
}

/** The venue as its checks, order entry, trigger book and margin monitor see it. */
export interface VenueContext {
  readonly nowUs: TsUs;
  readonly day: TradingDay;
  readonly phase: SessionPhase;
  /** The last trade of the day is behind us. */
  readonly isClosed: boolean;
  /** Undefined for a contract that is not traded today. */
  listing(code: OrderCode): Listing | undefined;
  book(code: OrderCode): OrderBook | undefined;
  /** Why there is no such account or contract; null when there is. */
  unknownRefusal(id: AccountId, code: OrderCode): Refusal | null;
  /** Has the account margin and room for this much more? */
  riskRefusal(command: PlaceLimit): Refusal | null;
  /** Bid plus ask; 0 where one is unknown. Absent where nobody reports slippage. */
  midTwice?(code: OrderCode): number;
}

/** Checks account, contract, values and margin. */
export function placeRefusal(command: PlaceLimit, venue: VenueContext): Refusal | null {
  const unknown = venue.unknownRefusal(command.accountId, command.orderCode);
  const listing = venue.listing(command.orderCode);
  if (unknown !== null || listing === undefined) return unknown ?? refusal(-6003);
  const noLeg = legRefusal(command, venue);
  if (noLeg !== null) return noLeg;
  return (
    entryRefusal(venue.phase) ??
    qtyRefusal(command.qty, listing.contract.spec.orderQtyMax) ??
    limitRefusal(command.side, command.limitPrice, listing) ??
    bracketRefusal(command, listing) ??
    venue.riskRefusal(command)
  );
}

function legRefusal({ accountId, orderCode, leg }: PlaceLimit, venue: VenueContext): Refusal | null {
  if (leg === undefined) return null;
  return leg === orderCode
    ? refusal(-6003, 'The leg is another contract')
    : venue.unknownRefusal(accountId, leg);
}

/** Before an order may wait for its trigger. Margin is checked when it is sent, not before. */
export function triggerOrderRefusal(command: PlaceTrigger, listing: Listing): Refusal | null {
  return (
    qtyRefusal(command.qty, listing.contract.spec.orderQtyMax) ??
    limitRefusal(command.side, command.limitPrice, listing) ??
    triggerRefusal(command, listing)
  );
}

function triggerRefusal(command: PlaceTrigger, listing: Listing): Refusal | null {
  switch (command.kind) {
    case 'stop':
      return priceRefusal(command.triggerPrice, listing);
    case 'trailing_stop': {
      const { offset } = command;
      // Wider than the band it would never trigger.
      const max = listing.band.ceiling - listing.band.floor;
      if (!Number.isSafeInteger(offset) || offset < 1 || offset > max)
        return refusal(-6021, 'Invalid trailing step');
      return priceRefusal(command.activationPrice, listing);
    }
  }
}

/** A stop-loss lies on the losing side of the order's price, a take-profit on the winning one. */
function bracketRefusal({ bracket, side, limitPrice }: PlaceLimit, listing: Listing): Refusal | null {
  if (bracket === undefined) return null;
  const { stopLoss, takeProfit } = exitPrices(bracket, side, limitPrice);
  const outside = priceRefusal(stopLoss, listing) ?? priceRefusal(takeProfit, listing);
  if (outside !== null) return outside;
  const [low, high] = side === 'buy' ? [stopLoss, takeProfit] : [takeProfit, stopLoss];
  const isBetween = isMarketOrder(side, limitPrice, listing)
    ? low < high
    : low < limitPrice && limitPrice < high;
  return isBetween ? null : refusal(-6021);
}
