/** Mean, deviation, skewness, kurtosis and quantiles of a sample. Each moment is undefined where the formula has no value. */
import { assert } from '../../domain/assert.ts';

export function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** `sample` divides the squares by n - 1, `population` by n. */
export type DeviationKind = 'sample' | 'population';

/** sqrt(sum((x - mean)^2) / (n - 1)), or / n; exactly 0 where all values are alike. Needs two values. */
export function standardDeviation(
  values: readonly number[],
  kind: DeviationKind = 'sample',
): number | undefined {
  const second = centralMoment(values, 2);
  if (second === undefined || values.length < 2) return undefined;
  if (values.every((value) => value === values[0])) return 0;
  return Math.sqrt((second * values.length) / (kind === 'sample' ? values.length - 1 : values.length));
}

/** m3 / m2^1.5 with population moments; 0 for a symmetric sample. */
export function skewness(values: readonly number[]): number | undefined {
  return standardised(values, 3);
}

/** m4 / m2^2 with population moments, not in excess: 3 for a normal sample. */
export function kurtosis(values: readonly number[]): number | undefined {
  return standardised(values, 4);
}

function standardised(values: readonly number[], order: 3 | 4): number | undefined {
  const second = centralMoment(values, 2);
  const moment = centralMoment(values, order);
  // Of values that are alike rounding may leave a second moment above zero.
  if (second === undefined || moment === undefined || !standardDeviation(values)) return undefined;
  return moment / second ** (order / 2);
}

function centralMoment(values: readonly number[], order: number): number | undefined {
  const centre = mean(values);
  if (centre === undefined) return undefined;
  let sum = 0;
  for (const value of values) sum += (value - centre) ** order;
  return sum / values.length;
}

/** Value below which `fraction` of the sample lies, linear between neighbours (Hyndman and Fan, type 7). */
export function quantile(sorted: readonly number[], fraction: number): number {
  assert(sorted.length > 0 && fraction >= 0 && fraction <= 1, 'a quantile of a sample');
  const place = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}
