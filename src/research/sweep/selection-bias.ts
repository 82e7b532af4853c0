/**
 * The worth of a best result that was picked from many. Bailey and López de Prado, "The Deflated Sharpe Ratio: Correcting for
 * Selection Bias, Backtest Overfitting and Non-Normality", Journal of Portfolio Management 40 (5), 2014.
 *
 * DSR = P(Z <= (SR - SR0) sqrt(T - 1) / sqrt(1 - skew SR + (kurtosis - 1) / 4 SR^2)), where SR is the best trial's Sharpe ratio a
 * day, T its days, and SR0 = sqrt(V) ((1 - g) z(1 - 1/N) + g z(1 - 1/(N e))) what the best of N trials shows by chance alone: V
 * the variance of the trials' ratios, g the Euler-Mascheroni constant, z the normal quantile. Trials that resemble each other
 * count as fewer in the paper; here each counts as one, which errs on the careful side.
 */
import { assert } from '../../domain/assert.ts';
import { formatCount, formatNumber } from '../../text/numbers.ts';
import { excessPerDeviation, kurtosis, standardDeviation, skewness } from '../statistics/return-ratios.ts';

type SelectionBias = NonNullable<ReturnType<typeof selectionBias>>;

/** Below it the best of a sweep cannot be distinguished from luck at the usual level. */
const DEFLATED_MIN = 0.95;

/** Undefined where the best trial has no Sharpe ratio: fewer than two days, or days that are all alike. */
export function selectionBias(best: readonly number[], trials: readonly (readonly number[])[]) {
  const sample = sharpeSample(best);
  if (sample === undefined) return undefined;
  // Trials end in any order, and sums of the same numbers in another order differ in the last digit.
  const ratios = trials.flatMap((returns) => sharpeSample(returns)?.sharpe ?? []).toSorted((a, b) => a - b);
  const expectedMax = expectedSharpeMax(trials.length, standardDeviation(ratios) ?? 0);
  const probabilistic = probabilisticSharpe(sample, 0);
  const deflated = probabilisticSharpe(sample, expectedMax);
  if (probabilistic === undefined || deflated === undefined) return undefined;
  return {
    /** All that were tried, also those that never traded. */
    trials: trials.length,
    /** Those that have no Sharpe ratio: too few days, or days that are all but alike. */
    leftOut: trials.length - ratios.length,
    /** Returns of the best trial that this rests on. */
    days: sample.periods,
    /** A day; annual figures are these times the root of the sessions of a year. */
    sharpe: sample.sharpe,
    expectedMax,
    /** Probability that the true ratio is above zero, if there had been one trial. */
    probabilistic,
    /** The probability, given the number of trials. */
    deflated,
  };
}

const PERCENT = 100;

export function selectionWarning(bias: SelectionBias | undefined, trials: number): string {
  const picked = `the best of ${formatNumber(trials)} trials`;
  if (bias === undefined)
    return `This is ${picked}. Its days are too few for a Sharpe ratio: skill and luck look the same here.`;
  const { deflated, sharpe, expectedMax, days, leftOut } = bias;
  const without =
    leftOut === 0
      ? ''
      : ` ${formatCount(leftOut, 'trial')} without a Sharpe ratio (days that are all but alike) left out.`;
  const numbers = `by chance alone the best would show a daily Sharpe ratio of ${expectedMax.toFixed(3)}, it shows ${sharpe.toFixed(3)} over ${days} days`;
  const verdict =
    deflated >= DEFLATED_MIN
      ? 'It is higher than so many tries explain.'
      : 'It may be luck: do not trade it for this figure alone.';
  return `This is ${picked}: ${numbers}. Deflated Sharpe ratio ${(deflated * PERCENT).toFixed(1)} % (probability that its true ratio is above that).${without} ${verdict}`;
}

const EULER_MASCHERONI = 0.577_215_664_901_532_9;

/**
 * Expected highest Sharpe ratio of `trials` independent tries whose true ratio is zero and whose ratios scatter by
 * `deviation`: deviation x ((1 - g) z(1 - 1/N) + g z(1 - 1/(N e))), with g the Euler-Mascheroni constant.
 */
export function expectedSharpeMax(trials: number, deviation: number): number {
  if (trials < 2) return 0;
  return (
    deviation *
    ((1 - EULER_MASCHERONI) * normalQuantile(1 - 1 / trials) +
      EULER_MASCHERONI * normalQuantile(1 - 1 / (trials * Math.E)))
  );
}

type SharpeSample = NonNullable<ReturnType<typeof sharpeSample>>;

/**
 * Probability that the true Sharpe ratio is above `benchmark`:
 * P(Z <= (sr - benchmark) sqrt(n - 1) / sqrt(1 - skew sr + (kurtosis - 1) / 4 sr^2)).
 */
export function probabilisticSharpe(sample: SharpeSample, benchmark: number): number | undefined {
  const { sharpe } = sample;
  const variance = 1 - sample.skewness * sharpe + ((sample.kurtosis - 1) / 4) * sharpe ** 2;
  if (variance <= 0) return undefined;
  return normalProbability(((sharpe - benchmark) * Math.sqrt(sample.periods - 1)) / Math.sqrt(variance));
}

/** Undefined for fewer than two returns, or returns that are all but alike. */
export function sharpeSample(returns: readonly number[]) {
  const sharpe = excessPerDeviation(returns);
  const skew = skewness(returns);
  const tails = kurtosis(returns);
  if (sharpe === undefined || skew === undefined || tails === undefined) return undefined;
  return { sharpe, periods: returns.length, skewness: skew, kurtosis: tails };
}

/** Density of the standard normal distribution. */
const density = (x: number): number => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);

/** Beyond this the probability is 0 or 1 to the last digit. */
const TAIL = 38;

/**
 * P(Z <= x). The series of Marsaglia, "Evaluating the Normal Distribution" (Journal of Statistical Software 11, 2004);
 * in the tails the continued fraction of Abramowitz and Stegun, 26.2.14.
 */
export function normalProbability(x: number): number {
  if (x > TAIL) return 1;
  if (x < -TAIL) return 0;
  if (Math.abs(x) > 6) return x > 0 ? 1 - upperTail(x) : upperTail(-x);
  let term = x;
  let sum = x;
  for (let i = 3; Math.abs(term) > 1e-17 * Math.abs(sum); i += 2) {
    term *= (x * x) / i;
    sum += term;
  }
  return 0.5 + sum * density(x);
}

function upperTail(x: number): number {
  let fraction = x;
  for (let k = 60; k >= 1; k -= 1) fraction = x + k / fraction;
  return density(x) / fraction;
}

/** The x with P(Z <= x) = `probability`, by bisection on the monotone probability. Throws outside 0 < p < 1. */
export function normalQuantile(probability: number): number {
  assert(probability > 0 && probability < 1, 'a probability lies between 0 and 1');
  let low = -TAIL;
  let high = TAIL;
  for (let i = 0; i < 200 && low < high; i += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (normalProbability(middle) < probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
