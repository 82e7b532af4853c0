/** An order that waits at the broker for a price, or for a fill in another contract, as the venue tells of it; and brackets. */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { BrokerTriggerKind, BrokerTriggerStatus } from '../../domain/broker-order.ts';
import type { AccountId, BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side, TriggerWhen } from '../../domain/order.ts';
import type { PriceTicks, Qty, TsUs } from '../../domain/units.ts';

export type TriggerKind = Exclude<BrokerTriggerKind, 'unrecognized'>;
export type TriggerStatus = Exclude<BrokerTriggerStatus, 'unrecognized'>;

/** One row of the trigger book, whole, after each change of any field. */
export interface TriggerReport {
  readonly accountId: AccountId;
  readonly day: TradingDay;
  /** The trigger book counts by itself, beside the in-day book. */
  readonly orderNo: BrokerOrderNo;
  /** Names it in a change and a cancel; shares its counter with the keys of orders. */
  readonly orderKey: BrokerOrderKey;
  readonly refId: ClientOrderId | null;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  /** Limit of the order it sends. */
  readonly limitPrice: PriceTicks;
  readonly kind: TriggerKind;
  /** Which half of a bracket this is; null for other kinds. */
  readonly half: 'stop_loss' | 'take_profit' | null;
  /** Where it triggers now: null for an arbitrage leg, and for a trailing stop that is not yet activated. */
  readonly triggerPrice: PriceTicks | null;
  readonly triggerWhen: TriggerWhen | null;
  readonly trailing: Trailing | null;
  /** The contract whose fills place an arbitrage order. */
  readonly leg: OrderCode | null;
  /** The order a bracket is attached to. */
  readonly parentOrderNo: BrokerOrderNo | null;
  readonly status: TriggerStatus;
  /** `canceled` by the end of its life, not by anybody. */
  readonly expired: boolean;
  readonly canCancel: boolean;
  readonly canChange: boolean;
  /** Contracts of the orders it sent so far. */
  readonly sentQty: Qty;
  /** Orders of the in-day book that it sent. */
  readonly children: readonly BrokerOrderNo[];
  readonly placedUs: TsUs;
  readonly activatedUs: TsUs | null;
  readonly canceledUs: TsUs | null;
  /** Why it was rejected when it triggered, or canceled by the venue; empty otherwise. */
  readonly reason: string;
}

export interface Trailing {
  readonly activationPrice: PriceTicks;
  /** Ticks between the best price and the trigger. */
  readonly offset: number;
  /** Best trade since the activation; null before it. */
  readonly bestPrice: PriceTicks | null;
}
