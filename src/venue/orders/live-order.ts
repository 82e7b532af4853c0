/** A user's order as the order desk keeps it. Its status is derived from the facts, so that the two cannot disagree. */
import type { BrokerOrderSource, BrokerOrderStatus } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import { type TradingDay, tradingDay } from '../../domain/civil-date.ts';
import {
  type AccountId,
  brokerOrderKey,
  brokerOrderNo,
  type ClientOrderId,
  type OrderCode,
} from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { money, priceTicks, qty, tsUs } from '../../domain/units.ts';
import type { Bracket } from '../conditions/bracket.ts';
import type { OrderOrigin, VenueOrder } from '../venue-event.ts';
import type { OrderState, PendingState } from '../venue-state.ts';

/** A command on its way to the exchange. `sentNo` orders what is due at one moment. */
export type Pending = PendingState;

export interface LiveOrder {
  /** Its name in the book: above zero, unique within the day. */
  readonly tag: number;
  readonly accountId: AccountId;
  readonly day: TradingDay;
  readonly orderNo: string;
  readonly orderKey: string;
  readonly refId: ClientOrderId | null;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly placedUs: number;
  readonly origin: OrderOrigin;
  readonly bracket: Bracket | null;
  qty: number;
  limitPrice: number;
  filledQty: number;
  filledValue: number;
  fee: number;
  tax: number;
  modified: boolean;
  canceledUs: number | null;
  expired: boolean;
  reason: string;
  pending: Pending | null;
  /** Grows with every entry into a queue. */
  priority: number;
}

export const leavesOf = (order: LiveOrder): number => order.qty - order.filledQty;

export const isOpen = (order: LiveOrder): boolean => order.canceledUs === null && order.filledQty < order.qty;

/** Stands in the book: it has reached the exchange and has not left it. */
export const isInBook = (order: LiveOrder): boolean => isOpen(order) && order.pending?.kind !== 'place';

function statusOf(order: LiveOrder): BrokerOrderStatus {
  const matched = order.filledQty > 0;
  if (order.canceledUs !== null) return matched ? 'matched_canceled' : 'canceled';
  if (order.filledQty === order.qty) return 'matched';
  if (order.pending === null) return matched ? 'matched' : order.modified ? 'modified' : 'resting';
  return matched ? PENDING_MATCHED[order.pending.kind] : PENDING[order.pending.kind];
}

const PENDING = { place: 'queued', cancel: 'cancel_pending', change: 'modify_pending' } as const;
const PENDING_MATCHED = { ...PENDING, cancel: 'matched_cancel_pending' } as const;

const SOURCES: Readonly<Record<OrderOrigin, BrokerOrderSource>> = {
  plain: 'user',
  bracket: 'user',
  foreign: 'user',
  stop: 'system',
  trailing_stop: 'system',
  exit: 'system',
  arbitrage: 'system',
  forced: 'forced',
};

/** The order as others see it. An order still in the gateway's queue can be cancelled there at any time. */
export function snapshotOf(order: LiveOrder, phase: SessionPhase): VenueOrder {
  const open = isOpen(order);
  const editable = open && phase === 'continuous';
  return {
    accountId: order.accountId,
    day: order.day,
    orderNo: brokerOrderNo(order.orderNo),
    orderKey: brokerOrderKey(order.orderKey),
    refId: order.refId,
    orderCode: order.orderCode,
    side: order.side,
    qty: qty(order.qty),
    limitPrice: priceTicks(order.limitPrice),
    filledQty: qty(order.filledQty),
    filledValue: money(order.filledValue),
    fee: money(order.fee),
    tax: money(order.tax),
    status: statusOf(order),
    expired: order.expired,
    canCancel: order.pending?.kind === 'place' ? open : editable && order.pending?.kind !== 'cancel',
    canModify: editable && order.pending === null,
    source: SOURCES[order.origin],
    origin: order.origin,
    bracket: order.bracket,
    placedUs: tsUs(order.placedUs),
    canceledUs: order.canceledUs === null ? null : tsUs(order.canceledUs),
    reason: order.reason,
  };
}

export const orderState = (order: LiveOrder, phase: SessionPhase): OrderState => ({
  order: snapshotOf(order, phase),
  modified: order.modified,
  priority: order.priority,
  pending: order.pending,
});

export function liveOrderOf({ order, modified, priority, pending }: OrderState, tag: number): LiveOrder {
  return {
    tag,
    accountId: order.accountId,
    day: tradingDay(order.day),
    orderNo: order.orderNo,
    orderKey: order.orderKey,
    refId: order.refId,
    orderCode: order.orderCode,
    side: order.side,
    placedUs: order.placedUs,
    origin: order.origin,
    bracket: order.bracket,
    qty: order.qty,
    limitPrice: order.limitPrice,
    filledQty: order.filledQty,
    filledValue: order.filledValue,
    fee: order.fee,
    tax: order.tax,
    modified,
    canceledUs: order.canceledUs,
    expired: order.expired,
    reason: order.reason,
    pending,
    priority,
  };
}
