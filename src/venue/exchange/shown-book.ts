/** What a recording shows of the book of one contract, less what our own orders took from it. */
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { PriceTicks, Qty } from '../../domain/units.ts';

/** Told of each level that is taken from. */
export type OnTake = (price: number, qty: number) => void;

export interface ShownBook {
  /** Best prices and what stands there; 0 where nothing is known to stand. */
  readonly bid: number;
  readonly ask: number;
  readonly bidQty: number;
  readonly askQty: number;
  /** Count the rows that changed what is shown of each side. */
  readonly bidChanges: number;
  readonly askChanges: number;
  /** Who crosses the spread in a trade that comes next; `side` is 1 for the buyer, -1 for the seller, 0 where it is guessed. */
  aggressorOf(price: number, side: number): Side;
  /** A trade of the recording; returns its aggressor. */
  trade(price: number, qty: number, side: number): Side;
  /** All that is shown of one side, best first. */
  levels(side: Side): readonly BookLevel[];
  /** What stands at a price on the side of an order, in front of one that joins there. */
  ahead(side: Side, price: number): number;
  /** Takes what is shown on the other side inside the limit; returns how much. */
  take(side: Side, limit: number, qty: number, onTake: OnTake): number;
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- from columns, which were checked when they were written */
export const levelOf = (price: number, qty: number): BookLevel => ({
  price: price as PriceTicks,
  qty: qty as Qty,
});
/* oxlint-enable typescript/no-unsafe-type-assertion */

export const crosses = (book: ShownBook, side: Side, limit: number): boolean =>
  side === 'buy' ? book.ask !== 0 && limit >= book.ask : book.bid !== 0 && limit <= book.bid;
