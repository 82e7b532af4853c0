/** Mean, deviation, skewness and kurtosis of a sample. Each is undefined where the formula has no value. */
import { mean as meanOf, sumNthPowerDeviations } from 'simple-statistics';

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
