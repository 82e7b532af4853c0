/** The in-day book: today's orders of an account in order of entry, filtered, page by page. */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { VenueOrder } from '../../venue/venue-event.ts';
import { type InDayAsked, inDayBook, type InDayRow } from '../../wire/rest/in-day-book.ts';
import { decodeStatus, encodeStatus } from '../../wire/rest/order-status.ts';
import { derivativeAccountOf } from '../brokerage/sub-accounts.ts';
import { callOfAccount, refuse } from './envelope-call.ts';
import type { OrderParts } from './order-operations.ts';
import { ok, type RestOperation } from './rest-operation.ts';

const BAD_PAGE = { code: -6000, text: 'Pages count from 1 and have at least one row' };
/** The filter's digits of a plain order and of a forced close; the others have no orders here. */
const FORCED = '5';
const NORMAL = '6';

export function inDayOperation({ brokerage, book, timeText }: OrderParts): RestOperation {
  return {
    name: 'in_day',
    method: inDayBook.method,
    path: inDayBook.path,
    open: false,
    handle: (request) =>
      callOfAccount(inDayBook, request, inDayBook.decodeRequest(request), (asked, account) => {
        const { pageNo, pageSize } = asked;
        if (!isCount(pageNo) || !isCount(pageSize)) return refuse(inDayBook, BAD_PAGE);
        const rows = book.shown(brokerage.orders(account)).filter(({ order }) => isAskedFor(asked, order));
        const page = rows.slice((pageNo - 1) * pageSize, pageNo * pageSize);
        return ok(
          inDayBook.encodeResponse(
            page.map(({ order, statusText }): InDayRow => ({
              order: brokerOrderOf(order, statusText),
              filledValue: order.filledValue,
              subAccountId: derivativeAccountOf(account),
              spec: brokerage.spec,
              time: timeText(order.placedUs),
              cancelTime: order.canceledUs === null ? '' : timeText(order.canceledUs),
            })),
          ),
        );
      }),
  };
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;

function isAskedFor({ symbol, side, orderType, status, refId }: InDayAsked, order: VenueOrder): boolean {
  if (symbol !== null && order.orderCode !== symbol) return false;
  if (side !== null && order.side !== side) return false;
  if (refId !== null && order.refId !== refId) return false;
  if (orderType !== '' && orderType !== (order.source === 'forced' ? FORCED : NORMAL)) return false;
  if (status === 'waiting') return isWorking(order);
  return status === 'all' || order.filledQty > 0;
}

/** It can still trade. */
function isWorking({ status, filledQty, qty }: VenueOrder): boolean {
  return filledQty < qty && status !== 'canceled' && status !== 'matched_canceled';
}

function brokerOrderOf(order: VenueOrder, shownStatus: string | null): BrokerOrder {
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
