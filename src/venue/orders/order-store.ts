/** Orders of all accounts, by number, by account, and those that still work; and the broker's names for them. */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { type AccountId, type BrokerOrderKey, brokerOrderKeyOf, type OrderCode } from '../../domain/ids.ts';
import { getOrCreate } from '../../domain/lists.ts';
import { NOTHING_WORKING, plus, type WorkingQty } from '../account/margin.ts';
import type { OrderOrigin, PlaceLimit } from '../venue-command.ts';
import { type OrderSender, type OrderState, restoredOrder, VenueOrder } from './venue-order.ts';

/** A key has seven digits and does not restart with the day. */
const KEY_FIRST = 7_000_000;
const KEY_AFTER_LAST = 10_000_000;
const KEY_WRAPPED = 1_000_000;

const NONE_WORK: ReadonlyMap<OrderCode, WorkingQty> = new Map();

export class OrderStore {
  /** Numbers restart every day; an order's number is its tag in the book. */
  nextNo = 1;
  nextKey = KEY_FIRST;
  /** By number; empty where an order was forgotten. */
  #orders: (VenueOrder | undefined)[] = [];
  readonly #open = new Map<AccountId, VenueOrder[]>();

  /** Also for an order that waits for a trigger: both books share the keys. */
  takeKey(): BrokerOrderKey {
    const taken = brokerOrderKeyOf(this.nextKey);
    this.nextKey = this.nextKey + 1 === KEY_AFTER_LAST ? KEY_WRAPPED : this.nextKey + 1;
    return taken;
  }

  add(
    command: PlaceLimit,
    origin: OrderOrigin,
    sender: OrderSender,
    day: TradingDay,
    placedUs: number,
  ): VenueOrder {
    const tag = this.nextNo;
    this.nextNo += 1;
    const order = new VenueOrder(command, origin, sender, tag, this.takeKey(), day, placedUs);
    this.#orders[tag] = order;
    this.#openOf(order.accountId).push(order);
    return order;
  }

  onClosed(order: VenueOrder): void {
    const open = this.#openOf(order.accountId);
    const place = open.lastIndexOf(order);
    assert(place !== -1, 'an order ends once');
    if (place === open.length - 1) open.pop();
    else open.splice(place, 1);
  }

  forget(order: VenueOrder): void {
    assert(!order.isOpen, 'an order that works is not forgotten');
    this.#orders[order.tag] = undefined;
  }

  byTag(tag: number): VenueOrder {
    const order = this.#orders[tag];
    assert(order !== undefined, 'the tag names an order of today');
    return order;
  }

  find(id: AccountId, orderNo: string): VenueOrder | undefined {
    const order = this.#orders[Number(orderNo)];
    return order?.orderNo === orderNo && order.accountId === id ? order : undefined;
  }

  all(): readonly VenueOrder[] {
    return this.#orders.filter((order) => order !== undefined);
  }

  of(id: AccountId): readonly VenueOrder[] {
    return this.all().filter((order) => order.accountId === id);
  }

  /** Those that still work, now: a fill takes one out. */
  open(id: AccountId): readonly VenueOrder[] {
    return this.#openOf(id);
  }

  /** Contracts the account may still buy and sell by its working orders. */
  working(id: AccountId): ReadonlyMap<OrderCode, WorkingQty> {
    const open = this.#openOf(id);
    if (open.length === 0) return NONE_WORK;
    const working = new Map<OrderCode, WorkingQty>();
    for (const order of open) {
      const before = working.get(order.orderCode) ?? NOTHING_WORKING;
      working.set(order.orderCode, plus(before, order.side, largestLeaves(order)));
    }
    return working;
  }

  beginDay(): void {
    for (const order of this.all()) assert(!order.isOpen, 'no order outlives its day');
    this.#orders = [];
    this.#open.clear();
    this.nextNo = 1;
  }

  /** Returns the orders that still work, in order of their place in the queues. */
  restore(orders: readonly OrderState[], orderNoNext: number, orderKeyNext: number): readonly VenueOrder[] {
    this.nextNo = orderNoNext;
    this.nextKey = orderKeyNext;
    for (const state of orders) this.#orders[state.tag] = restoredOrder(state);
    const open = this.all().filter(({ isOpen }) => isOpen);
    open.sort((a, b) => a.priority - b.priority);
    for (const order of open) this.#openOf(order.accountId).push(order);
    return open;
  }

  #openOf(id: AccountId): VenueOrder[] {
    return getOrCreate(this.#open, id, noOrders);
  }
}

const noOrders = (): VenueOrder[] => [];

/** Margin is held for the larger of the resting quantity and the one that a change on its way asks for. */
const largestLeaves = (order: VenueOrder): number =>
  Math.max(order.qty, order.pending?.kind === 'change' ? order.pending.qty : 0) - order.filledQty;
