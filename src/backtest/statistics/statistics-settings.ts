/** Choices about the statistics of a run; none of them changes a trade. */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { DeviationKind } from './moments.ts';

export interface StatisticsSettings {
  readonly deviation: DeviationKind;
  /** Absent: the sessions of a year, 252, 365 where weekends are traded, 52 and 12 where no two days are within a week or four. */
  readonly periodsPerYear?: number | undefined;
  /** Return of a year without risk, compounded. */
  readonly riskFreePercent: number;
  /** A contract that the run plays: the last price of each day is its close. */
  readonly benchmark?: string | undefined;
  /** Buy and hold begins at the close of this day; absent: with the first return. */
  readonly holdFrom?: TradingDay | undefined;
  /** Where the first return begins: the capital, or equity at the end of the first day. */
  readonly returnsFrom: 'capital' | 'first_close';
  /** Trades that the run ended before they were closed, in the statistics of trades: left out, or counted at the last price. */
  readonly openTrades: 'leave_out' | 'count';
}
