/** Place, change, cancel: decoded, given to the brokerage, answered in the broker's envelope. */
import { parsePoints } from '../../domain/contract.ts';
import { clientOrderId } from '../../domain/ids.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { BookDistortion } from '../faults/book-distortion.ts';
import { type PriceTicks, priceTicks, qty } from '../../domain/units.ts';
import type { CommandOutcome, PlaceLimit, TriggerOutcome } from '../../venue/venue-command.ts';
import type { VenueRules } from '../../venue/venue-options.ts';
import { cancelOrder, changeOrder, type OrderTermsAsked, placeOrder } from '../../wire/rest/order-calls.ts';
import { answerCommand, accountHandler, type Handler, ok, refuse } from './handler.ts';
import type { Readings } from '../simulator-options.ts';

export interface OrderParts {
  readonly brokerage: Brokerage;
  readonly book: BookDistortion;
  readonly readings: Readings;
  readonly conditionLife: VenueRules['conditionLife'];
  /** `HH:MM:SS` of the exchange's day. */
  readonly timeText: (atUs: number) => string;
}

export const UNKNOWN_ORDER = { code: -6003, text: 'Order or contract not found' };
export const BAD_PRICE = { code: -6021, text: 'Invalid price' };
const NOT_OFFERED = { code: -6024, text: 'Order type not allowed' };

export function placeHandler(parts: OrderParts): Handler {
  const { brokerage, book, timeText } = parts;
  return accountHandler(placeOrder, (asked, own) => {
    const orderCode = brokerage.codeNamed(asked.symbol);
    if (orderCode === undefined) return refuse(placeOrder, UNKNOWN_ORDER);
    const limitPrice = priceOf(brokerage, asked.points);
    if (limitPrice === undefined) return refuse(placeOrder, BAD_PRICE);
    const refId = asked.refId.trim();
    const order: PlaceLimit = {
      accountId: own.accountId,
      orderCode,
      side: asked.side,
      limitPrice,
      qty: asked.volume,
      refId: refId === '' ? null : clientOrderId(refId),
    };
    const outcome = enter(parts, order, asked.terms);
    if (outcome.status === 'refused') return refuse(placeOrder, outcome.refusal);
    const entered = 'order' in outcome ? outcome.order : outcome.condition;
    book.placed(entered);
    return ok(
      placeOrder.encodeResponse({
        ...entered,
        refId,
        // An arbitrage order waits; nothing of it is at the exchange yet.
        status: 'order' in outcome ? outcome.order.status : 'queued',
        subAccountId: own.subAccountId,
        time: timeText(entered.placedUs),
        spec: brokerage.spec,
      }),
    );
  });
}

type Entered = CommandOutcome | TriggerOutcome | { readonly status: 'refused'; readonly refusal: Refused };
type Refused = { readonly code: number; readonly text: string };

function enter({ brokerage, readings }: OrderParts, order: PlaceLimit, terms: OrderTermsAsked): Entered {
  switch (terms.kind) {
    case 'regular':
      return brokerage.place(order);
    case 'unreadable':
      return { status: 'refused', refusal: NOT_OFFERED };
    case 'arbitrage': {
      const leg = brokerage.codeNamed(terms.leg);
      if (readings.arbitrage === 'refuse') return { status: 'refused', refusal: NOT_OFFERED };
      if (leg === undefined) return { status: 'refused', refusal: UNKNOWN_ORDER };
      return brokerage.act((venue) => venue.placeTrigger({ ...order, kind: 'arbitrage', leg }));
    }
    case 'bracket': {
      const bracket = bracketOf(brokerage, readings, order, terms);
      if (bracket === undefined) return { status: 'refused', refusal: BAD_PRICE };
      return brokerage.place({ ...order, bracket });
    }
  }
}

/** Undefined when a price is not on the grid. */
function bracketOf(
  brokerage: Brokerage,
  { bracketOrder, bracketPrices }: Readings,
  { side, limitPrice }: PlaceLimit,
  { stopLossPoints, takeProfitPoints }: Extract<OrderTermsAsked, { readonly kind: 'bracket' }>,
): PlaceLimit['bracket'] | undefined {
  const first = priceOf(brokerage, stopLossPoints);
  const second = priceOf(brokerage, takeProfitPoints);
  if (first === undefined || second === undefined) return undefined;
  const [loss, profit] = bracketOrder === 'stop_loss_first' ? [first, second] : [second, first];
  if (bracketPrices === 'absolute') return { stopLossPrice: loss, takeProfitPrice: profit };
  const sign = side === 'buy' ? 1 : -1;
  const [lossAt, profitAt] = [limitPrice - sign * loss, limitPrice + sign * profit];
  if (lossAt < 0 || profitAt < 0) return undefined;
  return { stopLossPrice: priceTicks(lossAt), takeProfitPrice: priceTicks(profitAt) };
}

export function changeHandler({ brokerage, readings }: OrderParts): Handler {
  return accountHandler(changeOrder, (asked, own) => {
    const order = brokerage.orderNamed(own.accountId, asked.orderNo);
    if (order === undefined) return refuse(changeOrder, UNKNOWN_ORDER);
    const limitPrice = priceOf(brokerage, asked.points);
    if (limitPrice === undefined) return refuse(changeOrder, BAD_PRICE);
    const total = asked.volume + (readings.changedVolume === 'total' ? 0 : order.filledQty);
    const outcome = brokerage.change({
      accountId: own.accountId,
      orderNo: order.orderNo,
      limitPrice,
      qty: total,
    });
    return answerCommand(changeOrder, outcome, (changed) =>
      // Echoes the request: the order itself changes when the exchange confirms it.
      changeOrder.encodeResponse({
        ...changed,
        limitPrice,
        qty: qty(asked.volume),
        spec: brokerage.spec,
      }),
    );
  });
}

export function cancelHandler({ brokerage, timeText }: OrderParts): Handler {
  return accountHandler(cancelOrder, (asked, own) => {
    const orderNo = brokerage.orderNamed(own.accountId, asked.orderNo)?.orderNo;
    if (orderNo === undefined) return refuse(cancelOrder, UNKNOWN_ORDER);
    const outcome = brokerage.cancel({ accountId: own.accountId, orderNo });
    return answerCommand(cancelOrder, outcome, (order) =>
      cancelOrder.encodeResponse({ ...order, time: timeText(brokerage.nowUs()) }),
    );
  });
}

function priceOf({ spec }: Brokerage, points: number): PriceTicks | undefined {
  const price = parsePoints(spec, points, 'price');
  return price.ok ? price.value : undefined;
}
