import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { outlineOf, profitHistogram, sampleSeconds } from '../../../src/research/report/report-pictures.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';

describe('the outline of a series', () => {
  it('keeps the ends and every extreme, in order, in few points', () => {
    const series = fc.array(fc.integer({ min: -1000, max: 1000 }), {
      minLength: 1,
      maxLength: 500,
      size: 'max',
    });
    fc.assert(
      fc.property(series, fc.integer({ min: 4, max: 60 }), (values, pointsMax) => {
        const places = outlineOf(Float64Array.from(values), pointsMax);
        const kept = places.map((place) => values[place] ?? NaN);
        expect(places.length).toBeLessThanOrEqual(pointsMax + 2);
        expect([places[0], places.at(-1)]).toEqual([0, values.length - 1]);
        expect(Math.min(...kept)).toBe(Math.min(...values));
        expect(Math.max(...kept)).toBe(Math.max(...values));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
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
    const found = profitHistogram(SAMPLE_RESULT);
    expect(found?.edges).toContain(0);
    expect(found?.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(found?.mean).toBeCloseTo(-10_000 / 3, 9);
    expect(found?.median).toBe(-100_000);
    const gains = found?.counts.filter((_, i) => (found.edges[i] ?? 0) >= -1e-9) ?? [];
    expect(gains.reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});
