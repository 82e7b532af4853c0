/** What a recording shows of the book of one contract, less what our own orders took from it. */
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';

/** Told of each level that is taken from. */
export type OnTake = (price: number, qty: number) => void;

export interface ShownBook {
  /** Best prices and what stands there; 0 where nothing is known to stand. */
  readonly bid: number;
  readonly ask: number;
  readonly bidQty: number;
  readonly askQty: number;
  /** The last row changed what is shown of this side. */
  readonly isBidNew: boolean;
  readonly isAskNew: boolean;
  /** A trade of the recording; `side` is 1 when the buyer crossed the spread, -1 when the seller did, 0 when nobody knows. */
  trade(price: number, qty: number, side: number): Side;
  /** The recording has come to this row. */
  row(row: number): void;
  /** All that is shown of one side, best first. */
  levels(side: Side): readonly BookLevel[];
  /** What stands at a price on the side of an order, in front of one that joins there. */
  ahead(side: Side, price: number): number;
  /** Takes what is shown on the other side inside the limit; returns how much. */
  take(side: Side, limit: number, qty: number, onTake: OnTake): number;
}

export const crosses = (book: ShownBook, side: Side, limit: number): boolean =>
  side === 'buy' ? book.ask !== 0 && limit >= book.ask : book.bid !== 0 && limit <= book.bid;
