/** Place, change, cancel: decoded, given to the brokerage, answered in the broker's envelope. */
import { parsePoints } from '../../domain/contract.ts';
import { clientOrderId } from '../../domain/ids.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import type { BookDistortion } from '../faults/book-distortion.ts';
import { type PriceTicks, qty } from '../../domain/units.ts';
import { cancelOrder } from '../../wire/rest/cancel-order.ts';
import { changeOrder } from '../../wire/rest/change-order.ts';
import { placeOrder } from '../../wire/rest/place-order.ts';
import { derivativeAccountOf } from '../brokerage/sub-accounts.ts';
import { answerCommand, callOfAccount, refuse } from './envelope-call.ts';
import type { RestOperation } from './rest-operation.ts';

export interface OrderParts {
  readonly brokerage: Brokerage;
  readonly book: BookDistortion;
  /** `HH:MM:SS` of the exchange's day. */
  readonly timeText: (atUs: number) => string;
}

const UNKNOWN_ORDER = { code: -6003, text: 'Order or contract not found' };
const BAD_PRICE = { code: -6021, text: 'Invalid price' };
const NOT_REGULAR = { code: -6024, text: 'Order type not allowed' };

export function placeOperation({ brokerage, book, timeText }: OrderParts): RestOperation {
  return {
    name: 'place',
    method: placeOrder.method,
    path: placeOrder.path,
    open: false,
    handle: (request) =>
      callOfAccount(placeOrder, request, placeOrder.decodeRequest(request), (asked, account) => {
        if (asked.terms.kind !== 'regular') return refuse(placeOrder, NOT_REGULAR);
        const orderCode = brokerage.contractNamed(asked.symbol)?.orderCode;
        if (orderCode === undefined) return refuse(placeOrder, UNKNOWN_ORDER);
        const limitPrice = priceOf(brokerage, asked.points);
        if (limitPrice === undefined) return refuse(placeOrder, BAD_PRICE);
        const refId = asked.refId.trim();
        const outcome = brokerage.place({
          accountId: account,
          orderCode,
          side: asked.side,
          limitPrice,
          qty: asked.volume,
          refId: refId === '' ? null : clientOrderId(refId),
        });
        if (outcome.status === 'accepted') book.placed(outcome.order);
        return answerCommand(placeOrder, outcome, (order) =>
          placeOrder.encodeResponse({
            ...order,
            refId,
            subAccountId: derivativeAccountOf(account),
            time: timeText(order.placedUs),
            spec: brokerage.spec,
          }),
        );
      }),
  };
}

export function changeOperation({ brokerage }: OrderParts): RestOperation {
  return {
    name: 'change',
    method: changeOrder.method,
    path: changeOrder.path,
    open: false,
    handle: (request) =>
      callOfAccount(changeOrder, request, changeOrder.decodeRequest(request), (asked, account) => {
        const orderNo = brokerage.orderNamed(account, asked.orderNo)?.orderNo;
        if (orderNo === undefined) return refuse(changeOrder, UNKNOWN_ORDER);
        const limitPrice = priceOf(brokerage, asked.points);
        if (limitPrice === undefined) return refuse(changeOrder, BAD_PRICE);
        const outcome = brokerage.change({ accountId: account, orderNo, limitPrice, qty: asked.volume });
        return answerCommand(changeOrder, outcome, (order) =>
          // What was asked for: the order itself changes when the exchange confirms it.
          changeOrder.encodeResponse({ ...order, limitPrice, qty: qty(asked.volume), spec: brokerage.spec }),
        );
      }),
  };
}

export function cancelOperation({ brokerage, timeText }: OrderParts): RestOperation {
  return {
    name: 'cancel',
    method: cancelOrder.method,
    path: cancelOrder.path,
    open: false,
    handle: (request) =>
      callOfAccount(cancelOrder, request, cancelOrder.decodeRequest(request), (asked, account) => {
        const orderNo = brokerage.orderNamed(account, asked.orderNo)?.orderNo;
        if (orderNo === undefined) return refuse(cancelOrder, UNKNOWN_ORDER);
        const outcome = brokerage.cancel({ accountId: account, orderNo });
        return answerCommand(cancelOrder, outcome, (order) =>
          cancelOrder.encodeResponse({ ...order, time: timeText(brokerage.nowUs()) }),
        );
      }),
  };
}

function priceOf({ spec }: Brokerage, points: number): PriceTicks | undefined {
  const price = parsePoints(spec, points, 'price');
  return price.ok ? price.value : undefined;
}
