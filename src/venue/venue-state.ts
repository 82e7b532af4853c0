/** The venue's memory as plain JSON data: its part that survives a restart. The background's book is not part of it. */
import type { Side } from '../domain/order.ts';
import type { MarginLevel, OrderReport, TriggerReport } from './venue-event.ts';

export interface VenueState {
  readonly atUs: number;
  readonly day: string;
  readonly orderNoNext: number;
  readonly orderKeyNext: number;
  /** Commands passed to the exchange so far: orders those that arrive at one moment. */
  readonly commandsSent: number;
  readonly accounts: readonly AccountState[];
  readonly contracts: readonly ContractState[];
  /** Today's orders of all accounts in order of entry. */
  readonly orders: readonly OrderState[];
  /** A stored name, like `conditions`: the broker's word for orders that wait. */
  readonly conditionNoNext: number;
  /** Orders that wait for a trigger, and those that ended today, in order of entry. */
  readonly conditions: readonly TriggerState[];
  /** Contracts that expire on or before this day were rolled by hand. */
  readonly rolledThrough: string | null;
}

export interface TriggerState {
  readonly condition: TriggerReport;
  /** Keys of the order it is attached to, and of the other half of its bracket. */
  readonly parentKey: string | null;
  readonly partnerKey: string | null;
}

export interface AccountState {
  readonly accountId: string;
  readonly subAccountId: string;
  readonly cash: number;
  /** Fee and tax accrued today, not yet collected. */
  readonly brokerFee: number;
  readonly exchangeFee: number;
  readonly clearingFee: number;
  readonly tax: number;
  /** As it was last said. */
  readonly level: MarginLevel;
  readonly positions: readonly PositionState[];
  readonly settled: readonly SettledState[];
}

/** A position that an expiry closed. */
export interface SettledState {
  readonly orderCode: string;
  readonly long: ClosedState;
  readonly short: ClosedState;
}

export interface PositionState {
  readonly orderCode: string;
  readonly qty: number;
  /** Against the entry. */
  readonly openValue: number;
  readonly realised: number;
  /** Against the last settlement. */
  readonly dayOpenValue: number;
  readonly dayRealised: number;
  readonly boughtQty: number;
  readonly boughtValue: number;
  readonly soldQty: number;
  readonly soldValue: number;
  /** Contracts closed today, by direction. */
  readonly closedLong: ClosedState;
  readonly closedShort: ClosedState;
}

/** Against the entry; costs of opening and closing trades. */
export interface ClosedState {
  readonly qty: number;
  readonly openValue: number;
  readonly closeValue: number;
  readonly fee: number;
  readonly tax: number;
  readonly lastUs: number;
}

export const NOTHING_CLOSED: ClosedState = {
  qty: 0,
  openValue: 0,
  closeValue: 0,
  fee: 0,
  tax: 0,
  lastUs: 0,
};

export interface ContractState {
  readonly orderCode: string;
  readonly streamCode: string;
  readonly expiry: string;
  readonly reference: number;
  readonly openInterest: number;
  /** Daily settlement price, once the day is closed. */
  readonly settlement: number | null;
  /** Sessions in a row without a trade before today. */
  readonly untradedDays: number;
  readonly tally: TallyState;
  /** State inferred from recorded trades; null where everybody's orders stand in the book. */
  readonly tape: TapeState | null;
}

export interface TapeState {
  readonly bid: TouchState;
  readonly ask: TouchState;
  readonly usualQty: number;
  readonly lastAggressor: Side;
  /** The book is known: orders met it. */
  readonly isSettled: boolean;
  /** The auction whose prints are still coming. */
  readonly crossing: CrossingState | null;
  readonly queue: readonly QueueState[];
}

export interface TouchState {
  readonly price: number | null;
  readonly qty: number;
  readonly printed: number;
}

export interface CrossingState {
  readonly source: 'opening' | 'closing';
  readonly untilUs: number;
  readonly price: number | null;
  readonly aggressor: Side | null;
}

/** Where a user's order stands over the tape; its name in the book is its number. */
export interface QueueState {
  readonly tag: number;
  readonly ahead: number;
  readonly takes: boolean;
  /** Stood when the last auction ended. */
  readonly isCarried: boolean;
}

/** Trades of today. Prices in ticks. */
export interface TallyState {
  readonly open: number | null;
  readonly high: number | null;
  readonly low: number | null;
  readonly lastPrice: number | null;
  readonly lastQty: number;
  readonly totalVolume: number;
  /** Sum of price times quantity. */
  readonly totalTickQty: number;
  /** Price of the closing auction, when there was one today. */
  readonly closePrice: number | null;
  /** The last half hour and the last trades: what the settlement price is made of. */
  readonly minutes: readonly MinuteState[];
  readonly tail: readonly TailTrade[];
}

export interface MinuteState {
  readonly minute: number;
  readonly trades: number;
  readonly qty: number;
  readonly tickQty: number;
}

export interface TailTrade {
  readonly price: number;
  readonly qty: number;
}

export interface OrderState {
  readonly order: OrderReport;
  readonly modified: boolean;
  /** Place in the queue: orders stand in the book again in this order. */
  readonly priority: number;
  readonly pending: PendingState | null;
}

/** A command on its way to the exchange. Commands due at the same moment arrive in order of `sentNo`. */
export type PendingState =
  | { readonly kind: 'place' | 'cancel'; readonly dueUs: number; readonly sentNo: number }
  | {
      readonly kind: 'change';
      readonly dueUs: number;
      readonly sentNo: number;
      readonly limitPrice: number;
      readonly qty: number;
    }
  /** Not sent yet: an arbitrage order waits for own fills in its leg, of which there were `filledQty` since it was placed. */
  | { readonly kind: 'leg'; readonly filledQty: number };
