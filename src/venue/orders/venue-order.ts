/** An order at the venue. Its status is derived from the facts, so that the two cannot disagree. */
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
} from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { money, priceTicks, qty, tsUs } from '../../domain/units.ts';
import type { Bracket, OrderOrigin, PlaceLimit } from '../venue-command.ts';

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

export const restoredOrder = (state: OrderState): VenueOrder =>
  Object.assign(Object.create(VenueOrder.prototype), state);

/** Of an order whose sender is not needed. */
export const sentNow = (decidedUs: number): OrderSender => ({
  owner: 0,
  triggerPrice: null,
  decidedUs,
  decidedMidTwice: 0,
});
