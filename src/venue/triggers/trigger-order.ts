/** An order that waits for its trigger, as the trigger book keeps it. */
import type { TradingDay } from '../../domain/civil-date.ts';
import {
  type AccountId,
  brokerOrderKey,
  brokerOrderNo,
  type ClientOrderId,
  type OrderCode,
} from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { priceTicks, qty, tsUs } from '../../domain/units.ts';
import type { Trailing, TriggerKind, TriggerReport, TriggerStatus } from '../venue-event.ts';
import type { VenueTrigger } from './trigger.ts';

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
  readonly half: TriggerReport['half'];
  readonly parentOrderNo: string | null;
  /** Key of the order a bracket is attached to: numbers restart every day, keys do not. */
  readonly parentKey: string | null;
  /** Good till canceled: exits like the order that brought them. */
  readonly isGtc: boolean;
  readonly placedUs: number;
  readonly trigger: VenueTrigger;
  qty: number;
  limitPrice: number;
  sentQty: number;
  children: readonly string[];
  status: TriggerStatus;
  expired: boolean;
  activatedUs: number | null;
  canceledUs: number | null;
  reason: string;
  /** Triggered in the match that goes on, or its other half was: it ignores further trades. */
  suspended: boolean;
  /** The other half of a bracket. */
  partner: TriggerOrder | null;
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
  partner: null,
} satisfies Partial<TriggerOrder>;

export const waitingOrder = (terms: TriggerTerms): TriggerOrder => ({ ...terms, ...NOTHING_HAPPENED });

export const isPending = ({ status }: TriggerOrder): boolean => status === 'pending';

/** A trailing stop that follows the market has left its activation price behind. */
export const hasFixedTrigger = ({ trigger }: TriggerOrder): boolean =>
  trigger.trailing !== null && trigger.trailing.best !== null;

export function triggerReport(row: TriggerOrder): TriggerReport {
  const { price, when } = row.trigger;
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
    trailing: trailingOf(row.trigger),
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

const trailingOf = ({ trailing }: VenueTrigger): Trailing | null =>
  trailing && { activationPrice: priceTicks(trailing.activation), offset: trailing.offset };

/** Plain data; its partner by key. */
export interface TriggerOrderState extends Omit<TriggerOrder, 'partner' | 'suspended'> {
  readonly partnerKey: string | null;
}

export function triggerState({ partner, suspended: _suspended, ...row }: TriggerOrder): TriggerOrderState {
  return { ...row, trigger: copied(row.trigger), partnerKey: partner?.orderKey ?? null };
}

/** Its partner is found by the store, which knows the others. */
export const restoredTrigger = ({ partnerKey: _partnerKey, ...row }: TriggerOrderState): TriggerOrder => ({
  ...row,
  trigger: copied(row.trigger),
  suspended: false,
  partner: null,
});

const copied = (trigger: VenueTrigger): VenueTrigger => ({
  ...trigger,
  trailing: trigger.trailing && { ...trigger.trailing },
});
