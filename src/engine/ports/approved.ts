/** What may leave the house. Only `src/engine/risk` makes these (house rule 6). */
import type { BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
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

export type ApprovedOrder = Brand<OrderToSend, 'ApprovedOrder'>;
export type ApprovedModify = Brand<ModifyToSend, 'ApprovedModify'>;
export type ApprovedCancel = Brand<CancelToSend, 'ApprovedCancel'>;
export type { CancelToSend, ModifyToSend, OrderToSend };
