/**
 * Walk-forward windows: parameters are chosen on the in-sample days and tried on the out-of-sample days after them, which no
 * choice has seen (Pardo, "The Evaluation and Optimization of Trading Strategies", 2008, chapter 11).
 */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';

export interface WalkForward {
  /** Days. Each window moves on by `outOfSample`, so that the parts out of sample neither overlap nor leave a day out. */
  readonly inSample: number;
  readonly outOfSample: number;
  /** In-sample parts begin on the first day and grow; else they keep their length and move. */
  readonly isAnchored: boolean;
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
  { inSample, outOfSample, isAnchored }: WalkForward,
  warmUpDays: number,
): readonly Window[] {
  assert(inSample >= 1 && outOfSample >= 1, 'both parts of a window have a day');
  assert(warmUpDays < inSample, 'a window is longer than its warm-up');
  const windows: Window[] = [];
  for (let at = inSample; at < days.length; at += outOfSample) {
    windows.push({
      inSample: days.slice(isAnchored ? 0 : at - inSample, at),
      outOfSample: days.slice(at, at + outOfSample),
      warmUp: days.slice(at - warmUpDays, at),
    });
  }
  return windows;
}

/** About five windows whose in-sample part is three times as long as the other. */
export function usualWalkForward(days: number): WalkForward {
  const outOfSample = Math.max(1, Math.floor(days / 8));
  return { inSample: Math.max(1, Math.min(3 * outOfSample, days - 1)), outOfSample, isAnchored: false };
}
