/** What may leave the house. Only `src/engine/risk` makes these (house rule 6). */
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side, Trigger } from '../../domain/order.ts';
import type { Brand, InstrumentIndex, PriceTicks, Qty, Seq, StrategyIndex } from '../../domain/units.ts';

/** Whether an order can only shrink a proven position (rulings, 36). Reductions go before entries. */
export type Purpose = 'entry' | 'reduce';

interface OrderToSend {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** The event that led to it. */
  readonly cause: Seq;
}

interface ModifyToSend {
  /** `refId` of this call. */
  readonly callId: ClientOrderId;
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  readonly orderNo: BrokerOrderNo;
  readonly orderCode: OrderCode;
  /** New total quantity (rulings, 10) and price; one of them repeats the old value. */
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly cause: Seq;
}

interface CancelToSend {
  readonly callId: ClientOrderId;
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly orderNo: BrokerOrderNo;
  readonly orderCode: OrderCode;
  readonly cause: Seq;
}

/**
 * An order that waits at the broker, or brings exits with it. Of a bracket and an arbitrage order it is a normal place with
 * terms; of stops an operation of its own.
 */
interface ConditionToSend extends OrderToSend {
  readonly condition: Trigger;
}

/** Moves the trigger of an order in the conditional book; quantity and limit repeat what stands (rulings, 13). */
interface TriggerMoveToSend extends ModifyToSend {
  /** The broker goes by it there. */
  readonly orderKey: BrokerOrderKey;
  /** Of a trailing stop: its activation price. */
  readonly triggerPrice: PriceTicks;
}

/** Takes an order out of the conditional book. */
interface ConditionCancelToSend extends CancelToSend {
  readonly orderKey: BrokerOrderKey;
}

export type ApprovedOrder = Brand<OrderToSend, 'ApprovedOrder'>;
export type ApprovedModify = Brand<ModifyToSend, 'ApprovedModify'>;
export type ApprovedCancel = Brand<CancelToSend, 'ApprovedCancel'>;
export type ApprovedCondition = Brand<ConditionToSend, 'ApprovedCondition'>;
export type ApprovedTriggerMove = Brand<TriggerMoveToSend, 'ApprovedTriggerMove'>;
export type ApprovedConditionCancel = Brand<ConditionCancelToSend, 'ApprovedConditionCancel'>;
export type {
  CancelToSend,
  ConditionCancelToSend,
  ConditionToSend,
  ModifyToSend,
  OrderToSend,
  TriggerMoveToSend,
};
