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
