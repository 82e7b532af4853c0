/** Monte Carlo on what has happened: the same trades in another order, or days drawn in blocks; with confidence bands. */
import { assert } from '../../domain/assert.ts';

/** Uniform over 0 .. n - 1. */
export type Below = (n: number) => number;

/** The same values in a random order (Fisher and Yates). The end is the same; the way there is not. */
export function shuffled(values: readonly number[], below: Below): number[] {
  const result = [...values];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const other = below(i + 1);
    const kept = result[i] ?? 0;
    result[i] = result[other] ?? 0;
    result[other] = kept;
  }
  return result;
}

/**
 * As many values, drawn with replacement in runs of `blockLength` neighbours that wrap around the end: what follows what
 * within a block is kept (Politis and Romano, "A circular block-resampling procedure", 1992).
 */
export function blockBootstrap(values: readonly number[], blockLength: number, below: Below): number[] {
  assert(Number.isSafeInteger(blockLength) && blockLength >= 1, 'a block has one value or more');
  const result: number[] = [];
  while (result.length < values.length) {
    const start = below(values.length);
    for (let i = 0; i < blockLength && result.length < values.length; i += 1) {
      result.push(values[(start + i) % values.length] ?? 0);
    }
  }
  return result;
}

/** Value below which `fraction` of the sample lies, linear between neighbours (Hyndman and Fan, type 7). */
export function quantile(sorted: readonly number[], fraction: number): number {
  assert(sorted.length > 0 && fraction >= 0 && fraction <= 1, 'a quantile of a sample');
  const place = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

export interface ConfidenceBand {
  readonly p5: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
}

export function confidenceBand(sample: readonly number[]): ConfidenceBand {
  const sorted = sample.toSorted((a, b) => a - b);
  return {
    p5: quantile(sorted, 0.05),
    p25: quantile(sorted, 0.25),
    p50: quantile(sorted, 0.5),
    p75: quantile(sorted, 0.75),
    p95: quantile(sorted, 0.95),
  };
}
