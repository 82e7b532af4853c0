/**
 * Orders that wait at the broker for a price, or for another order's fill (contract, 2.4 and 4.3; rulings, 13): what may be
 * asked for, and what the broker says of them. A triggered order sends a limit order; nothing here is ever a market order.
 */
import type { BrokerOrderKey, BrokerOrderNo, OrderCode } from './ids.ts';
import type { Side } from './side.ts';
import type { InstrumentIndex, PriceTicks, Qty } from './units.ts';

/** Which way the market has to come to the trigger price. Touching it is enough. */
export type TriggerWhen = 'at_or_above' | 'at_or_below';

interface ConditionalHead {
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly qty: Qty;
  /** Limit of the order that is sent once it triggers: the worst price that is still acceptable. */
  readonly limitPrice: PriceTicks;
  /** Free text for the journal: why the strategy wants it. */
  readonly reason: string;
}

export interface StopIntent extends ConditionalHead {
  readonly kind: 'stop';
  readonly triggerPrice: PriceTicks;
  readonly triggerWhen: TriggerWhen;
  /** Refused where it could do more than shrink the position that was read last (rulings, 14); absent is no. */
  readonly reduceOnly?: boolean;
}

/** Begins to follow the market once a trade touches `activationPrice`, then moves only in favour. */
export interface TrailingStopIntent extends ConditionalHead {
  readonly kind: 'trailing_stop';
  readonly activationPrice: PriceTicks;
  /** Ticks between the best price since the activation and the trigger; one or more. */
  readonly trailingOffset: number;
  /** As of a stop. */
  readonly reduceOnly?: boolean;
}

/** A limit order with a stop-loss and a take-profit for what of it fills; one cancels the other. */
export interface BracketIntent extends ConditionalHead {
  readonly kind: 'bracket';
  readonly stopLossPrice: PriceTicks;
  readonly takeProfitPrice: PriceTicks;
}

/** A limit order that is placed when our order in the other contract fills. */
export interface ArbitrageIntent extends ConditionalHead {
  readonly kind: 'arbitrage';
  readonly leg: InstrumentIndex;
}

export type ConditionalIntent = StopIntent | TrailingStopIntent | BracketIntent | ArbitrageIntent;

/** What an order waits for, or brings with it. */
export type OrderCondition =
  | Pick<StopIntent, 'kind' | 'triggerPrice' | 'triggerWhen'>
  | Pick<TrailingStopIntent, 'kind' | 'activationPrice' | 'trailingOffset'>
  | Pick<BracketIntent, 'kind' | 'stopLossPrice' | 'takeProfitPrice'>
  /** `legCode` is what leaves the house for `leg`. */
  | (Pick<ArbitrageIntent, 'kind' | 'leg'> & { readonly legCode: OrderCode });

/** What kind of condition a row of the conditional book is. `exit` is one half of a bracket. */
export type BrokerConditionKind = 'stop' | 'trailing_stop' | 'exit' | 'arbitrage' | 'unrecognized';

/** Status in the conditional book; its letters are not those of the in-day book (rulings, 12). */
export type BrokerConditionStatus = 'pending' | 'activated' | 'canceled' | 'rejected' | 'unrecognized';

/** One row of the conditional book. */
export interface BrokerConditionalOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks | null;
  readonly kind: BrokerConditionKind;
  readonly triggerPrice: PriceTicks | null;
  readonly triggerWhen: TriggerWhen | null;
  readonly status: BrokerConditionStatus;
  /** The broker's own letters, for the journal. */
  readonly statusText: string;
  /** Orders of the in-day book that it made when it triggered. */
  readonly children: readonly BrokerOrderNo[];
}
