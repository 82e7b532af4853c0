/**
 * Rows of the in-day book that can say nothing new: they are the same as in the scan before, and nothing has happened since to their
 * orders, which are over. A busy day has hundreds of them, read with each poll, live and in a replay.
 */
import { assert } from '../../domain/assert.ts';
import type { BrokerOrder, FilledValue } from '../../domain/broker-order.ts';
import type { Costs } from '../../domain/costs.ts';
import type { TsUs } from '../../domain/units.ts';
import type { ManagedOrder } from './managed-order.ts';
import type { Orders } from './orders.ts';

export class SettledRows {
  readonly #orders: Orders;
  /** The book of the last scan. */
  #book: readonly BrokerOrder[] = [];
  /** The settled order of each of its rows; null where the row is read again with each scan. */
  #owners: (ManagedOrder | null)[] = [];
  /** Places of those rows. */
  #others: number[] = [];
  #unsettled = -1;
  /** When the last scan began. */
  #shownUs = -Infinity;

  constructor(orders: Orders) {
    this.#orders = orders;
  }

  /**
   * Calls `read` for each row that may say something new, in the order of the book. It returns the order of the row where reading that
   * again would change nothing.
   */
  scan(book: readonly BrokerOrder[], startedUs: TsUs, read: (row: BrokerOrder) => ManagedOrder | null): void {
    if (this.#unsettled !== this.#orders.unsettled || startedUs < this.#shownUs) this.forget();
    const isSame = this.#owners.length === book.length && isSameBook(book, this.#book);
    if (!isSame) this.#follow(book);
    this.#unsettled = this.#orders.unsettled;
    this.#shownUs = startedUs;
    const places = isSame ? this.#others : null;
    this.#others = [];
    for (let at = 0; at < (places ?? book).length; at += 1) {
      const place = places === null ? at : (places[at] ?? at);
      const row = book[place];
      const owner = this.#owners[place];
      assert(row !== undefined && owner !== undefined, 'each row of the book has its place');
      if (owner?.isSettled === true && this.#unsettled === this.#orders.unsettled) continue;
      const settled = read(row);
      this.#owners[place] = settled;
      if (settled === null) this.#others.push(place);
      else settled.isSettled = true;
    }
  }

  /** The next scan is read row by row. */
  forget(): void {
    for (const owner of this.#owners) this.#release(owner);
    this.#owners = [];
    this.#others = [];
    this.#book = [];
  }

  /** Another book than the last one: what stands in its place as before stays settled. */
  #follow(book: readonly BrokerOrder[]): void {
    const owners = this.#owners;
    for (let place = 0; place < Math.max(book.length, owners.length); place += 1) {
      const [row, before] = [book[place], this.#book[place]];
      if (row !== undefined && before !== undefined && isSameRow(row, before)) continue;
      this.#release(owners[place] ?? null);
      owners[place] = null;
    }
    owners.length = book.length;
    this.#book = book;
  }

  /** Skipped rows showed the order until the last scan. */
  #release(order: ManagedOrder | null): void {
    if (order === null) return;
    order.isSettled = false;
    order.rowUs = Math.max(order.rowUs, this.#shownUs);
  }
}

/** In a replay a book that has not changed is the same list, and a row that has not is the same object. */
function isSameBook(a: readonly BrokerOrder[], b: readonly BrokerOrder[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) {
    const one = a[at];
    const other = b[at];
    if (one === undefined || other === undefined || !isSameRow(one, other)) return false;
  }
  return true;
}

const isSameRow = (a: BrokerOrder, b: BrokerOrder): boolean =>
  a === b ||
  (a.orderNo === b.orderNo &&
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
    a.reason === b.reason);

const isSameCharge = (a: Costs | undefined, b: Costs | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.fee === b.fee && a.tax === b.tax);

const isSameValue = (a: FilledValue | null, b: FilledValue | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.value === b.value &&
    a.quality === b.quality &&
    isSameCharge(a.costs, b.costs));
