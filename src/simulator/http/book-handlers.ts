/** The in-day book and the book of orders that wait: rows of an account in order of entry, filtered, page by page. */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { OrderOrigin, OrderReport, TriggerReport } from '../../venue/venue-event.ts';
import { conditionBook, type ConditionBookQuery, type ConditionRow } from '../../wire/rest/condition-book.ts';
import { type InDayQuery, inDayBook, type InDayRow } from '../../wire/rest/in-day-book.ts';
import { decodeStatus, encodeStatus } from '../../wire/rest/order-status.ts';
import { formatDate } from '../../wire/rest/trade-fields.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import { accountHandler, answerPage, type RestHandler, type CustomerAccount } from './handler.ts';
import { type OrderParts, shownTrigger } from './order-handlers.ts';

/** The filter's digits (contract, 4.3): an order has the kind of the order that sent it. */
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

export function inDayHandler({ brokerage, book, timeText, readings }: OrderParts): RestHandler {
  return accountHandler(inDayBook, (asked, own) => {
    const rows = book.shown(brokerage.orders(own.accountId)).filter(({ order }) => isAskedFor(asked, order));
    return answerPage(rows, asked, (page) =>
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
  });
}

function isAskedFor({ symbol, side, orderType, status, refId }: InDayQuery, order: OrderReport): boolean {
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
  const filledValue = order.filledQty === 0 ? null : { value: order.filledValue, quality: 'exact' as const };
  return { ...order, filledValue, status, statusText: encodeStatus(status).status };
}

/** Orders that wait for a trigger, and those that ended today. */
export function triggerBookHandler(parts: OrderParts): RestHandler {
  return accountHandler(conditionBook, (asked, own) => {
    const rows = parts.book
      .visible(
        'conditions',
        parts.brokerage.read((venue) => venue.triggers(own.accountId)),
      )
      .filter((row) => isTriggerAskedFor(asked, row));
    return answerPage(rows, asked, (page) =>
      conditionBook.encodeResponse(page.map((row) => triggerRowOf(row, own, parts))),
    );
  });
}

function isTriggerAskedFor({ symbol, side, status, kind }: ConditionBookQuery, row: TriggerReport): boolean {
  if (symbol !== null && row.orderCode !== symbol) return false;
  if (side !== null && row.side !== side) return false;
  if (status !== 'all' && row.status !== status) return false;
  // The filter has one word for stops of both kinds.
  return kind === 'all' || kind === (row.kind === 'trailing_stop' ? 'stop' : row.kind);
}

function triggerRowOf(row: TriggerReport, own: CustomerAccount, parts: OrderParts): ConditionRow {
  const { brokerage, timeText, triggerLife } = parts;
  const timeOf = (atUs: number | null): string => (atUs === null ? '' : timeText(atUs));
  return {
    order: { ...row, triggerPrice: shownTrigger(row), parent: row.parentOrderNo },
    subAccountId: own.subAccountId,
    spec: brokerage.spec,
    sentTime: timeText(row.placedUs),
    activeTime: timeOf(row.activatedUs),
    cancelTime: timeOf(row.canceledUs),
    validFrom: formatDate(row.day),
    validTo: formatDate(triggerLife === 'day' ? row.day : expiryOf(brokerage, row)),
  };
}

/** One that has expired ended with its contract, today. */
const expiryOf = (brokerage: Brokerage, { orderCode, day }: TriggerReport): TradingDay =>
  brokerage.contractNamed(orderCode)?.expiry ?? day;
