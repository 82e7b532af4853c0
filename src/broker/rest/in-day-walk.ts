/**
 * One walk over all pages of the in-day book. It is evidence only when it is complete and nothing moved between its
 * pages (rulings, 9); everything else says why it is not.
 */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { ReadResult } from './read-result.ts';

export interface InDayPage {
  readonly orders: readonly BrokerOrder[];
  /** Rows that could not be read: they may be any order. */
  readonly unreadable: number;
}

export interface InDayWalk {
  readonly complete: boolean;
  readonly orders: readonly BrokerOrder[];
  /** Why it is not complete, empty when it is. */
  readonly reason: string;
}

/** The largest page is not documented: a request may be cut to less than this. */
export const PAGE_SIZE = 100;
const PAGES_MAX = 50;
/** A page that was cut by the server's own limit has a round number of rows; then one more page is looked at. */
const LIMITS_ARE_MULTIPLES_OF = 5;

type FetchPage = (pageNo: number, pageSize: number) => Promise<ReadResult<InDayPage>>;

export async function walkInDayBook(fetchPage: FetchPage): Promise<InDayWalk> {
  const orders: BrokerOrder[] = [];
  const seen = new Set<string>();
  let unreadable = 0;
  const incomplete = (reason: string): InDayWalk => ({ complete: false, orders, reason });
  for (let pageNo = 1; pageNo <= PAGES_MAX; pageNo += 1) {
    const page = await fetchPage(pageNo, PAGE_SIZE);
    if (!page.ok) return incomplete(`page ${pageNo}: ${page.reason}`);
    unreadable += page.value.unreadable;
    for (const order of page.value.orders) {
      if (seen.has(order.orderNo))
        return incomplete(`order ${order.orderNo} stands on two pages: the book shifted`);
      seen.add(order.orderNo);
      orders.push(order);
    }
    const rows = page.value.orders.length + page.value.unreadable;
    if (rows > 0 && rows % LIMITS_ARE_MULTIPLES_OF === 0) continue;
    return unreadable === 0
      ? { complete: true, orders, reason: '' }
      : incomplete(`${unreadable} rows are unreadable`);
  }
  return incomplete(`more than ${PAGES_MAX} pages`);
}
