/** Messages of the venue: the price stream, and changes of orders, positions and money. */
import type { SessionPhase } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { Contract, PriceBand } from '../domain/contract.ts';
import type { AccountId, OrderCode } from '../domain/ids.ts';
import type { Side } from '../domain/order.ts';
import type { BookLevel } from '../domain/ticks.ts';
import type { Money, PriceHundredths, PriceTicks, Qty, TsUs } from '../domain/units.ts';
import type { FillClause } from './exchange/fill-models.ts';
import type { orderReport } from './orders/venue-order.ts';
import type { triggerReport } from './triggers/trigger.ts';
import type { Refusal } from './venue-command.ts';

export type VenueEvent =
  | MarketMessage
  | OrderMessage
  | TriggerMessage
  | FillMessage
  | CashMessage
  | MarginMessage
  | SessionMessage;

export type MarketMessage = TradeMessage | BookMessage | SummaryMessage;

interface ContractMessage {
  readonly tsUs: TsUs;
  readonly orderCode: OrderCode;
}

/** `totalVolume` of one contract and day is a chain: the one before plus `qty`. */
export interface TradeMessage extends ContractMessage {
  readonly kind: 'trade';
  readonly price: PriceTicks;
  readonly qty: Qty;
  readonly totalVolume: number;
  /** Null in an auction. */
  readonly aggressor: Side | null;
}

export interface BookView {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** Levels are guessed from the aggressor of recorded trades, not seen. */
  readonly inferred: boolean;
  /** In an auction: the expected surplus after the cross, and its price. */
  readonly auctionPrice: PriceTicks | null;
}

/** The three best levels of both sides, sent when one of them changed. */
export interface BookMessage extends ContractMessage, BookView {
  readonly kind: 'book';
  /** Which sides differ from the message before. */
  readonly bidsChanged: boolean;
  readonly asksChanged: boolean;
}

interface SummaryMessage extends ContractMessage {
  readonly kind: 'summary';
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  /** Value / volume of the day, to the nearest hundredth. */
  readonly average: PriceHundredths;
}

/** One order of today, whole, after each change of any field. */
export type OrderReport = Readonly<ReturnType<typeof orderReport>>;

interface OrderMessage {
  readonly kind: 'order';
  readonly tsUs: TsUs;
  readonly order: OrderReport;
}

/** One row of the trigger book, whole, after each change of any field. */
export type TriggerReport = Readonly<ReturnType<typeof triggerReport>>;

interface TriggerMessage {
  readonly kind: 'trigger';
  readonly tsUs: TsUs;
  readonly trigger: TriggerReport;
}

/** The answer to one command, with the messages it caused at once. */
export type VenueOutcome<Shown> =
  | (Shown & { readonly status: 'accepted'; readonly events: readonly VenueEvent[] })
  | { readonly status: 'refused'; readonly refusal: Refusal; readonly events: readonly VenueEvent[] };

export type CommandOutcome = VenueOutcome<{ readonly order: OrderReport }>;
export type TriggerOutcome = VenueOutcome<{ readonly trigger: TriggerReport }>;
/** Of a deposit, a withdrawal, or an intervention that has no order to show. */
export type CashOutcome = VenueOutcome<object>;

/** One execution of a user's order. The order's new row follows in an `order` message. */
export interface FillMessage extends Pick<
  OrderReport,
  'accountId' | 'orderNo' | 'orderKey' | 'orderCode' | 'side' | 'filledQty' | 'filledValue'
> {
  readonly kind: 'fill';
  readonly tsUs: TsUs;
  readonly price: PriceTicks;
  readonly qty: Qty;
  /** Cause of a fill over a tape; null where everybody's orders are in the book. */
  readonly clause: FillClause | null;
}

/** Cash moved. Within a day profit, fees and tax only accrue; they reach cash when the day is settled. */
export interface CashMessage {
  readonly kind: 'cash';
  readonly tsUs: TsUs;
  readonly accountId: AccountId;
  readonly reason: 'daily_profit' | 'final_settlement' | 'fee' | 'tax' | 'deposit' | 'withdrawal';
  /** With a sign: below zero leaves the account. */
  readonly amount: Money;
  readonly cash: Money;
  /** The contract of a profit or settlement. */
  readonly orderCode: OrderCode | null;
}

/** An account's level against the broker's ratios; sent when it changes. */
export type MarginLevel = 'sound' | 'no_entry' | 'warned' | 'forced_close';

interface MarginMessage {
  readonly kind: 'margin_level';
  readonly tsUs: TsUs;
  readonly accountId: AccountId;
  readonly level: MarginLevel;
  readonly usageBps: number;
}

type SessionMessage = { readonly tsUs: TsUs; readonly day: TradingDay } & (
  | {
      /** `day_started`: all listed, and order numbers restart. `listings_changed`: the contract was rolled by hand. */
      readonly kind: 'day_started' | 'listings_changed';
      readonly listings: readonly Listing[];
    }
  | { readonly kind: 'phase'; readonly phase: SessionPhase }
  | {
      /** Daily settlement price: next day's reference. */
      readonly kind: 'settlement_price';
      readonly orderCode: OrderCode;
      readonly price: PriceHundredths;
      readonly final: boolean;
    }
  | { readonly kind: 'contract_expired'; readonly orderCode: OrderCode }
);

export interface Listing {
  readonly contract: Contract;
  readonly band: PriceBand;
  /** Absent is no: an order has a limit inside the band. */
  readonly takesMarketOrders?: boolean;
}

const NO_EVENTS: readonly VenueEvent[] = [];

/** All messages of the venue, in the order it happened. */
export class Outbox {
  #events: VenueEvent[] = [];

  emit(event: VenueEvent): void {
    this.#events.push(event);
  }

  drain(): readonly VenueEvent[] {
    if (this.#events.length === 0) return NO_EVENTS;
    const taken = this.#events;
    this.#events = [];
    return taken;
  }
}
