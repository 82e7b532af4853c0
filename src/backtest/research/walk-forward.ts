/** What walk-forward windows say together: the parts out of sample, one after the other, are what a trader would have had. */
import { sharpeRatio } from '../statistics/return-ratios.ts';
import type { TrialFigures } from './trial-figures.ts';
import type { Window } from './windows.ts';

export interface WalkedWindow {
  readonly window: Window;
  /** Place of the chosen trial; null when none could be picked in sample, and nothing was traded out of it. */
  readonly trial: number | null;
  readonly inSample: TrialFigures | null;
  readonly outOfSample: TrialFigures | null;
}

export interface WalkForwardFound {
  readonly windows: readonly WalkedWindow[];
  /** Money, summed over the windows: each begins with the capital anew. */
  readonly netProfit: number;
  /** Of the days out of sample, one after the other. */
  readonly sharpe: number | null;
  readonly totalReturn: number;
  /** Windows that earned money out of sample. */
  readonly profitable: number;
  /**
   * Mean daily return out of sample / in sample of what was chosen (Pardo, 2008, chapter 11): near 1 what was found holds, near
   * 0 or below it was fitted to the days it was found on. Null where the choice lost money even in sample.
   */
  readonly efficiency: number | null;
  readonly trades: number;
}

/** Sessions of a year, for the annual ratio. */
export function walkForwardFound(windows: readonly WalkedWindow[], periodsPerYear: number): WalkForwardFound {
  const outside = windows.flatMap(({ outOfSample }) => outOfSample ?? []);
  const returns = windows.flatMap(
    ({ window, outOfSample }) => outOfSample?.dailyReturns ?? window.outOfSample.map(() => 0),
  );
  const inside = windows.flatMap(({ inSample }) => inSample?.dailyReturns ?? []);
  const [meanOutside, meanInside] = [meanOf(returns), meanOf(inside)];
  return {
    windows,
    netProfit: outside.reduce((sum, { netProfit }) => sum + netProfit, 0),
    sharpe: sharpeRatio(returns, periodsPerYear) ?? null,
    totalReturn: returns.reduce((worth, each) => worth * (1 + each), 1) - 1,
    profitable: outside.filter(({ netProfit }) => netProfit > 0).length,
    efficiency: meanInside > 0 ? meanOutside / meanInside : null,
    trades: outside.reduce((sum, { trades }) => sum + trades, 0),
  };
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, each) => sum + each, 0) / values.length;
