import type { SessionPhase } from '../domain/calendar.ts';
import type { InstrumentIndex, PriceTicks, TsUs } from '../domain/units.ts';

export type { BarSpec } from '../domain/bars.ts';

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
  readonly volume: number;
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
