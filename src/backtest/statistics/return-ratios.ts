/**
 * Ratios of a series of returns. A return is simple, `equity[i] / equity[i - 1] - 1`; the risk-free rate is zero, because
 * margin earns none. A ratio is undefined where its denominator is zero or the series is too short.
 */
import { mean, sampleDeviation } from './moments.ts';

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

/** (last / first) - 1 over the whole span. */
export function totalReturn(equity: readonly number[]): number | undefined {
  const first = equity[0];
  const last = equity.at(-1);
  return first === undefined || last === undefined || first <= 0 ? undefined : last / first - 1;
}

/** Compound growth: (last / first)^(periodsPerYear / periods) - 1. */
export function annualReturn(equity: readonly number[], periodsPerYear: number): number | undefined {
  const total = totalReturn(equity);
  const periods = equity.length - 1;
  if (total === undefined || periods < 1 || total <= -1) return undefined;
  return (1 + total) ** (periodsPerYear / periods) - 1;
}

/** mean(r) / deviation(r) x sqrt(periodsPerYear) with the sample deviation (Sharpe, "The Sharpe Ratio", 1994). */
export function sharpeRatio(returns: readonly number[], periodsPerYear: number): number | undefined {
  const average = mean(returns);
  const deviation = sampleDeviation(returns);
  if (average === undefined || deviation === undefined || deviation === 0) return undefined;
  return (average / deviation) * Math.sqrt(periodsPerYear);
}

/**
 * mean(r) / sqrt(mean(min(r, 0)^2)) x sqrt(periodsPerYear): the downside is measured over all returns, the good ones as
 * zero, from a target of zero (Sortino and Price, "Performance Measurement in a Downside Risk Framework", 1994).
 */
export function sortinoRatio(returns: readonly number[], periodsPerYear: number): number | undefined {
  const average = mean(returns);
  const downside = mean(returns.map((value) => Math.min(value, 0) ** 2));
  if (average === undefined || downside === undefined || downside === 0) return undefined;
  return (average / Math.sqrt(downside)) * Math.sqrt(periodsPerYear);
}

/** Annual return / deepest drawdown as a fraction of its peak (Young, "Calmar Ratio", Futures 20, 1991). */
export function calmarRatio(annual: number | undefined, drawdownFraction: number): number | undefined {
  return annual === undefined || drawdownFraction === 0 ? undefined : annual / drawdownFraction;
}
