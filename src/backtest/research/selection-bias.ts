/**
 * What a best result is worth that was picked from many. Bailey and López de Prado, "The Deflated Sharpe Ratio: Correcting for
 * Selection Bias, Backtest Overfitting and Non-Normality", Journal of Portfolio Management 40 (5), 2014.
 *
 * DSR = P(Z <= (SR - SR0) sqrt(T - 1) / sqrt(1 - skew SR + (kurtosis - 1) / 4 SR^2)), where SR is the best trial's Sharpe ratio a
 * day, T its days, and SR0 = sqrt(V) ((1 - g) z(1 - 1/N) + g z(1 - 1/(N e))) what the best of N trials shows by chance alone: V
 * the variance of the trials' ratios, g the Euler-Mascheroni constant, z the normal quantile. Trials that resemble each other
 * count as fewer in the paper; here each counts as one, which errs on the careful side.
 */
import { formatNumber } from '../../text/numbers.ts';
import { expectedSharpeMax, probabilisticSharpe, sharpeSample } from '../statistics/deflated-sharpe.ts';
import { sampleDeviation } from '../statistics/moments.ts';

export interface SelectionBias {
  /** All that were tried, also those that never traded. */
  readonly trials: number;
  /** Returns of the best trial that this rests on. */
  readonly days: number;
  /** A day; annual figures are these times the root of the sessions of a year. */
  readonly sharpe: number;
  readonly expectedMax: number;
  /** Probability that the true ratio is above zero, if there had been one trial. */
  readonly probabilistic: number;
  /** The same, knowing how many there were. */
  readonly deflated: number;
}

/** Below it the best of a sweep is not told from luck at the usual level. */
const DEFLATED_MIN = 0.95;

/** Undefined where the best trial has no Sharpe ratio: fewer than two days, or days that are all alike. */
export function selectionBias(
  best: readonly number[],
  trials: readonly (readonly number[])[],
): SelectionBias | undefined {
  const sample = sharpeSample(best);
  if (sample === undefined) return undefined;
  const ratios = trials.flatMap((returns) => sharpeSample(returns)?.sharpe ?? []);
  const expectedMax = expectedSharpeMax(trials.length, sampleDeviation(ratios) ?? 0);
  const probabilistic = probabilisticSharpe(sample, 0);
  const deflated = probabilisticSharpe(sample, expectedMax);
  if (probabilistic === undefined || deflated === undefined) return undefined;
  return {
    trials: trials.length,
    days: sample.periods,
    sharpe: sample.sharpe,
    expectedMax,
    probabilistic,
    deflated,
  };
}

const PERCENT = 100;

/** What the reader must know before he believes the best trial. */
export function selectionWarning(bias: SelectionBias | undefined, trials: number): string {
  const picked = `the best of ${formatNumber(trials)} trials`;
  if (bias === undefined)
    return `This is ${picked}. Its days are too few for a Sharpe ratio, so nothing here tells skill from luck.`;
  const { deflated, sharpe, expectedMax, days } = bias;
  const numbers = `by chance alone the best would show a daily Sharpe ratio of ${expectedMax.toFixed(3)}, it shows ${sharpe.toFixed(3)} over ${days} days`;
  const verdict =
    deflated >= DEFLATED_MIN
      ? 'It stands above what so many tries explain.'
      : 'It is not told from luck: do not trade it for this figure alone.';
  return `This is ${picked}: ${numbers}. Deflated Sharpe ratio ${(deflated * PERCENT).toFixed(1)} % (probability that its true ratio is above that). ${verdict}`;
}
