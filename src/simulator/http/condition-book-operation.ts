/** The conditional book: what waits, and what ended today, in order of entry, filtered, page by page. */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { VenueCondition } from '../../venue/conditions/venue-condition.ts';
import { conditionBook, type ConditionBookAsked, type ConditionRow } from '../../wire/rest/condition-book.ts';
import { formatDate } from '../../wire/rest/trade-fields.ts';
import type { Brokerage } from '../brokerage/brokerage.ts';
import { shownTrigger } from './condition-operations.ts';
import { callOfAccount, type OwnAccount, refuse } from './envelope-call.ts';
import type { OrderParts } from './order-operations.ts';
import { BAD_PAGE, pageOf } from './page.ts';
import { ok, type RestOperation } from './rest-operation.ts';

export function conditionBookOperation(parts: OrderParts): RestOperation {
  return {
    name: 'condition_book',
    method: conditionBook.method,
    path: conditionBook.path,
    open: false,
    handle: (request) =>
      callOfAccount(conditionBook, request, conditionBook.decodeRequest(request), (asked, own) => {
        const rows = parts.book
          .visible(parts.brokerage.read((venue) => venue.conditions(own.accountId)))
          .filter((row) => isAskedFor(asked, row));
        const page = pageOf(rows, asked);
        if (page === undefined) return refuse(conditionBook, BAD_PAGE);
        return ok(conditionBook.encodeResponse(page.map((row) => rowOf(row, own, parts))));
      }),
  };
}

function isAskedFor({ symbol, side, status, kind }: ConditionBookAsked, row: VenueCondition): boolean {
  if (symbol !== null && row.orderCode !== symbol) return false;
  if (side !== null && row.side !== side) return false;
  if (status !== 'all' && row.status !== status) return false;
  // The filter has one word for stops of both kinds.
  return kind === 'all' || kind === (row.kind === 'trailing_stop' ? 'stop' : row.kind);
}

function rowOf(row: VenueCondition, own: OwnAccount, parts: OrderParts): ConditionRow {
  const { brokerage, timeText, conditionLife } = parts;
  const timeOf = (atUs: number | null): string => (atUs === null ? '' : timeText(atUs));
  return {
    order: { ...row, triggerPrice: shownTrigger(row) },
    groupOrder: row.parentOrderNo ?? '',
    subAccountId: own.subAccountId,
    spec: brokerage.spec,
    sentTime: timeText(row.placedUs),
    activeTime: timeOf(row.activatedUs),
    cancelTime: timeOf(row.canceledUs),
    validFrom: formatDate(row.day),
    validTo: formatDate(conditionLife === 'day' ? row.day : expiryOf(brokerage, row)),
  };
}

/** One that has expired ended with its contract, today. */
const expiryOf = (brokerage: Brokerage, { orderCode, day }: VenueCondition): TradingDay =>
  brokerage.contractNamed(orderCode)?.expiry ?? day;
