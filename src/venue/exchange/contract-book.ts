/** A contract's book as the venue sees it: a market of orders, or a tape of recorded trades. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TsUs } from '../../domain/units.ts';
import type { BookView, Listing } from '../venue-event.ts';
import type { DayTally } from './settlement-price.ts';
import type { BookOrder } from './exchange.ts';
import type { QueuePlace, TapeExchangeState } from './tape-exchange.ts';

/** A user's order as the book sees it. Tags of users are above zero. */
export interface BookEntry extends BookOrder {
  readonly tag: number;
}

export interface OrderBook {
  /** Takes an order in: it trades as much as it can (not in an auction), the rest joins the end of its queue. */
  enter(order: BookEntry, at: TsUs): void;
  /** The order was given less quantity at its price: it keeps its place. */
  decrease(order: BookEntry): void;
  remove(order: BookEntry): void;
}

/** Receives the executions of users' orders where all orders of the market are in the book. */
export interface BookFills {
  onFill(tag: number, price: number, qty: number): void;
}

/** Plain data; of the auction that ended last, and the place of each order, by its tag. */
export interface TapeState extends TapeExchangeState {
  readonly source: 'opening' | 'closing';
  readonly queue: readonly (QueuePlace & Pick<BookEntry, 'tag'>)[];
}

export interface ContractBook extends OrderBook {
  listing: Listing;
  readonly tally: DayTally;
  /** Restores an order without matching, after a restart. */
  restore(order: BookEntry): void;
  /** Called after the phase changed, and for an auction that ended: after its cross. */
  setPhase(phase: SessionPhase, at: TsUs): void;
  uncross(source: 'opening' | 'closing', at: TsUs): void;
  /** The day is over: all orders are gone. */
  close(at: TsUs): void;
  /** Sends the changes since the last call. */
  publish(at: TsUs): void;
  view(): BookView;
  /** For a restart: the state beyond orders and trades, where it has one. */
  exportTape?(): TapeState;
  /** Restores that state, before the orders are restored. */
  importTape?(state: TapeState): void;
}
