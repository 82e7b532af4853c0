import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { profitHistogram, sampleSeconds, thinSeries } from '../../../src/research/report/report-pictures.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';

describe('a thinned series', () => {
  it('keeps the ends and every extreme, in order, in few points', () => {
    const series = fc.array(fc.integer({ min: -1000, max: 1000 }), {
      minLength: 1,
      maxLength: 500,
      size: 'max',
    });
    fc.assert(
      fc.property(series, fc.integer({ min: 4, max: 60 }), (values, pointsMax) => {
        const tsUs = Float64Array.from(values, (_, i) => i * 1_000_000);
        const thin = thinSeries(
          { tsUs, values: Float64Array.from(values) },
          pointsMax,
          (value) => value,
          420,
        );
        expect(thin.values.length).toBeLessThanOrEqual(pointsMax + 2);
        expect(thin.values[0]).toBe(values[0]);
        expect(thin.values.at(-1)).toBe(values.at(-1));
        expect(Math.min(...thin.values)).toBe(Math.min(...values));
        expect(Math.max(...thin.values)).toBe(Math.max(...values));
        expect(thin.tsSeconds).toEqual(thin.tsSeconds.toSorted((a, b) => a - b));
      }),
    );
  });
});

test('a sample at midnight belongs to the day that it ends', () => {
  const midnight = Date.UTC(2026, 2, 4, 17) * 1_000;
  expect(sampleSeconds(midnight, 420)).toBe(midnight / 1e6 - 1);
  expect(sampleSeconds(midnight + 60e6, 420)).toBe(midnight / 1e6 + 60);
});

describe('a distribution of profits', () => {
  it('has an edge at zero, counts every trade, and knows mean and median', () => {
    const [found] = profitHistogram(SAMPLE_RESULT);
    expect(found?.edges).toContain(0);
    expect(found?.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(found?.mean).toBeCloseTo(-10_000 / 3, 9);
    expect(found?.median).toBe(-100_000);
    const gains = found?.counts.filter((_, i) => (found.edges[i] ?? 0) >= -1e-9) ?? [];
    expect(gains.reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});
