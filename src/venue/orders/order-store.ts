/** Today's orders of all accounts, by number, by account, and those that still work. Its tag in the book is its number. */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import { isOpen, type LiveOrder, liveOrderOf } from './live-order.ts';
import { NOTHING_WORKING, plus, type WorkingQty } from '../account/margin.ts';
import { OrderNumbers } from './order-numbers.ts';
import type { PlaceLimit } from '../venue-command.ts';
import type { OrderOrigin } from '../venue-event.ts';
import type { OrderState } from '../venue-state.ts';

export class OrderStore {
  readonly numbers = new OrderNumbers();
  #orders: LiveOrder[] = [];
  readonly #open = new Map<AccountId, Set<LiveOrder>>();

  add(command: PlaceLimit, origin: OrderOrigin, day: TradingDay, placedUs: number): LiveOrder {
    const order: LiveOrder = {
      tag: this.#orders.length + 1,
      accountId: command.accountId,
      day,
      ...this.numbers.take(),
      refId: command.refId,
      orderCode: command.orderCode,
      side: command.side,
      placedUs,
      origin,
      bracket: command.bracket ?? null,
      qty: command.qty,
      limitPrice: command.limitPrice,
      filledQty: 0,
      filledValue: 0,
      fee: 0,
      tax: 0,
      modified: false,
      canceledUs: null,
      expired: false,
      reason: '',
      pending: null,
      priority: 0,
    };
    assert(order.orderNo === String(order.tag), 'orders are numbered in order of entry');
    this.#orders.push(order);
    this.#openOf(order.accountId).add(order);
    return order;
  }

  /** The order no longer works. */
  closed(order: LiveOrder): void {
    this.#openOf(order.accountId).delete(order);
  }

  byTag(tag: number): LiveOrder {
    const order = this.#orders[tag - 1];
    assert(order !== undefined, 'the tag names an order of today');
    return order;
  }

  find(id: AccountId, orderNo: string): LiveOrder | undefined {
    const order = this.#orders[Number(orderNo) - 1];
    return order?.orderNo === orderNo && order.accountId === id ? order : undefined;
  }

  /** Today's orders of these numbers, whoever's they are. */
  named(orderNos: Iterable<string>): readonly LiveOrder[] {
    return Array.from(orderNos, (orderNo) => this.byTag(Number(orderNo)));
  }

  all(): readonly LiveOrder[] {
    return this.#orders;
  }

  open(id: AccountId): LiveOrder[] {
    return [...this.#openOf(id)];
  }

  /** Contracts the account may still buy and sell by its working orders. */
  working(id: AccountId): Map<OrderCode, WorkingQty> {
    const working = new Map<OrderCode, WorkingQty>();
    for (const order of this.#openOf(id)) {
      const before = working.get(order.orderCode) ?? NOTHING_WORKING;
      working.set(order.orderCode, plus(before, order.side, largestLeaves(order)));
    }
    return working;
  }

  beginDay(): void {
    assert(!this.#orders.some(isOpen), 'no order outlives its day');
    this.#orders = [];
    this.#open.clear();
    this.numbers.beginDay();
  }

  /** Returns the orders that still work, in order of their place in the queues. */
  restore(orders: readonly OrderState[], orderNoNext: number, orderKeyNext: number): readonly LiveOrder[] {
    this.numbers.resume(orderNoNext, orderKeyNext);
    this.#orders = orders.map((state, i) => liveOrderOf(state, i + 1));
    const open = this.#orders.filter(isOpen).toSorted((a, b) => a.priority - b.priority);
    for (const order of open) this.#openOf(order.accountId).add(order);
    return open;
  }

  #openOf(id: AccountId): Set<LiveOrder> {
    let open = this.#open.get(id);
    if (open === undefined) {
      open = new Set();
      this.#open.set(id, open);
    }
    return open;
  }
}

/** Margin is held for the larger of what stands and what a change on its way asks for. */
const largestLeaves = (order: LiveOrder): number =>
  Math.max(order.qty, order.pending?.kind === 'change' ? order.pending.qty : 0) - order.filledQty;
