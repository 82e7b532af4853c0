/** When a waiting order is sent: a stop at a touch, a trailing stop behind the best price since its activation, in favour only. */
import type { BrokerTriggerStatus } from '../../domain/broker-order.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import {
  type AccountId,
  brokerOrderKey,
  brokerOrderNo,
  type ClientOrderId,
  type OrderCode,
} from '../../domain/ids.ts';
import type { Side, TriggerWhen } from '../../domain/order.ts';
import { priceTicks, qty, tsUs } from '../../domain/units.ts';
import type { TriggerKind } from '../venue-command.ts';

export interface VenueTrigger {
  /** Side of the order that is sent. */
  readonly side: Side;
  readonly when: TriggerWhen;
  /** Null while a trailing stop is not activated. */
  price: number | null;
  readonly trailing: TrailingTrigger | null;
}

interface TrailingTrigger {
  activation: number;
  /** Ticks between the best price and the trigger. */
  readonly offset: number;
  best: number | null;
}

type TriggerStep = 'waits' | 'moves' | 'fires';

export const stopTrigger = (side: Side, when: TriggerWhen, price: number): VenueTrigger => ({
  side,
  when,
  price,
  trailing: null,
});

/** A sell protects a long position: it follows rising prices and fires when they fall. */
export const trailingTrigger = (side: Side, activation: number, offset: number): VenueTrigger => ({
  side,
  when: side === 'sell' ? 'at_or_below' : 'at_or_above',
  price: null,
  trailing: { activation, offset, best: null },
});

export function stepTrigger(trigger: VenueTrigger, traded: number): TriggerStep {
  const { trailing } = trigger;
  if (trigger.price !== null && touches(trigger.when, trigger.price, traded)) return 'fires';
  if (trailing === null || traded * favour(trigger.side) < followFrom(trigger, trailing)) return 'waits';
  trailing.best = traded;
  trigger.price = traded - favour(trigger.side) * trailing.offset;
  return 'moves';
}

/** The lowest price above and the highest below at which a trade does something. */
export function limitsOf(trigger: VenueTrigger): { readonly rise: number; readonly fall: number } {
  const { price, trailing, when, side } = trigger;
  let rise = Number.POSITIVE_INFINITY;
  let fall = Number.NEGATIVE_INFINITY;
  if (price !== null) {
    if (when === 'at_or_above') rise = price;
    else fall = price;
  }
  if (trailing !== null) {
    const follows = favour(side) * followFrom(trigger, trailing);
    if (side === 'sell') rise = Math.min(rise, follows);
    else fall = Math.max(fall, follows);
  }
  return { rise, fall };
}

const touches = (when: TriggerWhen, price: number, traded: number): boolean =>
  when === 'at_or_above' ? traded >= price : traded <= price;

/** Prices in favour of the protected position: rising for a sell. */
const favour = (side: Side): 1 | -1 => (side === 'sell' ? 1 : -1);

/** Where it begins to follow, or follows on; in the direction of its favour. */
const followFrom = ({ side }: VenueTrigger, { activation, best }: TrailingTrigger): number =>
  best === null ? favour(side) * activation : favour(side) * best + 1;

export interface TriggerOrder {
  readonly accountId: AccountId;
  readonly day: TradingDay;
  readonly orderNo: string;
  readonly orderKey: string;
  readonly refId: ClientOrderId | null;
  /** Inside the account, as in `OrderSender`. */
  readonly owner: number;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly kind: TriggerKind;
  /** Which half of a bracket this is; null for other kinds. */
  readonly half: 'stop_loss' | 'take_profit' | null;
  readonly parentOrderNo: string | null;
  /** Key of the order a bracket is attached to: numbers restart every day, keys do not. */
  readonly parentKey: string | null;
  /** Good till canceled: exits like the order that brought them. */
  readonly isGtc: boolean;
  readonly placedUs: number;
  readonly trigger: VenueTrigger;
  qty: number;
  /** Limit of the order it sends. */
  limitPrice: number;
  /** Contracts of the orders it sent so far. */
  sentQty: number;
  /** Orders of the in-day book that it sent. */
  children: readonly string[];
  status: Exclude<BrokerTriggerStatus, 'unrecognized'>;
  expired: boolean;
  activatedUs: number | null;
  canceledUs: number | null;
  reason: string;
  /** Triggered in the match that goes on, or its other half was: it ignores further trades. */
  suspended: boolean;
  /** Key of the other half of a bracket. */
  partnerKey: string | null;
}

/** Facts that an order begins with; the rest follows from its life. */
type TriggerTerms = Omit<TriggerOrder, keyof typeof NOTHING_HAPPENED>;

const NOTHING_HAPPENED = {
  sentQty: 0,
  children: [],
  status: 'pending',
  expired: false,
  activatedUs: null,
  canceledUs: null,
  reason: '',
  suspended: false,
  partnerKey: null,
} satisfies Partial<TriggerOrder>;

export const waitingOrder = (terms: TriggerTerms): TriggerOrder => ({ ...terms, ...NOTHING_HAPPENED });

export const isPending = ({ status }: TriggerOrder): boolean => status === 'pending';

/** A trailing stop that follows the market has left its activation price behind. */
export const hasFixedTrigger = ({ trigger }: TriggerOrder): boolean =>
  trigger.trailing !== null && trigger.trailing.best !== null;

/** The row as others see it. */
export function triggerReport(row: TriggerOrder) {
  const { price, when, trailing } = row.trigger;
  return {
    accountId: row.accountId,
    day: row.day,
    orderNo: brokerOrderNo(row.orderNo),
    orderKey: brokerOrderKey(row.orderKey),
    refId: row.refId,
    orderCode: row.orderCode,
    side: row.side,
    qty: qty(row.qty),
    limitPrice: priceTicks(row.limitPrice),
    kind: row.kind,
    half: row.half,
    triggerPrice: price === null ? null : priceTicks(price),
    triggerWhen: when,
    trailing: trailing && { activationPrice: priceTicks(trailing.activation), offset: trailing.offset },
    parentOrderNo: row.parentOrderNo === null ? null : brokerOrderNo(row.parentOrderNo),
    status: row.status,
    expired: row.expired,
    canCancel: isPending(row),
    sentQty: qty(row.sentQty),
    children: row.children.map(brokerOrderNo),
    placedUs: tsUs(row.placedUs),
    activatedUs: row.activatedUs === null ? null : tsUs(row.activatedUs),
    canceledUs: row.canceledUs === null ? null : tsUs(row.canceledUs),
    reason: row.reason,
  };
}

/** Called with a trade, or bid and ask of a quote, at which a trigger may move or fire. */
export type OnTouch = (orderCode: OrderCode, bid: number, ask: number) => void;

/** Keeps the prices of one contract between which no trigger moves or fires, so that a trade costs two comparisons. */
export class TriggerWatch {
  readonly orderCode: OrderCode;
  readonly #onTouch: OnTouch;
  #riseTo = Number.POSITIVE_INFINITY;
  #fallTo = Number.NEGATIVE_INFINITY;
  #hasTraded = false;

  constructor(orderCode: OrderCode, onTouch: OnTouch) {
    this.orderCode = orderCode;
    this.#onTouch = onTouch;
  }

  note(price: number): void {
    this.quote(price, price);
  }

  /** A row that buys uses the ask, one that sells the bid. */
  quote(bid: number, ask: number): void {
    this.#hasTraded = true;
    if (ask >= this.#riseTo || bid <= this.#fallTo) this.#onTouch(this.orderCode, bid, ask);
  }

  /** Nothing waits until the next `narrow`. */
  forget(): void {
    this.#riseTo = Number.POSITIVE_INFINITY;
    this.#fallTo = Number.NEGATIVE_INFINITY;
  }

  narrow(rise: number, fall: number): void {
    if (rise < this.#riseTo) this.#riseTo = rise;
    if (fall > this.#fallTo) this.#fallTo = fall;
  }

  /** Whether anything traded since this was last asked. */
  consumeTraded(): boolean {
    const traded = this.#hasTraded;
    this.#hasTraded = false;
    return traded;
  }
}
