/**
 * How much of a best result is the luck of having tried many. Bailey and López de Prado, "The Sharpe Ratio Efficient
 * Frontier" (2012) and "The Deflated Sharpe Ratio" (Journal of Portfolio Management 40, 2014). Sharpe ratios here are per
 * period of the returns, not annualised.
 */
import { kurtosis, mean, sampleDeviation, skewness } from './moments.ts';
import { normalProbability, normalQuantile } from './normal-distribution.ts';

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

export interface SharpeSample {
  readonly sharpe: number;
  /** Number of returns. */
  readonly periods: number;
  readonly skewness: number;
  /** Not in excess: 3 for a normal sample. */
  readonly kurtosis: number;
}

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

/** Undefined for fewer than two returns, or returns that never differ. */
export function sharpeSample(returns: readonly number[]): SharpeSample | undefined {
  const average = mean(returns);
  const deviation = sampleDeviation(returns);
  const skew = skewness(returns);
  const tails = kurtosis(returns);
  if (average === undefined || deviation === undefined || skew === undefined || tails === undefined)
    return undefined;
  return { sharpe: average / deviation, periods: returns.length, skewness: skew, kurtosis: tails };
}

/** `probabilisticSharpe` of the best trial against what the best of so many would show by chance alone. */
export function deflatedSharpe(
  returns: readonly number[],
  trialSharpes: readonly number[],
): number | undefined {
  const sample = sharpeSample(returns);
  if (sample === undefined) return undefined;
  const deviation = sampleDeviation(trialSharpes) ?? 0;
  return probabilisticSharpe(sample, expectedSharpeMax(trialSharpes.length, deviation));
}
