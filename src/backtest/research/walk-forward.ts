/**
 * Walk-forward windows: parameters are chosen on the in-sample days and tried on the out-of-sample days after them, which no
 * choice has seen (Pardo, "The Evaluation and Optimization of Trading Strategies", 2008, chapter 11).
 */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { mean } from '../statistics/moments.ts';
import { type RatioBasis, sharpeRatio, totalReturn } from '../statistics/return-ratios.ts';
import type { TrialFigures } from './trials.ts';

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

/**
 * The windows together: the parts out of sample, one after the other, are the result that a trader would have had.
 */
export function walkForwardFound(windows: readonly WalkedWindow[], basis: RatioBasis): WalkForwardFound {
  const outside = windows.flatMap(({ outOfSample }) => outOfSample ?? []);
  const returns = windows.flatMap(
    ({ window, outOfSample }) => outOfSample?.dailyReturns ?? window.outOfSample.map(() => 0),
  );
  const inside = windows.flatMap(({ inSample }) => inSample?.dailyReturns ?? []);
  const [meanOutside, meanInside] = [mean(returns) ?? 0, mean(inside) ?? 0];
  return {
    windows,
    netProfit: outside.reduce((sum, { netProfit }) => sum + netProfit, 0),
    sharpe: sharpeRatio(returns, basis) ?? null,
    totalReturn: totalReturn(returns),
    profitable: outside.filter(({ netProfit }) => netProfit > 0).length,
    efficiency: meanInside > 0 ? meanOutside / meanInside : null,
    trades: outside.reduce((sum, { trades }) => sum + trades, 0),
  };
}

interface WalkForward {
  /** Days. Each window moves on by `outOfSample`, so that the parts out of sample neither overlap nor leave a day out. */
  readonly inSample: number;
  readonly outOfSample: number;
  /** In-sample parts begin on the first day and grow; else they keep their length and move. */
  readonly anchored: boolean;
}

export interface Window {
  readonly inSample: readonly TradingDay[];
  readonly outOfSample: readonly TradingDay[];
  /** Days before `outOfSample` that strategies look at to warm up; they are the last of `inSample`. */
  readonly warmUp: readonly TradingDay[];
}

/** The last window may have fewer days out of sample. None when there are too few days for one. */
export function walkForwardWindows(
  days: readonly TradingDay[],
  { inSample, outOfSample, anchored }: WalkForward,
  warmUpDays: number,
): readonly Window[] {
  assert(inSample >= 1 && outOfSample >= 1, 'both parts of a window have a day');
  assert(warmUpDays < inSample, 'a window is longer than its warm-up');
  const windows: Window[] = [];
  for (let at = inSample; at < days.length; at += outOfSample) {
    windows.push({
      inSample: days.slice(anchored ? 0 : at - inSample, at),
      outOfSample: days.slice(at, at + outOfSample),
      warmUp: days.slice(at - warmUpDays, at),
    });
  }
  return windows;
}
