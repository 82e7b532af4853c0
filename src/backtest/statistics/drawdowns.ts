/** Falls of an equity curve from its peaks. */

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
  /** Mean of `fraction`, and of the time from the peak until equity was there again or until the end; 0 without any. */
  readonly fractionMean: number;
  readonly meanUs: number;
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
  let count = 0;
  let fractionSum = 0;
  let spanUs = 0;
  const from: Falling = { peak: equity[0] ?? 0, peakUs: tsUs[0] ?? 0, depth: 0, troughUs: 0 };
  const end = (atUs: number, recovered: boolean): void => {
    if (from.depth === 0) return;
    const fraction = from.peak > 0 ? from.depth / from.peak : 0;
    fractionMax = Math.max(fractionMax, fraction);
    longestUs = Math.max(longestUs, atUs - from.peakUs);
    count += 1;
    fractionSum += fraction;
    spanUs += atUs - from.peakUs;
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
  return {
    deepest: worst[0] ?? null,
    worst,
    fractionMax,
    longestUs,
    fractionMean: count === 0 ? 0 : fractionSum / count,
    meanUs: count === 0 ? 0 : spanUs / count,
  };
}
