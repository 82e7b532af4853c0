/**
 * Rows of the in-day book that can say nothing new: they are the same as in the scan before, and nothing has happened since to their
 * orders, which are over. A busy day has hundreds of them, read with each poll, live and in a replay.
 */
import type { BrokerOrder, FilledValue } from '../../domain/broker-order.ts';
import type { TsUs } from '../../domain/units.ts';
import type { ManagedOrder } from './managed-order.ts';
import type { Orders } from './orders.ts';

export class SettledRows {
  readonly #orders: Orders;
  /** The book as it was read last row by row. */
  #book: readonly BrokerOrder[] = [];
  /** Its rows that are read again with each scan. */
  #others: BrokerOrder[] = [];
  /** The orders of all other rows. */
  #settled: ManagedOrder[] = [];
  #unsettled = -1;
  /** All rows of this scan are read. */
  #isWhole = true;
  /** When the last scan began that showed this book. */
  #shownUs = -Infinity;

  constructor(orders: Orders) {
    this.#orders = orders;
  }

  /** The rows of a scan that have to be read. */
  toRead(book: readonly BrokerOrder[], startedUs: TsUs): readonly BrokerOrder[] {
    const isKnown = this.#unsettled === this.#orders.unsettled && startedUs >= this.#shownUs;
    this.#isWhole = !isKnown || !isSameBook(book, this.#book);
    if (!this.#isWhole) {
      this.#shownUs = startedUs;
      return this.#others;
    }
    this.forget();
    this.#book = book;
    this.#unsettled = this.#orders.unsettled;
    this.#shownUs = startedUs;
    return book;
  }

  /** A row was read: `order` is over, and reading the row again would change nothing; null: it may. */
  wasRead(row: BrokerOrder, order: ManagedOrder | null): void {
    if (!this.#isWhole) return;
    if (order === null) this.#others.push(row);
    else {
      order.isSettled = true;
      this.#settled.push(order);
    }
  }

  /** The next scan is read row by row. */
  forget(): void {
    for (const order of this.#settled) {
      order.isSettled = false;
      order.rowUs = Math.max(order.rowUs, this.#shownUs);
    }
    this.#settled = [];
    this.#others = [];
    this.#unsettled = -1;
  }
}

/** In a replay a book that has not changed is the same list, and a row that has not is the same object. */
function isSameBook(a: readonly BrokerOrder[], b: readonly BrokerOrder[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) {
    const one = a[at];
    const other = b[at];
    if (one !== other && (one === undefined || other === undefined || !isSameRow(one, other))) return false;
  }
  return true;
}

const isSameRow = (a: BrokerOrder, b: BrokerOrder): boolean =>
  a.orderNo === b.orderNo &&
  a.filledQty === b.filledQty &&
  a.status === b.status &&
  a.orderKey === b.orderKey &&
  a.refId === b.refId &&
  a.orderCode === b.orderCode &&
  a.side === b.side &&
  a.qty === b.qty &&
  a.limitPrice === b.limitPrice &&
  isSameValue(a.filledValue, b.filledValue) &&
  a.statusText === b.statusText &&
  a.canCancel === b.canCancel &&
  a.canModify === b.canModify &&
  a.source === b.source &&
  a.reason === b.reason;

const isSameValue = (a: FilledValue | null, b: FilledValue | null): boolean =>
  a === b || (a !== null && b !== null && a.value === b.value && a.quality === b.quality);
