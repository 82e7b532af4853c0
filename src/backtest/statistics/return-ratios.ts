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

/** A fall of equity from its highest point so far. */
export interface Drawdown {
  /** Money between the peak and the trough; zero or more. */
  readonly depth: number;
  /** `depth` / equity at the peak; 0 when the peak is not above zero. */
  readonly fraction: number;
  readonly peakUs: number;
  readonly troughUs: number;
  /** When equity was at the peak again; null when it never was. */
  readonly recoveredUs: number | null;
}

export interface Drawdowns {
  /** The one with the largest `depth`. */
  readonly deepest: Drawdown | null;
  /** The deepest ones, the deepest first. */
  readonly worst: readonly Drawdown[];
  /** The largest `fraction`, which may belong to another one. */
  readonly fractionMax: number;
  /** Longest time from a peak until equity was there again, or until the end; microseconds. */
  readonly longestUs: number;
}

const WORST_KEPT = 10;

interface Falling {
  peak: number;
  peakUs: number;
  depth: number;
  troughUs: number;
}

/** `equity[i]` at `tsUs[i]`, both in time order. */
export function drawdowns(equity: ArrayLike<number>, tsUs: ArrayLike<number>): Drawdowns {
  let worst: Drawdown[] = [];
  let fractionMax = 0;
  let longestUs = 0;
  const from: Falling = { peak: equity[0] ?? 0, peakUs: tsUs[0] ?? 0, depth: 0, troughUs: 0 };
  const end = (atUs: number, recovered: boolean): void => {
    if (from.depth === 0) return;
    const fraction = from.peak > 0 ? from.depth / from.peak : 0;
    fractionMax = Math.max(fractionMax, fraction);
    longestUs = Math.max(longestUs, atUs - from.peakUs);
    const { depth, peakUs, troughUs } = from;
    if (worst.length === WORST_KEPT && depth <= (worst.at(-1)?.depth ?? 0)) return;
    worst.push({ depth, fraction, peakUs, troughUs, recoveredUs: recovered ? atUs : null });
    worst = worst.toSorted((a, b) => b.depth - a.depth).slice(0, WORST_KEPT);
  };
  for (let i = 1; i < equity.length; i += 1) {
    const value = equity[i] ?? 0;
    const atUs = tsUs[i] ?? 0;
    if (value >= from.peak) {
      end(atUs, true);
      from.peak = value;
      from.peakUs = atUs;
      from.depth = 0;
    } else if (from.peak - value > from.depth) {
      from.depth = from.peak - value;
      from.troughUs = atUs;
    }
  }
  end(tsUs[equity.length - 1] ?? 0, false);
  return { deepest: worst[0] ?? null, worst, fractionMax, longestUs };
}
