/** Streams of a strategy, hot and without replay: `trader.lastTrade()` and `trader.lastBook()` know the latest. */
import type { Observable } from 'rxjs';
import type { BarSpec } from '../domain/bars.ts';
import type { SessionPhase } from '../domain/calendar.ts';
import type { Contract } from '../domain/contract.ts';
import type { BookTick, DaySummary, FeedGap, TradeTick } from '../domain/ticks.ts';
import type { DurationUs, InstrumentIndex, PriceTicks, TsUs } from '../domain/units.ts';
import type { FeedChange, OrderUpdate, PhaseChange } from '../engine/ports/strategy-port.ts';

/** Trades of one stretch of one session, summed up. */
export interface Bar {
  readonly kind: 'bar';
  readonly instrument: InstrumentIndex;
  /** Time bars: the stretch itself. Others: the first trade, and the trade or the moment that closed it. */
  readonly startUs: TsUs;
  readonly endUs: TsUs;
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  readonly close: PriceTicks;
  /** Of all trades, in contracts or lots. */
  readonly volume: number;
  /** 0 where the data are bars. */
  readonly trades: number;
  /** Phase of its trades. The opening print belongs to the first continuous bar, the closing print has one of its own. */
  readonly phase: SessionPhase;
  /** Every trade of the stretch was seen: no gap, no lost connection, not begun in the middle. */
  readonly complete: boolean;
  /** Reported when it ended. After a standby, or when old ticks arrive in one burst, it is false: not to be traded on. */
  readonly fresh: boolean;
  /** Stretches of the same session between the bar before and this one in which nothing was seen. Time bars only. */
  readonly skipped: number;
}

/** A leg trades another contract from now on. Orders and the position of the old one stay with the engine's policy. */
export interface Rollover {
  readonly leg: string;
  readonly contract: Contract;
}

/** The streams of one contract, and those that concern the whole strategy. */
export interface LegTicks {
  readonly trades$: Observable<TradeTick>;
  readonly books$: Observable<BookTick>;
  readonly summaries$: Observable<DaySummary>;
  /** Trades of this contract were missed. */
  readonly gaps$: Observable<FeedGap>;
  /**
   * Bars of this contract. Each call builds bars of its own, from now on. Where the data are bars, they come as they are or joined: a
   * length that is not a multiple of theirs stops the strategy. Without `spec` they come as they are; single trades then stop the
   * strategy, because nothing says how long a bar is.
   */
  bars(spec?: BarSpec): Observable<Bar>;
  /** The time, so often, from the first subscription on and while there is one. After a standby once. */
  every(span: DurationUs): Observable<TsUs>;
  readonly phases$: Observable<PhaseChange>;
  /** The price stream came up or went down. */
  readonly feed$: Observable<FeedChange>;
  /** Updates of all orders of the strategy, also of those the engine placed for it. */
  readonly orders$: Observable<OrderUpdate>;
  readonly rollovers$: Observable<Rollover>;
}

/** The streams of a strategy: those of its first leg, and the other legs by name. */
export interface Ticks<Leg extends string> extends LegTicks {
  leg(name: Leg): LegTicks;
}
