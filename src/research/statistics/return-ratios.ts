/**
 * Ratios of a series of returns, as the field defines them; the library empyrical gives the same to the twelfth digit. A return
 * is simple, `equity[i] / equity[i - 1] - 1`. A ratio is undefined where its denominator is zero or the series is too short.
 */
import {
  mean as meanOf,
  quantileSorted,
  sampleCorrelation,
  sampleCovariance,
  sampleVariance,
  sumNthPowerDeviations,
} from 'simple-statistics';

/** Conventions that the same figure differs by from tool to tool. */
export interface RatioBasis {
  readonly periodsPerYear: number;
  readonly deviation: DeviationKind;
  /** Return of one period without risk; a ratio measures the return above it. */
  readonly riskFree: number;
}

/** Choices about the statistics of a run; none of them changes a trade. */
export interface StatisticsSettings {
  readonly deviation: DeviationKind;
  /** Absent: the sessions of a year, 252, 365 where weekends are traded, 52 and 12 where no two days are within a week or four. */
  readonly periodsPerYear?: number | undefined;
  /** Return of a year without risk, compounded. */
  readonly riskFreePercent: number;
  /** A contract that the run plays: the last price of each day is its close. */
  readonly benchmark?: string | undefined;
  /** Where the first return begins: the capital, or equity at the end of the first day. */
  readonly returnsFrom: 'capital' | 'first_close';
}

/** Simple returns between neighbours; undefined once equity is not above zero, where a return has no meaning. */
export function returnsOf(equity: readonly number[]): readonly number[] | undefined {
  const returns: number[] = [];
  for (let i = 1; i < equity.length; i += 1) {
    const before = equity[i - 1] ?? 0;
    if (before <= 0) return undefined;
    returns.push((equity[i] ?? 0) / before - 1);
  }
  return returns;
}

/** (1 + r1)(1 + r2)... - 1: growth over the whole span. */
export function totalReturn(returns: readonly number[]): number {
  let worth = 1;
  for (const value of returns) worth *= 1 + value;
  return worth - 1;
}

/** Compound growth, CAGR: (1 + total)^(periodsPerYear / periods) - 1. */
export function annualReturn(returns: readonly number[], periodsPerYear: number): number | undefined {
  const worth = 1 + totalReturn(returns);
  if (returns.length === 0 || worth < 0) return undefined;
  return worth ** (periodsPerYear / returns.length) - 1;
}

/** deviation(r) x sqrt(periodsPerYear). */
export function annualVolatility(returns: readonly number[], basis: RatioBasis): number | undefined {
  const deviation = standardDeviation(returns, basis.deviation);
  return deviation === undefined ? undefined : deviation * Math.sqrt(basis.periodsPerYear);
}

/** mean(r - riskFree) / deviation(r) x sqrt(periodsPerYear) (Sharpe, "The Sharpe Ratio", 1994). */
export function sharpeRatio(returns: readonly number[], basis: RatioBasis): number | undefined {
  const ratio = excessPerDeviation(
    returns.map((value) => value - basis.riskFree),
    basis.deviation,
  );
  return ratio === undefined ? undefined : ratio * Math.sqrt(basis.periodsPerYear);
}

/** Returns that deviate by a smaller part of their mean are alike: a loss of one amount each day deviates as equity shrinks. */
const DEVIATION_MIN = 0.1;

/** mean / deviation, of a period; undefined where the returns are all but alike. */
export function excessPerDeviation(
  excess: readonly number[],
  kind: DeviationKind = 'sample',
): number | undefined {
  const average = mean(excess);
  const deviation = standardDeviation(excess, kind);
  if (average === undefined || deviation === undefined) return undefined;
  return deviation < DEVIATION_MIN * Math.abs(average) ? undefined : quotient(average, deviation);
}

/** Undefined where it is no finite number. */
export function quotient(part: number | undefined, whole: number | undefined): number | undefined {
  if (part === undefined || whole === undefined) return undefined;
  const value = part / whole;
  return Number.isFinite(value) ? value : undefined;
}

/**
 * sqrt(mean(min(r - riskFree, 0)^2)) x sqrt(periodsPerYear): measured over all returns, the good ones as zero (Sortino and
 * Price, "Performance Measurement in a Downside Risk Framework", 1994).
 */
export function downsideRisk(returns: readonly number[], basis: RatioBasis): number | undefined {
  const square = mean(returns.map((value) => Math.min(value - basis.riskFree, 0) ** 2));
  return square === undefined ? undefined : Math.sqrt(square) * Math.sqrt(basis.periodsPerYear);
}

/** mean(r - riskFree) x periodsPerYear / downside risk. Needs two returns. */
export function sortinoRatio(returns: readonly number[], basis: RatioBasis): number | undefined {
  const average = mean(returns.map((value) => value - basis.riskFree));
  if (average === undefined || returns.length < 2) return undefined;
  return quotient(average * basis.periodsPerYear, downsideRisk(returns, basis));
}

/** Annual return / deepest drawdown as a fraction of its peak (Young, "Calmar Ratio", Futures 20, 1991). */
export const calmarRatio = (annual: number | undefined, drawdownFraction: number): number | undefined =>
  quotient(annual, drawdownFraction);

/** Deepest fall of the compounded returns below their peak, as a part of it; zero or less. */
export function maxDrawdown(returns: readonly number[]): number | undefined {
  if (returns.length === 0) return undefined;
  let worth = 1;
  let peak = 1;
  let deepest = 0;
  for (const value of returns) {
    worth *= 1 + value;
    peak = Math.max(peak, worth);
    deepest = Math.min(deepest, (worth - peak) / peak);
  }
  return deepest;
}

/** Sum of returns above the risk-free one / sum of those below it (Keating and Shadwick, "Omega", 2002). Needs two returns. */
export function omegaRatio(returns: readonly number[], { riskFree }: RatioBasis): number | undefined {
  let above = 0;
  let below = 0;
  for (const value of returns) {
    above += Math.max(value - riskFree, 0);
    below += Math.max(riskFree - value, 0);
  }
  return returns.length < 2 ? undefined : quotient(above, below);
}

/** R squared of a line through the cumulative log returns: 1 for steady growth. Needs two returns. */
export function stability(returns: readonly number[]): number | undefined {
  let sum = 0;
  const heights = returns.map((value) => (sum += Math.log1p(value)));
  const places = [...heights.keys()];
  return heights.length < 2 ? undefined : quotient(sampleCorrelation(places, heights) ** 2, 1);
}

const TAIL = 0.05;

const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

/** |95th percentile| / |5th percentile|. */
export function tailRatio(returns: readonly number[]): number | undefined {
  if (returns.length === 0) return undefined;
  const sorted = ascending(returns);
  return quotient(Math.abs(quantileSorted(sorted, 1 - TAIL)), Math.abs(quantileSorted(sorted, TAIL)));
}

/** The 5th percentile. */
export const valueAtRisk = (returns: readonly number[]): number | undefined =>
  returns.length === 0 ? undefined : quantileSorted(ascending(returns), TAIL);

/** Mean of the worst returns up to the one at the 5th percentile. */
export const conditionalValueAtRisk = (returns: readonly number[]): number | undefined =>
  mean(ascending(returns).slice(0, Math.floor((returns.length - 1) * TAIL) + 1));

/** Returns and those of a benchmark over the same spans. */
export type ReturnPairs = Readonly<Record<'returns' | 'benchmark', readonly number[]>>;

/** mean(r - b) / deviation(r - b): the information ratio of a period. */
export const excessSharpe = (
  { returns, benchmark }: ReturnPairs,
  { deviation }: RatioBasis,
): number | undefined =>
  excessPerDeviation(
    returns.map((value, i) => value - (benchmark[i] ?? Number.NaN)),
    deviation,
  );

/** A benchmark that moves less than this has no variance but rounding. */
const VARIANCE_MIN = 1e-30;

/** covariance(r, b) / variance(b): the slope of r over b. */
export function beta({ returns, benchmark }: ReturnPairs): number | undefined {
  const variance = benchmark.length < 2 ? 0 : sampleVariance(benchmark);
  return variance < VARIANCE_MIN ? undefined : quotient(sampleCovariance(benchmark, returns), variance);
}

/** Jensen's: (1 + mean((r - riskFree) - beta (b - riskFree)))^periodsPerYear - 1. */
export function alpha(pairs: ReturnPairs, { riskFree, periodsPerYear }: RatioBasis): number | undefined {
  const slope = beta(pairs);
  const { returns, benchmark } = pairs;
  if (slope === undefined) return undefined;
  const excess = mean(
    returns.map((value, i) => value - riskFree - slope * ((benchmark[i] ?? Number.NaN) - riskFree)),
  );
  return excess === undefined || excess < -1 ? undefined : (1 + excess) ** periodsPerYear - 1;
}

export const capture = (
  { returns, benchmark }: ReturnPairs,
  { periodsPerYear }: RatioBasis,
): number | undefined =>
  quotient(annualReturn(returns, periodsPerYear), annualReturn(benchmark, periodsPerYear));

export const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : meanOf(values);

/** `sample` divides the squares by n - 1, `population` by n. */
export type DeviationKind = 'sample' | 'population';

/** sqrt(sum((x - mean)^2) / (n - 1)), or / n; exactly 0 where all values are alike. Needs two values. */
export function standardDeviation(
  values: readonly number[],
  kind: DeviationKind = 'sample',
): number | undefined {
  if (values.length < 2) return undefined;
  // Of values that are alike rounding may leave squares above zero.
  if (values.every((value) => value === values[0])) return 0;
  return Math.sqrt(
    sumNthPowerDeviations(values, 2) / (kind === 'sample' ? values.length - 1 : values.length),
  );
}

/** m3 / m2^1.5 with population moments; 0 for a symmetric sample. */
export const skewness = (values: readonly number[]): number | undefined => standardised(values, 3);

/** m4 / m2^2 with population moments, not in excess: 3 for a normal sample. */
export const kurtosis = (values: readonly number[]): number | undefined => standardised(values, 4);

function standardised(values: readonly number[], order: 3 | 4): number | undefined {
  const deviation = standardDeviation(values, 'population');
  if (!deviation) return undefined;
  return sumNthPowerDeviations(values, order) / values.length / deviation ** order;
}
