/** Orders, positions and money as the broker reports them, in the trade's words. Made by `src/wire`, compared by the engine. */
import type { Costs } from './costs.ts';
import type { TradingDay } from './civil-date.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId, OrderCode } from './ids.ts';
import type { FillQuality, Side, TriggerWhen } from './order.ts';
import type { LookUpSettings } from './settings.ts';
import type { Money, PriceHundredths, PriceTicks, Qty, SignedQty, TsUs } from './units.ts';

/**
 * Status of a normal order in the in-day book (notes, 3): `queued` P/G, `resting` P/Y, `modify_pending` PC/G,
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
  /** Their costs, where the broker reports them with the order. */
  readonly costs?: Costs;
}

/** One row of the in-day book: an order at the exchange. */
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

/** The trigger of an order in the broker's trigger book. `exit` is one half of a bracket. */
export type BrokerTriggerKind = 'stop' | 'trailing_stop' | 'exit' | 'arbitrage' | 'unrecognized';

/** Status in the trigger book; its letters are not those of the in-day book. */
export type BrokerTriggerStatus = 'pending' | 'activated' | 'canceled' | 'rejected' | 'unrecognized';

/** One row of the trigger book: an order that waits for a price or for another order's fill. */
export interface BrokerTriggerOrder {
  readonly orderNo: BrokerOrderNo;
  readonly orderKey: BrokerOrderKey;
  readonly orderCode: OrderCode;
  readonly side: Side;
  readonly qty: Qty;
  readonly limitPrice: PriceTicks | null;
  readonly kind: BrokerTriggerKind;
  readonly triggerPrice: PriceTicks | null;
  readonly triggerWhen: TriggerWhen | null;
  readonly status: BrokerTriggerStatus;
  /** The broker's own letters, for the journal. */
  readonly statusText: string;
  /** Orders of the in-day book that it made when it triggered. */
  readonly children: readonly BrokerOrderNo[];
  /** The order of the in-day book that an exit protects; null when the row does not say. */
  readonly parent: BrokerOrderNo | null;
  /** The last day on which it can trigger; absent when the row does not say. */
  readonly lastDay?: TradingDay;
}

/** The letters say that it is over; the rest of the row may deny it. */
export const isCanceled = ({ status }: Pick<BrokerOrder, 'status'>): boolean =>
  status === 'canceled' || status === 'matched_canceled';

/** Whether it can still fill or trigger (rulings, 11): matched volume wins, letters end no order that can be canceled, unknown ones none. */
export function mayWork(row: BrokerOrder | BrokerTriggerOrder): boolean {
  if ('kind' in row) return row.status === 'pending' || row.status === 'unrecognized';
  return row.filledQty < row.qty && (row.canCancel || !isCanceled(row));
}

/** Letters that the matched volume contradicts. */
const LETTERS_CONTRADICTED: Readonly<Record<BrokerOrderStatus, (filled: number, total: number) => boolean>> =
  {
    queued: (filled) => filled > 0,
    resting: (filled) => filled > 0,
    modify_pending: (filled, total) => filled === total,
    modified: (filled, total) => filled === total,
    cancel_pending: (filled, total) => filled === total,
    canceled: (filled, total) => filled === total,
    matched: (filled) => filled === 0,
    matched_cancel_pending: (filled) => filled === 0,
    matched_canceled: (filled, total) => filled === 0 || filled === total,
    unrecognized: () => false,
  };

export const isDisagreeing = ({ status, filledQty, qty }: BrokerOrder): boolean =>
  filledQty > qty || (qty > 0 && LETTERS_CONTRADICTED[status](filledQty, qty));

export interface BrokerPosition {
  readonly orderCode: OrderCode;
  readonly qty: SignedQty;
  readonly lastPrice: PriceHundredths | null;
  /** Open profit as the broker computes it, when given. */
  readonly openProfit: Money | null;
}

/** By code, the long contracts less the short ones. */
export function netsOf(
  positions: readonly Pick<BrokerPosition, 'orderCode' | 'qty'>[],
): ReadonlyMap<string, number> {
  const nets = new Map<string, number>();
  for (const { orderCode, qty } of positions) nets.set(orderCode, (nets.get(orderCode) ?? 0) + qty);
  return nets;
}

/** Money and margin of the derivative sub-account (notes, 5). */
export interface BrokerAccount {
  /** Cash after the fees and tax the broker has collected. */
  readonly cash: Money;
  readonly netAssetValue: Money;
  readonly initialMargin: Money;
  /** Initial margin, a loss of the day, and its costs until they are taken: above zero while flat. */
  readonly requiredMargin: Money;
  /** Money that new positions may still use. */
  readonly buyingPower: Money;
  /** Profit or loss of the day, open and closed, before costs. */
  readonly profit: Money;
  /** Fees and tax of the day that were charged and not yet taken from cash. */
  readonly uncollected: Money;
  /** For the day; null when the answer does not say. */
  readonly fee: Money | null;
  readonly tax: Money | null;
  /** Cash that may be taken out; null when the answer does not say. */
  readonly withdrawable: Money | null;
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

/** The outcome of one call that moves an order or money (rulings, 7). */
export type CallOutcome =
  | { readonly status: 'accepted'; readonly orderNo: BrokerOrderNo; readonly orderKey: BrokerOrderKey | null }
  | { readonly status: 'rejected'; readonly code: string; readonly text: string }
  | { readonly status: 'unknown'; readonly reason: string }
  | { readonly status: 'not_sent'; readonly reason: string };

export type FailedCall = Exclude<CallOutcome, { readonly status: 'accepted' }>;

export const failureOfCall = (outcome: FailedCall): string =>
  outcome.status === 'rejected' ? `${outcome.code} ${outcome.text}`.trim() : outcome.reason;

/** Contracts of one code and side that were closed today. */
export interface BrokerClosedPosition {
  readonly orderCode: OrderCode;
  readonly side: Side;
  /** Contracts closed, and closed plus still open; null when the answer does not say. */
  readonly closedQty: Qty | null;
  readonly totalQty: Qty | null;
  /** Averages to the nearest hundredth of a point, for display: money is in the profits. */
  readonly averageOpen: PriceHundredths | null;
  readonly averageClose: PriceHundredths | null;
  readonly fee: Money;
  readonly tax: Money;
  /** Before fee and tax. */
  readonly closedProfit: Money;
  readonly openProfit: Money;
  /** When the last of it was closed, in the broker's words; empty when it does not say. */
  readonly time: string;
}

/** Sums over all contracts. */
export type ClosedTotal = Pick<BrokerClosedPosition, 'fee' | 'tax' | 'closedProfit' | 'openProfit'>;

/** The outcome of a call that moves money or stock orders (rulings, 7). Never sent twice: money calls have no id of ours. */
export type CallReceipt =
  /** `transactionId` is the broker's, null where it gives none. */
  { readonly status: 'accepted'; readonly transactionId: string | null } | FailedCall;

// The stock side of a client: shares, cash and loan packages of a normal or margin sub-account.

export interface StockHolding {
  readonly symbol: string;
  readonly qty: Qty;
  /** Shares that may be sold now; null when the answer does not say. */
  readonly availableQty: Qty | null;
  /** VND a share, to the nearest. */
  readonly averagePrice: Money | null;
  readonly marketValue: Money | null;
}

/** Cash of one sub-account; whole VND. Null where the answer has no figure. */
export interface CashBalance {
  readonly accountNo: string;
  readonly cash: Money;
  readonly balance: Money | null;
  readonly withdrawable: Money | null;
  /** Held for stock bought and not yet settled. */
  readonly buying: Money | null;
  readonly blocked: Money | null;
  /** Money for purchases without a loan. */
  readonly purchasingPower: Money | null;
}

/** A supplementary loan package of a margin account. */
interface LoanPackage {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  /** VND. */
  readonly subscriptionFee: Money | null;
  readonly status: string;
}

/** A package with tiers of interest ("T+"). */
interface TieredPackage {
  readonly id: number;
  readonly name: string;
  /** As the broker writes it: the unit is not documented. */
  readonly firstRate: number | null;
  readonly status: string;
}

export interface LoanPackages {
  readonly packages: readonly LoanPackage[];
  readonly tiered: readonly TieredPackage[];
}

/**
 * Counts complete scans of a book that agree on something: enough of them, over enough time, are evidence (rulings, 8). Scans
 * within half of their even distance count once: right after a call several say no more than one, as it may still be on its way.
 */
export class ScanEvidence {
  readonly #sinceUs: TsUs;
  #scans = 0;
  #firstUs = 0;
  #lastUs = 0;

  /** Only scans that began after `sinceUs` say anything. */
  constructor(sinceUs: TsUs) {
    this.#sinceUs = sinceUs;
  }

  get scans(): number {
    return this.#scans;
  }

  add(startedUs: TsUs, { scans, spread }: LookUpSettings): void {
    if (startedUs <= this.#sinceUs) return;
    if (this.#scans > 0 && startedUs - this.#lastUs < Math.max(1, spread / (scans - 1) / 2)) return;
    if (this.#scans === 0) this.#firstUs = startedUs;
    this.#lastUs = startedUs;
    this.#scans += 1;
  }

  isEnough(settings: LookUpSettings): boolean {
    return this.#scans >= settings.scans && this.#lastUs - this.#firstUs >= settings.spread;
  }
}
