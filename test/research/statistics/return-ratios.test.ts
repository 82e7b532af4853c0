import { describe, expect, it } from 'vitest';
import {
  type RatioBasis,
  annualReturn,
  calmarRatio,
  kurtosis,
  mean,
  returnsOf,
  sharpeRatio,
  skewness,
  sortinoRatio,
  standardDeviation,
  totalReturn,
} from '../../../src/research/statistics/return-ratios.ts';

// Figures by hand and by another language's standard library.
const BASIS: RatioBasis = { periodsPerYear: 252, deviation: 'sample', riskFree: 0 };
const RETURNS = [0.01, -0.02, 0.03, 0.005, -0.004];

describe('moments of a sample', () => {
  it('are those of the textbook', () => {
    expect(mean(RETURNS)).toBeCloseTo(0.0042, 15);
    expect(standardDeviation(RETURNS)).toBeCloseTo(0.018390214789392755, 15);
    expect(skewness(RETURNS)).toBeCloseTo(0.1188793053453207, 12);
    expect(kurtosis(RETURNS)).toBeCloseTo(2.163045759003118, 12);
  });

  it.each([[[]], [[1]]])('do not exist for %j', (values) => {
    expect(standardDeviation(values)).toBeUndefined();
    expect(skewness(values)).toBeUndefined();
    expect(kurtosis(values)).toBeUndefined();
  });

  it('have no shape where all values are alike', () => {
    const alike = Array.from({ length: 30 }, () => 0.01);
    expect([standardDeviation(alike), skewness(alike), kurtosis(alike)]).toEqual([0, undefined, undefined]);
  });
});

describe('ratios of returns', () => {
  it('are undefined without a deviation, a loss, or a drawdown', () => {
    expect(sharpeRatio([0.5, 0.5], BASIS)).toBeUndefined();
    // The mean of three tenths is no tenth in binary.
    expect(sharpeRatio([0.1, 0.1, 0.1], BASIS)).toBeUndefined();
    expect(sortinoRatio([0.01, 0.02], BASIS)).toBeUndefined();
    expect(calmarRatio(0.3, 0)).toBeUndefined();
    expect(calmarRatio(undefined, 0.1)).toBeUndefined();
  });

  it('come from equity that stays above zero', () => {
    expect(returnsOf([100, 110, 99])).toEqual([0.10000000000000009, -0.09999999999999998]);
    expect(returnsOf([100, 0, 99])).toBeUndefined();
    expect(totalReturn(returnsOf([100, 50, 121]) ?? [])).toBeCloseTo(0.21, 15);
    expect(annualReturn(returnsOf([100, 110, 121]) ?? [], 1)).toBeCloseTo(0.1, 12);
    expect(annualReturn(returnsOf([100, 121]) ?? [], 0.5)).toBeCloseTo(0.1, 12);
    expect(annualReturn(returnsOf([100]) ?? [], 252)).toBeUndefined();
    expect(annualReturn(returnsOf([100, -1]) ?? [], 252)).toBeUndefined();
  });
});
