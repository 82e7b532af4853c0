import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fallsOf } from '../sample-result.ts';

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
