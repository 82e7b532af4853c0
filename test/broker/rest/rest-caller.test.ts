import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Page,
  type PageScan,
  type ReadResult,
  scanPages,
} from '../../../src/broker/rest/rest-caller.ts';
import type { BrokerOrder } from '../../../src/domain/broker-order.ts';
import { createBrokerOrder } from '../support/broker-orders.ts';

const page = (orders: readonly BrokerOrder[], unreadable = 0): ReadResult<Page<BrokerOrder>> => ({
  ok: true,
  value: { rows: orders, unreadable },
});

const ordersFrom = (first: number, count: number): BrokerOrder[] =>
  Array.from({ length: count }, (_, i) => createBrokerOrder(String(first + i)));

/** A server that shows `orders`, at most `cut` of them on a page whatever is asked. */
const pagesOf =
  (orders: readonly BrokerOrder[], cut: number) =>
  (pageNo: number, pageSize: number): Promise<ReadResult<Page<BrokerOrder>>> => {
    const size = Math.min(cut, pageSize);
    return Promise.resolve(page(orders.slice((pageNo - 1) * size, pageNo * size)));
  };

const scanOrders = (
  fetchPage: (pageNo: number, pageSize: number) => Promise<ReadResult<Page<BrokerOrder>>>,
): Promise<PageScan<BrokerOrder>> => scanPages(fetchPage, ({ orderNo }) => `order ${orderNo}`);

describe('a scan of the book', () => {
  it('finds every order once, wherever the server cuts its pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 230 }),
        fc.constantFrom(10, 20, 25, 50, 100, 500),
        async (count, cut) => {
          const orders = ordersFrom(1, count);
          const scan = await scanOrders(pagesOf(orders, cut));
          expect(scan).toEqual({ complete: true, rows: orders, reason: '' });
        },
      ),
    );
  });
});

describe('a scan that is no evidence', () => {
  it('has seen an order twice: the book shifted between two pages', async () => {
    const before = ordersFrom(1, 150);
    const after = [createBrokerOrder('999'), ...before];
    const scan = await scanOrders((pageNo, size) =>
      pagesOf(pageNo === 1 ? before : after, 100)(pageNo, size),
    );
    expect(scan.complete).toBe(false);
    expect(scan.reason).toContain('order 100 is on two pages');
  });

  it('has missed a page', async () => {
    const scan = await scanOrders((pageNo) =>
      Promise.resolve(
        pageNo === 1
          ? page(ordersFrom(1, 100))
          : { ok: false, kind: 'unanswered', reason: 'no answer in time' },
      ),
    );
    expect(scan).toMatchObject({ complete: false, reason: 'page 2: no answer in time' });
    expect(scan.rows).toHaveLength(100);
  });

  it('has a row that could not be read', async () => {
    const scan = await scanOrders(() => Promise.resolve(page(ordersFrom(1, 2), 1)));
    expect(scan).toMatchObject({ complete: false, reason: '1 rows are unreadable' });
  });

  it('never ended', async () => {
    const scan = await scanOrders((pageNo) => Promise.resolve(page(ordersFrom(pageNo * 1000, 100))));
    expect(scan).toMatchObject({ complete: false, reason: 'more than 50 pages' });
  });
});
