/** One order of ours, or one adopted from the broker's book: what is true of it, and what we have asked for. */
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import { type FillQuality, type OrderStatus, type Side, TERMINAL_STATUSES } from '../../domain/order.ts';
import {
  type InstrumentIndex,
  type Money,
  money,
  type PriceTicks,
  type Qty,
  qty,
  type StrategyIndex,
  type TsUs,
} from '../../domain/units.ts';
import type { Purpose } from '../ports/approved.ts';
import type { OrderUpdate } from '../ports/strategy-port.ts';
import type { OrderView } from '../risk-view.ts';
import type { Denial } from '../ports/denial.ts';
import type { WalkEvidence } from './walk-evidence.ts';

/** A modify or cancel that the book has not confirmed. */
export interface OpenCall {
  readonly callId: ClientOrderId;
  /** Terms a modify asks for; those of the order for a cancel. */
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  /** Decided in the tail that a kill cut off: it was never sent. */
  readonly isLost: boolean;
  readonly answer: 'none' | 'accepted' | 'unknown';
  /** Walks after the answer that show no trace of the call. */
  readonly evidence: WalkEvidence;
}

export interface OrderTerms {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks;
  readonly isAdopted: boolean;
  readonly isLost: boolean;
  readonly createdUs: TsUs;
}

export class OurOrder implements OrderView {
  readonly clientOrderId: ClientOrderId;
  readonly strategy: StrategyIndex;
  readonly purpose: Purpose;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly isAdopted: boolean;
  readonly createdUs: TsUs;
  /** Decided in the tail that a kill cut off: it was never sent. */
  readonly isLost: boolean;
  qty: Qty;
  limitPrice: PriceTicks;
  status: OrderStatus = 'submitting';
  orderNo: BrokerOrderNo | null = null;
  orderKey: BrokerOrderKey | null = null;
  filledQty: Qty = qty(0);
  filledValue: Money = money(0);
  fillQuality: FillQuality = 'exact';
  fee: Money = money(0);
  tax: Money = money(0);
  canCancel = true;
  canModify = true;
  /** The broker's words for a refusal, empty when none. */
  reason = '';
  /** When the walk began from which the row was last taken. */
  rowUs = -Infinity;
  openModify: OpenCall | null = null;
  openCancel: OpenCall | null = null;
  /** A cancel asked for before the order has a number, by its call id. */
  queuedCancel: ClientOrderId | null = null;
  /** Complete walks that did not show the order, while it should be in the book. */
  absence: WalkEvidence | null = null;
  /** Things that are said once an order. */
  readonly told = new Set<string>();

  constructor(terms: OrderTerms) {
    this.clientOrderId = terms.clientOrderId;
    this.strategy = terms.strategy;
    this.purpose = terms.purpose;
    this.instrument = terms.instrument;
    this.orderCode = terms.orderCode;
    this.side = terms.side;
    this.qty = terms.qty;
    this.limitPrice = terms.limitPrice;
    this.isAdopted = terms.isAdopted;
    this.isLost = terms.isLost;
    this.createdUs = terms.createdUs;
  }

  get isFinal(): boolean {
    return TERMINAL_STATUSES.has(this.status);
  }

  /** No number yet, and not final: to be looked for in the book. */
  get isUnresolved(): boolean {
    return this.orderNo === null && !this.isFinal;
  }

  get leavesQty(): Qty {
    return this.isFinal ? qty(0) : qty(Math.max(0, this.qty - this.filledQty));
  }

  get exposedQty(): Qty {
    if (this.isFinal) return qty(0);
    return qty(Math.max(0, Math.max(this.qty, this.openModify?.qty ?? 0) - this.filledQty));
  }

  get pendingPrice(): PriceTicks | null {
    return this.openModify?.limitPrice ?? null;
  }

  get cancelQueued(): boolean {
    return this.queuedCancel !== null;
  }

  /** Where a call that failed leads back to. */
  get statusBefore(): OrderStatus {
    if (this.openModify !== null) return 'pending_modify';
    return this.filledQty > 0 ? 'partially_filled' : 'accepted';
  }

  /** True the first time for each matter. */
  tellOnce(matter: string): boolean {
    if (this.told.has(matter)) return false;
    this.told.add(matter);
    return true;
  }

  update(lastFilledQty: number, lastFilledValue: number, denial: Denial | null): OrderUpdate {
    return {
      clientOrderId: this.clientOrderId,
      instrument: this.instrument,
      side: this.side,
      status: this.status,
      qty: this.qty,
      limitPrice: this.limitPrice,
      filledQty: this.filledQty,
      filledValue: this.filledValue,
      leavesQty: this.leavesQty,
      lastFilledQty: qty(lastFilledQty),
      lastFilledValue: money(lastFilledValue),
      denial,
      reason: this.reason,
    };
  }
}
