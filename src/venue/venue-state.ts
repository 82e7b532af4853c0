/** The venue's memory as plain JSON data: its part that survives a restart. The background's book is not part of it. */
import type { TradingDay } from '../domain/civil-date.ts';
import type { PriceHundredths } from '../domain/units.ts';
import type { AccountState } from './account/ledger.ts';
import type { TapeState } from './exchange/contract-book.ts';
import type { TallyState } from './exchange/day-tally.ts';
import type { OrderState } from './orders/venue-order.ts';
import type { TriggerOrderState } from './triggers/trigger-order.ts';
import type { Listing } from './venue-event.ts';

export interface VenueState {
  readonly atUs: number;
  readonly day: TradingDay;
  /** The day has its settlement prices. */
  readonly isClosed: boolean;
  readonly orderNoNext: number;
  readonly orderKeyNext: number;
  /** Commands passed to the exchange so far: orders those that arrive at one moment. */
  readonly commandsSent: number;
  readonly accounts: readonly AccountState[];
  readonly contracts: readonly ContractState[];
  readonly orders: readonly OrderState[];
  readonly triggerNoNext: number;
  /** Orders that wait for a trigger, and those that ended today, in order of entry. */
  readonly triggers: readonly TriggerOrderState[];
  /** Contracts that expire on or before this day were rolled by hand. */
  readonly rolledThrough: TradingDay | null;
}

/** How one contract ended a day. */
export interface Close {
  readonly price: PriceHundredths;
  /** Sessions in a row without a trade. */
  readonly untradedDays: number;
}

export interface ContractState {
  readonly listing: Listing;
  /** Its latest settlement; null before the first. */
  readonly close: Close | null;
  readonly tally: TallyState;
  /** State inferred from recorded trades; null where everybody's orders are in the book. */
  readonly tape: TapeState | null;
}
