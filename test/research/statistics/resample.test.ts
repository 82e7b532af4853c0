import { describe, expect, it } from 'vitest';
import { blockBootstrap, confidenceBand, shuffled } from '../../../src/research/statistics/monte-carlo.ts';
import { Random } from '../../../src/venue/market/random.ts';

describe('resampling', () => {
  it('gives each order its turn', () => {
    const random = new Random(7);
    const seen = new Map<string, number>();
    for (let i = 0; i < 6_000; i += 1) {
      const order = shuffled([1, 2, 3], (n) => random.below(n)).join('');
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect([...seen.keys()].toSorted()).toEqual(['123', '132', '213', '231', '312', '321']);
    for (const count of seen.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  it('draws whole blocks that wrap around', () => {
    const starts = [3, 0];
    expect(blockBootstrap([10, 20, 30, 40], 2, () => starts.shift() ?? 0)).toEqual([40, 10, 10, 20]);
    expect(blockBootstrap([], 2, () => 0)).toEqual([]);
    expect(() => blockBootstrap([1], 0, () => 0)).toThrow('a block');
  });

  it('finds quantiles between neighbours', () => {
    expect(confidenceBand(Array.from({ length: 101 }, (_, i) => 100 - i))).toEqual({
      p5: 5,
      p25: 25,
      p50: 50,
      p75: 75,
      p95: 95,
    });
  });
});
