/** A row of the in-day book, as the venue in process shows an order. */
import type { BrokerOrder, BrokerOrderStatus } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import { money, priceTicks, qty } from '../../domain/units.ts';
import type { VenueOrder } from './venue-order.ts';

export function orderRow(order: VenueOrder, phase: SessionPhase): BrokerOrder {
  const isWorking = order.isOpen && phase === 'continuous';
  return {
    orderNo: order.orderNo,
    orderKey: order.orderKey,
    refId: order.clientOrderId,
    orderCode: order.orderCode,
    side: order.side,
    qty: qty(order.qty),
    limitPrice: priceTicks(order.price),
    filledQty: qty(order.filledQty),
    filledValue: order.filledQty === 0 ? null : { value: money(order.filledValue), quality: 'exact' },
    status: statusOf(order),
    statusText: '',
    canCancel: isWorking,
    canModify: isWorking,
    source: order.source,
    reason: '',
  };
}

function statusOf(order: VenueOrder): BrokerOrderStatus {
  const isCanceled = !order.isOpen && order.leavesQty > 0 && !order.isExpired;
  if (order.filledQty === 0) return isCanceled ? 'canceled' : 'resting';
  return isCanceled ? 'matched_canceled' : 'matched';
}
