/** All that a strategy can do, and all it can ask. */
import type { SessionPhase, TradingCalendar } from '../domain/calendar.ts';
import type { CancelTimer } from '../domain/clock.ts';
import type { Contract, PriceBand } from '../domain/contract.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import type { Side } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { BookTick, TradeTick } from '../domain/ticks.ts';
import type { DurationUs, PriceTicks, TsUs } from '../domain/units.ts';
import type { OrderUpdate } from '../engine/ports/strategy-port.ts';

export interface OrderRequest {
  /** Whole contracts, one or more. */
  readonly qty: number;
  readonly price: PriceTicks;
  /** Why, for the journal. */
  readonly reason: string;
}

/** A change edits price or total quantity, never both. */
export type OrderChange = { readonly price: PriceTicks } | { readonly qty: number };

/** The desk as one contract sees it. Nothing here returns an outcome: what came of it arrives on `orders$`. */
export interface LegDesk {
  /** The contract that is traded now; another one after a rollover. */
  readonly contract: Contract;
  submit(side: Side, order: OrderRequest): ClientOrderId;
  buy(order: OrderRequest): ClientOrderId;
  sell(order: OrderRequest): ClientOrderId;
  modify(order: ClientOrderId, change: OrderChange): void;
  cancel(order: ClientOrderId): void;
  /** What the strategy holds: its own proven fills and what it carried over night. */
  position(): Position;
  /** The strategy's orders of this contract that are not final. */
  workingOrders(): readonly OrderUpdate[];
  /** Ceiling, floor and reference of the day, once they are known. */
  band(): PriceBand | undefined;
  lastTrade(): TradeTick | undefined;
  lastBook(): BookTick | undefined;
  /** Points as people write them, to ticks: 1305.2 is 13052. A price off the grid throws. */
  ticks(points: number): PriceTicks;
  /** Ticks to points, for people. */
  points(price: PriceTicks): number;
  /** Time of the event being processed. */
  time(): TsUs;
  phase(): SessionPhase;
  calendar(): TradingCalendar;
  /** Runs `handler` once, after `span` of market time. Virtual in a backtest: the only timer a strategy has. */
  after(span: DurationUs, handler: () => void): CancelTimer;
  /** A line for the journal and the operator. */
  note(text: string): void;
}

/** The desk of a strategy: that of its first leg, its parameters, and the other legs by name. */
export interface Desk<Params, Leg extends string> extends LegDesk {
  /** Name of this instance in the configuration. */
  readonly id: string;
  readonly params: Params;
  leg(name: Leg): LegDesk;
}
