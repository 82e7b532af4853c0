/** What the order desk needs of a contract's book, whoever fills it: a market of orders, or a tape of recorded trades. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { Side } from '../../domain/order.ts';
import type { TsUs } from '../../domain/units.ts';
import type { DayTally } from './day-tally.ts';
import type { FillClause } from './fill-clause.ts';
import type { BookView } from './ticker.ts';
import type { Listing } from '../venue-event.ts';
import type { TapeState } from '../venue-state.ts';

/** A user's order as the book sees it. Tags of users are above zero. */
export interface BookEntry {
  readonly tag: number;
  readonly side: Side;
  readonly price: number;
  readonly qty: number;
}

/** Hears of the executions of users' orders; `clause` is null where everybody's orders stand in the book. */
export interface BookFills {
  onFill(tag: number, price: number, qty: number, clause: FillClause | null, at: TsUs): void;
}

export interface ContractBook {
  readonly listing: Listing;
  readonly tally: DayTally;
  /** Its place in the list changed. */
  relist(listing: Listing): void;
  /** Lets an order in: it trades what it can (not in an auction), the rest stands at the end of its queue. */
  enter(entry: BookEntry, at: TsUs): void;
  /** Stands an order without matching, after a restart. */
  stand(entry: BookEntry): void;
  /** Lowers what an order has left; it keeps its place. */
  decrease(tag: number, leaves: number, at: TsUs): void;
  remove(tag: number, at: TsUs): void;
  /** Called after the phase changed, and for an auction that ended: after its cross. */
  setPhase(phase: SessionPhase, at: TsUs): void;
  /** Ends an auction. */
  uncross(source: 'opening' | 'closing', at: TsUs): void;
  /** The day is over: nothing stands any more. */
  close(at: TsUs): void;
  /** Sends what changed since the last call. */
  publish(at: TsUs): void;
  view(): BookView;
  /** What the book knows beyond its orders and trades, for a restart. */
  exportTape(): TapeState | null;
  /** Takes it back; before the orders stand again. */
  recallTape(state: TapeState): void;
}
