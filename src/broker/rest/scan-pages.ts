/**
 * One scan over all pages of a book. It is evidence only when it is complete and nothing moved between its pages (rulings, 9);
 * otherwise it has the reason.
 */
import type { ReadResult } from './broker-calls.ts';

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Unreadable rows: they may be any order. */
  readonly unreadable: number;
}

export interface PageScan<Row> {
  readonly complete: boolean;
  readonly rows: readonly Row[];
  /** Reason why it is not complete; empty when it is. */
  readonly reason: string;
}

/** The largest page is not documented: a request may be cut to less than this. */
export const PAGE_SIZE = 100;
const PAGES_MAX = 50;
/** A page that was cut by the server's own limit has a round number of rows; then one more page is looked at. */
const LIMITS_ARE_MULTIPLES_OF = 5;

/** Pages count from 1 (rulings, 15). */
type FetchPage<Row> = (pageNo: number, pageSize: number) => Promise<ReadResult<Page<Row>>>;

/** `nameOf` tells rows apart, as in `order 17`. */
export async function scanPages<Row>(
  fetchPage: FetchPage<Row>,
  nameOf: (row: Row) => string,
): Promise<PageScan<Row>> {
  const rows: Row[] = [];
  const seen = new Set<string>();
  let unreadable = 0;
  const incomplete = (reason: string): PageScan<Row> => ({ complete: false, rows, reason });
  for (let pageNo = 1; pageNo <= PAGES_MAX; pageNo += 1) {
    const page = await fetchPage(pageNo, PAGE_SIZE);
    if (!page.ok) return incomplete(`page ${pageNo}: ${page.reason}`);
    unreadable += page.value.unreadable;
    for (const row of page.value.rows) {
      const name = nameOf(row);
      if (seen.has(name)) return incomplete(`${name} stands on two pages: the book shifted`);
      seen.add(name);
      rows.push(row);
    }
    const count = page.value.rows.length + page.value.unreadable;
    if (count > 0 && count % LIMITS_ARE_MULTIPLES_OF === 0) continue;
    return unreadable === 0
      ? { complete: true, rows, reason: '' }
      : incomplete(`${unreadable} rows are unreadable`);
  }
  return incomplete(`more than ${PAGES_MAX} pages`);
}
