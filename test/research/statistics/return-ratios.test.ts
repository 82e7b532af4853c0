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
import fc from 'fast-check';
import { fallsOf } from '../sample-result.ts';

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

const at = (equity: readonly number[]) =>
  fallsOf({
    values: Float64Array.from(equity),
    tsUs: Float64Array.from(equity, (_, i) => i * 10),
  });

describe('drawdowns', () => {
  it('finds the deepest in money and the deepest in parts, which may differ', () => {
    const { deepest, fractionMax, longestUs, fractionMean, meanUs } = at([10, 5, 10, 100, 92, 96, 100]);
    expect(deepest).toEqual({ depth: 8, fraction: 0.08, peakUs: 30, troughUs: 40, recoveredUs: 60 });
    expect(fractionMax).toBe(0.5);
    expect(longestUs).toBe(30);
    expect(fractionMean).toBeCloseTo((0.5 + 0.08) / 2, 12);
    expect(meanUs).toBe((20 + 30) / 2);
  });

  it('says when the end came first', () => {
    const deepest = { depth: 3, fraction: 0.25, peakUs: 10, troughUs: 20, recoveredUs: null };
    expect(at([10, 12, 9, 11])).toEqual({
      deepest,
      worst: [deepest],
      fractionMax: 0.25,
      longestUs: 20,
      fractionMean: 0.25,
      meanUs: 20,
    });
  });

  it.each([[[]], [[5]], [[1, 2, 3]], [[1, 1, 1]]])('finds none in %j', (equity) => {
    expect(at(equity)).toEqual({
      deepest: null,
      worst: [],
      fractionMax: 0,
      longestUs: 0,
      fractionMean: 0,
      meanUs: 0,
    });
  });

  it('ranks the deepest, up to ten', () => {
    const waves = Array.from({ length: 15 }, (_, i) => [100 + i, 100 + i - ((i * 7) % 15)]).flat();
    const depths = at(waves).worst.map(({ depth }) => depth);
    expect(depths).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
  });

  it('is as deep as the worst of all pairs', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 40 }), (equity) => {
        let worst = 0;
        let worstPart = 0;
        for (const [i, later] of equity.entries()) {
          for (const before of equity.slice(0, i)) {
            worst = Math.max(worst, before - later);
            worstPart = Math.max(worstPart, (before - later) / before);
          }
        }
        const found = at(equity);
        expect(found.deepest?.depth ?? 0).toBe(worst);
        expect(found.fractionMax).toBeCloseTo(worstPart, 12);
      }),
    );
  });
});
