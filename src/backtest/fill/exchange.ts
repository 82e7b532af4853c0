/** One contract's market in virtual time: what stands there, and what becomes of our orders when the recording goes on. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { Side } from '../../domain/order.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { FillClause } from './fill-clause.ts';
import type { VenueOrder } from './venue-order.ts';

/** Told of each execution, at once; it adds it to the order before it returns. */
export interface FillSink {
  onFill(order: VenueOrder, price: number, qty: number, clause: FillClause): void;
}

export interface Exchange {
  /** Between two rows the price ran through all in between: what was filled on the way sees the rest of the way. */
  readonly isPath: boolean;
  /** Best prices as the model shows them; 0 where there is none. */
  readonly bid: number;
  readonly ask: number;
  readonly bidQty: number;
  readonly askQty: number;
  /** Count the rows that changed what is shown of each side. */
  readonly bidChanges: number;
  readonly askChanges: number;
  /** All that is shown of one side, best first. */
  levels(side: Side): readonly BookLevel[];
  /** Price of the last trade; 0 before the first. */
  readonly last: number;
  /** Highest and lowest trade since `restartRange`. */
  readonly high: number;
  readonly low: number;
  restartRange(): void;

  /** The recording has come to this row. */
  row(row: number): void;
  setPhase(phase: SessionPhase, atUs: number): void;
  /** Takes an order in; what it can have at once it gets at once. */
  enter(order: VenueOrder): void;
  /** Other terms for an order that stands: it goes to the end of the queue, unless only its quantity became less. */
  change(order: VenueOrder, price: number, qty: number): void;
  remove(order: VenueOrder): void;
}
