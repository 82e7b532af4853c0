/** Calls that may be sent. Only `src/engine/risk` makes these, and a replay from those that the journal holds. */
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side, Trigger } from '../../domain/order.ts';
import type { Brand, InstrumentIndex, PriceTicks, Qty, Seq, StrategyIndex } from '../../domain/units.ts';

/** Whether an order can only shrink a proven position (rulings, 36). Reductions go before entries. */
export type Purpose = 'entry' | 'reduce';

export interface OrderToSend {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  /** Our own books say that it can only shrink its owner's position: true of every `reduce`, and of a stop that no read has proven yet. */
  readonly shrinks: boolean;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** Null for a limit order. */
  readonly trigger: Trigger | null;
  /** The event that led to it. */
  readonly cause: Seq;
  /** Absent is that of the market. */
  readonly timeInForce?: 'gtc';
}

export interface ModifyToSend {
  readonly callId: ClientOrderId;
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  readonly orderNo: BrokerOrderNo;
  /** The broker identifies an order that waits for its trigger by it; null for one at the exchange. */
  readonly orderKey: BrokerOrderKey | null;
  readonly orderCode: OrderCode;
  /** New total quantity (rulings, 10) and price; an unchanged one repeats the old value. */
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** Where an order that waits is to trigger, of a trailing stop its activation price; null for an order at the exchange. */
  readonly triggerPrice: PriceTicks | null;
  readonly cause: Seq;
}

export type CancelToSend = Omit<ModifyToSend, 'purpose' | 'qty' | 'limitPrice' | 'triggerPrice'>;

export type ApprovedOrder = Brand<OrderToSend, 'ApprovedOrder'>;
export type ApprovedModify = Brand<ModifyToSend, 'ApprovedModify'>;
export type ApprovedCancel = Brand<CancelToSend, 'ApprovedCancel'>;
