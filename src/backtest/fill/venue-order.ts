/** An order as the venue in process holds it: what was asked, what of it is done, and what the run wants to know of it later. */
import type { BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { InstrumentIndex, StrategyIndex } from '../../domain/units.ts';

export interface VenueOrderTerms {
  readonly orderNo: BrokerOrderNo;
  /** Null for an order of the broker's own, which closes a position. */
  readonly clientOrderId: ClientOrderId | null;
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: number;
  /** Worst price that is accepted. */
  readonly price: number;
  readonly decidedUs: number;
  readonly decidedMidTwice: number;
}

export class VenueOrder {
  readonly orderNo: BrokerOrderNo;
  readonly clientOrderId: ClientOrderId | null;
  readonly strategy: StrategyIndex;
  readonly instrument: InstrumentIndex;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly decidedUs: number;
  readonly decidedMidTwice: number;
  qty: number;
  price: number;
  filledQty = 0;
  filledValue = 0;
  /** Charged so far: functions of what is filled, so that a later fill is charged the difference. */
  fee = 0;
  tax = 0;
  isOpen = true;
  /** It ended with its day, not by a cancel. */
  isExpired = false;
  /** Something of it has changed that nobody was told. */
  isUntold = false;

  constructor(terms: VenueOrderTerms) {
    this.orderNo = terms.orderNo;
    this.clientOrderId = terms.clientOrderId;
    this.strategy = terms.strategy;
    this.instrument = terms.instrument;
    this.orderCode = terms.orderCode;
    this.side = terms.side;
    this.decidedUs = terms.decidedUs;
    this.decidedMidTwice = terms.decidedMidTwice;
    this.qty = terms.qty;
    this.price = terms.price;
  }

  get leavesQty(): number {
    return this.qty - this.filledQty;
  }
}
