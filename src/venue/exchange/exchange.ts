/** One contract's market over recorded rows: its shown book, and the fills of our orders as the rows go by. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { Side } from '../../domain/order.ts';
import type { FillClause } from './fill-models.ts';
import type { Prints, Touch } from './shown-book.ts';

/** An order as the exchange sees it; its owner counts the fills. */
export interface BookOrder {
  readonly side: Side;
  /** Limit, ticks. */
  readonly price: number;
  readonly leavesQty: number;
  /** Where the trigger that sent it fired; null for any other order. */
  readonly triggerPrice: number | null;
  readonly decidedUs: number;
  /** The kind of order that sent it; a trailing stop may have a fill of its own. */
  readonly origin?: string;
}

/** Receives each execution at once, and adds it to the order before it returns. */
export interface FillSink<O extends BookOrder> {
  fill(order: O, price: number, qty: number, clause: FillClause): void;
}

export interface Exchange<O extends BookOrder = BookOrder> extends Readonly<Prints> {
  /** Between two rows the price ran through all prices between: an order filled on the way sees the rest of the way. */
  readonly isPath: boolean;
  /** Fills stay hidden before this moment: they would give away the path through an unfinished bar. */
  readonly silentUntilUs: number;
  /** Best prices as the model shows them; 0 where there is none. */
  readonly book: Readonly<Touch>;

  /** A trade above the one and below the other touches no order. */
  readonly buyLimit: number;
  readonly sellLimit: number;
  /** While true a row does nothing but show itself, unless its trade is outside these limits. */
  readonly isQuiet: boolean;

  /** The recording has come to this row. */
  row(row: number): void;
  /** The same while `isQuiet`, where the row's trade is inside the limits. */
  advance(row: number): void;
  setPhase(phase: SessionPhase, atUs: number): void;
  /** Takes an order in and fills it as far as possible at once. */
  enter(order: O): void;
  /** The order was given less quantity at its price: it keeps its place. */
  decrease(order: O): void;
  remove(order: O): void;
}
