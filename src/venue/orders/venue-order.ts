/** Orders at the venue. The status of each is derived from the facts, so that the two cannot disagree. */
import type { BrokerOrderSource, BrokerOrderStatus } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import {
  type AccountId,
  type BrokerOrderKey,
  type BrokerOrderNo,
  brokerOrderNoOf,
  type ClientOrderId,
  type OrderCode,
  brokerOrderKeyOf,
} from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { money, priceTicks, qty, tsUs } from '../../domain/units.ts';
import type { Bracket, OrderOrigin, PlaceLimit } from '../venue-command.ts';
import { assert } from '../../domain/assert.ts';
import { getOrCreate } from '../../domain/lists.ts';
import { NOTHING_WORKING, plus, type WorkingQty } from '../account/margin.ts';

/** A command on its way to the exchange. Commands due at the same moment arrive in order of `sentNo`. */
type PendingState =
  | { readonly kind: 'place' | 'cancel'; readonly dueUs: number; readonly sentNo: number }
  | {
      readonly kind: 'change';
      readonly dueUs: number;
      readonly sentNo: number;
      readonly limitPrice: number;
      readonly qty: number;
    }
  /** Not sent yet: an arbitrage order waits for own fills in its leg; `filledQty` counts those since it was placed. */
  | { readonly kind: 'leg'; readonly filledQty: number };
export type PendingChange = Exclude<PendingState, { readonly kind: 'leg' }>;

/** Where an order comes from inside its account, for a backtest's report. */
export interface OrderSender {
  /** Index of a strategy; 0 where it is not needed. */
  readonly owner: number;
  /** Where the trigger that sent it fired; null for any other order. */
  readonly triggerPrice: number | null;
  readonly decidedUs: number;
  /** Bid plus ask when it was decided; 0 where unknown. */
  readonly decidedMidTwice: number;
}

/** Plain data: the fields of an order. */
export type OrderState = Omit<VenueOrder, 'leavesQty' | 'isOpen' | 'isInBook' | 'isAtGateway' | 'source'>;

export class VenueOrder {
  /** Its name in the book, unique within the day. */
  readonly tag: number;
  readonly accountId: AccountId;
  readonly day: TradingDay;
  /** Each book counts by itself. */
  readonly orderNo: BrokerOrderNo;
  /** Both books share one counter. */
  readonly orderKey: BrokerOrderKey;
  readonly refId: ClientOrderId | null;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly placedUs: number;
  readonly origin: OrderOrigin;
  readonly bracket: Bracket | null;
  readonly leg: OrderCode | null;
  readonly isGtc: boolean;
  readonly owner: number;
  readonly triggerPrice: number | null;
  readonly decidedUs: number;
  readonly decidedMidTwice: number;
  qty: number;
  /** Limit, ticks. */
  price: number;
  filledQty = 0;
  filledValue = 0;
  /** Charged so far: functions of the filled value, so that a later fill is charged the difference (rulings, 2). */
  fee = 0;
  tax = 0;
  /** Part of the filled value that waited for its fill. */
  makerValue = 0;
  /** Costs of its fills, where each is rounded by itself. */
  fillFees = 0;
  fillTaxes = 0;
  modified = false;
  canceledUs: number | null = null;
  /** Canceled by the end of its life, not by anybody. */
  expired = false;
  /** Why the venue refused it, its change or its cancel; empty when it did not. */
  reason = '';
  pending: PendingState | null = null;
  /** Grows with every entry into a queue. */
  priority = 0;
  /** Changed since it was reported to its owner. */
  isUnreported = false;

  constructor(
    command: PlaceLimit,
    origin: OrderOrigin,
    sender: OrderSender,
    tag: number,
    orderKey: BrokerOrderKey,
    day: TradingDay,
    placedUs: number,
  ) {
    this.tag = tag;
    this.accountId = command.accountId;
    this.day = day;
    this.orderNo = brokerOrderNoOf(tag);
    this.orderKey = orderKey;
    this.refId = command.refId;
    this.orderCode = command.orderCode;
    this.side = command.side;
    this.placedUs = placedUs;
    this.origin = origin;
    this.bracket = command.bracket ?? null;
    this.leg = command.leg ?? null;
    this.isGtc = command.isGtc === true;
    this.owner = sender.owner;
    this.triggerPrice = sender.triggerPrice;
    this.decidedUs = sender.decidedUs;
    this.decidedMidTwice = sender.decidedMidTwice;
    this.qty = command.qty;
    this.price = command.limitPrice;
  }

  get leavesQty(): number {
    return this.qty - this.filledQty;
  }

  get isOpen(): boolean {
    return this.canceledUs === null && this.filledQty < this.qty;
  }

  /** It has reached the exchange and has not left it. */
  get isInBook(): boolean {
    return this.isOpen && !this.isAtGateway;
  }

  /** It has not left the broker: a cancel takes it back at any time. */
  get isAtGateway(): boolean {
    return this.pending?.kind === 'place' || this.pending?.kind === 'leg';
  }

  get source(): BrokerOrderSource {
    return SOURCES[this.origin];
  }
}

const PENDING = {
  leg: 'queued',
  place: 'queued',
  cancel: 'cancel_pending',
  change: 'modify_pending',
} as const;
const PENDING_MATCHED = { ...PENDING, cancel: 'matched_cancel_pending' } as const;

const SOURCES: Readonly<Record<OrderOrigin, BrokerOrderSource>> = {
  plain: 'user',
  bracket: 'user',
  arbitrage: 'user',
  foreign: 'user',
  stop: 'system',
  trailing_stop: 'system',
  exit: 'system',
  forced: 'forced',
};

function statusOf(order: VenueOrder): BrokerOrderStatus {
  const matched = order.filledQty > 0;
  if (order.canceledUs !== null) return matched ? 'matched_canceled' : 'canceled';
  if (order.filledQty === order.qty) return 'matched';
  if (order.pending === null) return matched ? 'matched' : order.modified ? 'modified' : 'resting';
  return matched ? PENDING_MATCHED[order.pending.kind] : PENDING[order.pending.kind];
}

/** The order as others see it. An order still in the gateway's queue can be canceled there at any time. */
export function orderReport(order: VenueOrder, phase: SessionPhase) {
  const open = order.isOpen;
  const editable = open && phase === 'continuous';
  return {
    accountId: order.accountId,
    day: order.day,
    orderNo: order.orderNo,
    orderKey: order.orderKey,
    refId: order.refId,
    orderCode: order.orderCode,
    side: order.side,
    qty: qty(order.qty),
    limitPrice: priceTicks(order.price),
    filledQty: qty(order.filledQty),
    filledValue: money(order.filledValue),
    fee: money(order.fee),
    tax: money(order.tax),
    status: statusOf(order),
    expired: order.expired,
    canCancel: order.isAtGateway ? open : editable && order.pending?.kind !== 'cancel',
    canModify: editable && (order.pending === null || order.pending.kind === 'leg'),
    source: order.source,
    origin: order.origin,
    bracket: order.bracket,
    leg: order.leg,
    placedUs: tsUs(order.placedUs),
    canceledUs: order.canceledUs === null ? null : tsUs(order.canceledUs),
    reason: order.reason,
  };
}

/** Of an order whose sender is not needed. */
export const sentNow = (decidedUs: number): OrderSender => ({
  owner: 0,
  triggerPrice: null,
  decidedUs,
  decidedMidTwice: 0,
});

/** A key has seven digits and does not restart with the day. */
const KEY_FIRST = 7_000_000;
const KEY_AFTER_LAST = 10_000_000;
const KEY_WRAPPED = 1_000_000;

const NONE_WORK: ReadonlyMap<OrderCode, WorkingQty> = new Map();

/** Orders of all accounts, by number, by account, and those that still work; and the broker's names for them. */
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
    for (const state of orders)
      this.#orders[state.tag] = Object.assign(Object.create(VenueOrder.prototype), state);
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
