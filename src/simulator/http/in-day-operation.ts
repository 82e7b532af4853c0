/** The in-day book: today's orders of an account in order of entry, filtered, page by page. */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { OrderOrigin, OrderReport } from '../../venue/venue-event.ts';
import { type InDayAsked, inDayBook, type InDayRow } from '../../wire/rest/in-day-book.ts';
import { decodeStatus, encodeStatus } from '../../wire/rest/order-status.ts';
import { callOfAccount, refuse } from './envelope-call.ts';
import type { OrderParts } from './order-operations.ts';
import { BAD_PAGE, pageOf } from './page.ts';
import { ok, type RestOperation } from './rest-operation.ts';

/** The filter's digits (contract, 4.3): an order is of the kind of the condition it came from. */
const KINDS: Readonly<Record<OrderOrigin, string>> = {
  plain: '6',
  foreign: '6',
  stop: '6',
  trailing_stop: '6',
  arbitrage: '3',
  bracket: '4',
  exit: '4',
  forced: '5',
};

export function inDayOperation({ brokerage, book, timeText, readings }: OrderParts): RestOperation {
  return {
    name: 'in_day',
    method: inDayBook.method,
    path: inDayBook.path,
    open: false,
    handle: (request) =>
      callOfAccount(inDayBook, request, inDayBook.decodeRequest(request), (asked, own) => {
        const rows = book
          .shown(brokerage.orders(own.accountId))
          .filter(({ order }) => isAskedFor(asked, order));
        const page = pageOf(rows, asked);
        if (page === undefined) return refuse(inDayBook, BAD_PAGE);
        return ok(
          inDayBook.encodeResponse(
            page.map(({ order, statusText }): InDayRow => ({
              order: brokerOrderOf(order, statusText),
              filledValue: order.filledValue,
              subAccountId: own.subAccountId,
              spec: brokerage.spec,
              time: timeText(order.placedUs),
              cancelTime: order.canceledUs === null ? '' : timeText(order.canceledUs),
              isBracket: order.origin === 'bracket' || order.origin === 'exit',
            })),
            readings.inDayTypes,
          ),
        );
      }),
  };
}

function isAskedFor({ symbol, side, orderType, status, refId }: InDayAsked, order: OrderReport): boolean {
  if (symbol !== null && order.orderCode !== symbol) return false;
  if (side !== null && order.side !== side) return false;
  if (refId !== null && order.refId !== refId) return false;
  if (orderType !== '' && orderType !== KINDS[order.origin]) return false;
  if (status === 'waiting') return isWorking(order);
  return status === 'all' || order.filledQty > 0;
}

/** It can still trade. */
function isWorking({ status, filledQty, qty }: OrderReport): boolean {
  return filledQty < qty && status !== 'canceled' && status !== 'matched_canceled';
}

function brokerOrderOf(order: OrderReport, shownStatus: string | null): BrokerOrder {
  const status = shownStatus === null ? order.status : decodeStatus(shownStatus, '');
  return {
    orderNo: order.orderNo,
    orderKey: order.orderKey,
    refId: order.refId,
    orderCode: order.orderCode,
    side: order.side,
    qty: order.qty,
    limitPrice: order.limitPrice,
    filledQty: order.filledQty,
    filledValue: order.filledQty === 0 ? null : { value: order.filledValue, quality: 'exact' },
    status,
    statusText: encodeStatus(status).status,
    canCancel: order.canCancel,
    canModify: order.canModify,
    source: order.source,
    reason: order.reason,
  };
}
