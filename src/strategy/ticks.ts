/** All that a strategy sees, as hot streams without replay: `trader.lastTrade()` and `trader.lastBook()` know the latest. */
import type { Observable } from 'rxjs';
import type { Contract } from '../domain/contract.ts';
import type { BookTick, DaySummary, FeedGap, TradeTick } from '../domain/ticks.ts';
import type { FeedChange, OrderUpdate, PhaseChange } from '../engine/ports/strategy-port.ts';
import type { Bar, BarSpec } from './bar.ts';

/** A leg trades another contract from now on. Orders and the position of the old one stay with the engine's policy. */
export interface Rollover {
  readonly leg: string;
  readonly contract: Contract;
}

/** What one contract sends, and what concerns the whole strategy. */
export interface LegTicks {
  readonly trades$: Observable<TradeTick>;
  readonly books$: Observable<BookTick>;
  readonly summaries$: Observable<DaySummary>;
  /** Trades of this contract were missed. */
  readonly gaps$: Observable<FeedGap>;
  /** Bars of this contract. Each call builds bars of its own, from now on. */
  bars(spec: BarSpec): Observable<Bar>;
  readonly phases$: Observable<PhaseChange>;
  /** The price stream came up or went down. */
  readonly feed$: Observable<FeedChange>;
  /** News of all orders of the strategy, also of those the engine placed for it. */
  readonly orders$: Observable<OrderUpdate>;
  readonly rollovers$: Observable<Rollover>;
}

/** The streams of a strategy: those of its first leg, and the other legs by name. */
export interface Ticks<Leg extends string> extends LegTicks {
  leg(name: Leg): LegTicks;
}
