/** What our own call becomes at the venue. Key by key: a spread costs a run with many orders a tenth of its time. */
import type { OrderToSend } from '../../engine/ports/approved.ts';
import { VenueOrder, type VenueOrderTerms } from './venue-order.ts';

/** What was shown when an order was decided. */
export interface Decided {
  readonly decidedUs: number;
  readonly decidedMidTwice: number;
}

export const userOrder = (
  order: OrderToSend,
  { orderNo, orderKey, bracket }: Pick<VenueOrderTerms, 'orderNo' | 'orderKey' | 'bracket'>,
  { decidedUs, decidedMidTwice }: Decided,
): VenueOrder =>
  new VenueOrder({
    orderNo,
    orderKey,
    source: 'user',
    bracket,
    triggerPrice: null,
    clientOrderId: order.clientOrderId,
    strategy: order.strategy,
    instrument: order.instrument,
    orderCode: order.orderCode,
    side: order.side,
    qty: order.qty,
    price: order.limitPrice,
    decidedUs,
    decidedMidTwice,
  });
