/** An order as the venue in process holds it: what was asked, what of it is done, and what the run wants to know of it later. */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import type { InstrumentIndex, StrategyIndex } from '../../domain/units.ts';
import type { Bracket } from '../../venue/conditions/bracket.ts';

export interface VenueOrderTerms {
  readonly orderNo: BrokerOrderNo;
  /** Null where nobody goes by it. */
  readonly orderKey: BrokerOrderKey | null;
  /** `system`: sent by an order that waited at the broker; `forced`: the broker closes a position. */
  readonly source: Extract<BrokerOrder['source'], 'user' | 'system' | 'forced'>;
  /** Of an order that a trigger sent. */
  readonly triggerPrice: number | null;
  /** Exits that what of it fills gets. */
  readonly bracket: Bracket | null;
  /** Null for an order that the broker sent. */
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
  readonly orderKey: BrokerOrderKey | null;
  readonly source: VenueOrderTerms['source'];
  readonly triggerPrice: number | null;
  readonly bracket: Bracket | null;
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
    this.orderKey = terms.orderKey;
    this.source = terms.source;
    this.triggerPrice = terms.triggerPrice;
    this.bracket = terms.bracket;
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
