/**
 * Ratios of returns against those of a benchmark over the same spans, pair by pair; empyrical gives the same to the twelfth digit.
 * Undefined where a denominator is zero or the series is too short.
 */
import { mean } from './moments.ts';
import { annualReturn, covariance, excessPerDeviation, quotient, type RatioBasis } from './return-ratios.ts';

export interface ReturnPairs {
  readonly returns: readonly number[];
  /** As many, of the same spans. */
  readonly benchmark: readonly number[];
}

/** mean(r - b) / deviation(r - b): the information ratio of a period. */
export const excessSharpe = (pairs: ReturnPairs, { deviation }: RatioBasis): number | undefined =>
  excessPerDeviation(excessOf(pairs), deviation);

const excessOf = ({ returns, benchmark }: ReturnPairs): readonly number[] =>
  returns.map((value, i) => value - (benchmark[i] ?? Number.NaN));

/** A benchmark that moves less than this has no variance but rounding. */
const VARIANCE_MIN = 1e-30;

/** covariance(r, b) / variance(b): the slope of r over b. */
export function beta({ returns, benchmark }: ReturnPairs): number | undefined {
  const variance = covariance(benchmark, benchmark);
  if (variance === undefined || variance < VARIANCE_MIN) return undefined;
  return quotient(covariance(benchmark, returns), variance);
}

/** Jensen's: (1 + mean((r - riskFree) - beta (b - riskFree)))^periodsPerYear - 1. */
export function alpha(pairs: ReturnPairs, { riskFree, periodsPerYear }: RatioBasis): number | undefined {
  const slope = beta(pairs);
  const { returns, benchmark } = pairs;
  if (slope === undefined) return undefined;
  const rest = mean(
    returns.map((value, i) => value - riskFree - slope * ((benchmark[i] ?? Number.NaN) - riskFree)),
  );
  return rest === undefined || rest < -1 ? undefined : (1 + rest) ** periodsPerYear - 1;
}

/** Annual return / annual return of the benchmark. */
export const capture = (
  { returns, benchmark }: ReturnPairs,
  { periodsPerYear }: RatioBasis,
): number | undefined =>
  quotient(annualReturn(returns, periodsPerYear), annualReturn(benchmark, periodsPerYear));

/** The pairs in which the benchmark rose, or fell. */
export function pairsWhere({ returns, benchmark }: ReturnPairs, direction: 'up' | 'down'): ReturnPairs {
  const isTaken = (value: number): boolean => (direction === 'up' ? value > 0 : value < 0);
  return {
    returns: returns.filter((_, i) => isTaken(benchmark[i] ?? 0)),
    benchmark: benchmark.filter(isTaken),
  };
}

const PAIRS_MIN = 3;

/**
 * How much more the ends of the benchmark's range bring than its middle: w1 r(lowest) + w2 r(highest) - r(middle). Below zero
 * is fragile (Taleb, Canetti et al., "A New Heuristic Measure of Fragility and Tail Risks", IMF 2012).
 */
export function betaFragility({ returns, benchmark }: ReturnPairs): number | undefined {
  const sorted = benchmark
    .map((market, i) => ({ market, own: returns[i] ?? Number.NaN }))
    .toSorted((a, b) => a.market - b.market);
  const [low, middle, high] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (sorted.length < PAIRS_MIN || low === undefined || middle === undefined || high === undefined)
    return undefined;
  const range = high.market - low.market;
  const lowWeight = range === 0 ? 0.5 : (high.market - middle.market) / range;
  const highWeight = range === 0 ? 0.5 : (middle.market - low.market) / range;
  return lowWeight * low.own + highWeight * high.own - middle.own;
}

/** Part of the periods that beat the benchmark: all, those in which it did not fall, and those in which it fell. */
export function battingAverage(pairs: ReturnPairs): {
  readonly all: number | undefined;
  readonly up: number | undefined;
  readonly down: number | undefined;
} {
  const won = excessOf(pairs).map((value) => (value > 0 ? 1 : 0));
  const { benchmark } = pairs;
  return {
    all: mean(won),
    up: mean(won.filter((_, i) => (benchmark[i] ?? 0) >= 0)),
    down: mean(won.filter((_, i) => (benchmark[i] ?? 0) < 0)),
  };
}
