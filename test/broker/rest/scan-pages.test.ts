import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Page, PAGE_SIZE, type PageScan, scanPages } from '../../../src/broker/rest/scan-pages.ts';
import type { ReadResult } from '../../../src/broker/rest/broker-calls.ts';
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

const walkOrders = (
  fetchPage: (pageNo: number, pageSize: number) => Promise<ReadResult<Page<BrokerOrder>>>,
): Promise<PageScan<BrokerOrder>> => scanPages(fetchPage, ({ orderNo }) => `order ${orderNo}`);

describe('a walk over the book', () => {
  it('finds every order once, wherever the server cuts its pages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 230 }),
        fc.constantFrom(10, 20, 25, 50, 100, 500),
        async (count, cut) => {
          const orders = ordersFrom(1, count);
          const walk = await walkOrders(pagesOf(orders, cut));
          expect(walk).toEqual({ complete: true, rows: orders, reason: '' });
        },
      ),
    );
  });

  it('needs one page for a short book', async () => {
    const asked: number[] = [];
    await walkOrders((pageNo, pageSize) => {
      asked.push(pageNo, pageSize);
      return Promise.resolve(page(ordersFrom(1, 7)));
    });
    expect(asked).toEqual([1, PAGE_SIZE]);
  });
});

describe('a walk that is no evidence', () => {
  it('has seen an order twice: the book shifted between two pages', async () => {
    const before = ordersFrom(1, 150);
    const after = [createBrokerOrder('999'), ...before];
    const walk = await walkOrders((pageNo, size) =>
      pagesOf(pageNo === 1 ? before : after, 100)(pageNo, size),
    );
    expect(walk.complete).toBe(false);
    expect(walk.reason).toContain('order 100 stands on two pages');
  });

  it('has missed a page', async () => {
    const walk = await walkOrders((pageNo) =>
      Promise.resolve(
        pageNo === 1
          ? page(ordersFrom(1, 100))
          : { ok: false, kind: 'unanswered', reason: 'no answer in time' },
      ),
    );
    expect(walk).toMatchObject({ complete: false, reason: 'page 2: no answer in time' });
    expect(walk.rows).toHaveLength(100);
  });

  it('has a row that could not be read', async () => {
    const walk = await walkOrders(() => Promise.resolve(page(ordersFrom(1, 2), 1)));
    expect(walk).toMatchObject({ complete: false, reason: '1 rows are unreadable' });
  });

  it('never ended', async () => {
    const walk = await walkOrders((pageNo) => Promise.resolve(page(ordersFrom(pageNo * 1000, 100))));
    expect(walk).toMatchObject({ complete: false, reason: 'more than 50 pages' });
  });
});
