/** What the broker says of orders, positions and money, in the trade's words. Made by `src/wire`, compared by the engine. */
import type { TradingDay } from './civil-date.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from './ids.ts';
import type { FillQuality, Side } from './order.ts';
import type { Money, PriceHundredths, PriceTicks, Qty, SignedQty } from './units.ts';

/**
 * Status of a normal order in the in-day book (notes, section 3): `queued` P/G, `resting` P/Y, `modify_pending` PC/G,
 * `modified` PC/Y, `cancel_pending` PW, `canceled` PWX and any other ...X, `matched` PM, `matched_cancel_pending` PMW,
 * `matched_canceled` PMWX. `unrecognized` is an alert and an unresolved order, never a guess.
 */
export type BrokerOrderStatus =
  | 'queued'
  | 'resting'
  | 'modify_pending'
  | 'modified'
  | 'cancel_pending'
  | 'canceled'
  | 'matched'
  | 'matched_cancel_pending'
  | 'matched_canceled'
  | 'unrecognized';

/** `system` is a child of a conditional order, `forced` a close by the broker; `unstated` when the answer does not say. */
export type BrokerOrderSource = 'user' | 'system' | 'forced' | 'unstated';

/** Cumulative money of an order's fills, and how sure it is; absent when the answer has no figure. */
export interface FilledValue {
  readonly value: Money;
  readonly quality: Exclude<FillQuality, 'estimated'>;
}

/** One row of the in-day book. */
export interface BrokerOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey | null;
  readonly refId: ClientOrderId | null;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  /** Null for an order without a price (market to limit). */
  readonly limitPrice: PriceTicks | null;
  readonly filledQty: Qty;
  readonly filledValue: FilledValue | null;
  readonly status: BrokerOrderStatus;
  /** The broker's own letters, for the journal. */
  readonly statusText: string;
  readonly canCancel: boolean;
  readonly canModify: boolean;
  readonly source: BrokerOrderSource;
  /** The broker's reason for a refusal, empty when none. */
  readonly reason: string;
}

/** One open position. */
export interface BrokerPosition {
  readonly orderCode: OrderCode;
  readonly qty: SignedQty;
  readonly lastPrice: PriceHundredths | null;
  /** Open profit as the broker computes it, when it says. */
  readonly openProfit: Money | null;
}

/** Money and margin of the derivative sub-account (notes, section 5). */
export interface BrokerAccount {
  /** Cash after the fees and tax the broker has collected. */
  readonly cash: Money;
  readonly netAssetValue: Money;
  readonly initialMargin: Money;
  readonly requiredMargin: Money;
  /** What new positions may still use. */
  readonly buyingPower: Money;
  /** Profit or loss of the day, open and closed, before costs. */
  readonly profit: Money;
  /** Fees and tax of the day that were charged and not yet taken from cash. */
  readonly uncollected: Money;
  readonly fee: Money;
  readonly tax: Money;
  /** Required margin / margin assets, in parts of 10,000. */
  readonly usageBps: number;
}

/** Ceiling, floor, reference and last price of one contract, by REST. */
export interface ContractQuote {
  readonly orderCode: OrderCode;
  readonly ceiling: PriceTicks | null;
  readonly floor: PriceTicks | null;
  readonly reference: PriceHundredths | null;
  readonly lastPrice: PriceTicks | null;
  readonly expiry: TradingDay | null;
}

/** What became of one call that moves an order or money (rulings, 7). */
export type CallOutcome =
  | { readonly status: 'accepted'; readonly orderNo: BrokerOrderNo; readonly orderKey: BrokerOrderKey | null }
  | { readonly status: 'rejected'; readonly code: string; readonly text: string }
  | { readonly status: 'unknown'; readonly reason: string }
  | { readonly status: 'not_sent'; readonly reason: string };
