import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  monteCarlo,
  blockBootstrap,
  confidenceBand,
  shuffled,
} from '../../../src/research/statistics/monte-carlo.ts';
import { Random } from '../../../src/venue/market/random.ts';

const PLAN = { runs: 400, seed: 1 };

describe('the same trades in another order', () => {
  it('end where they ended, on ways that differ', () => {
    const profits = [100, -50, 30, -80, 120, -20];
    const { netProfit, drawdownMax, lossShare, equity } = monteCarlo(profits, 1_000, PLAN)!.shuffled;
    expect(netProfit).toEqual({ p5: 100, p25: 100, p50: 100, p75: 100, p95: 100 });
    // All losses in a row cost 150; the largest one alone costs 80.
    expect(drawdownMax.p5).toBeGreaterThanOrEqual(80);
    expect(drawdownMax.p95).toBeLessThanOrEqual(150);
    expect(drawdownMax.p5).toBeLessThan(drawdownMax.p95);
    expect(lossShare).toBe(0);
    expect(equity.after).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(equity.bands[0]).toEqual({ p5: 1_000, p25: 1_000, p50: 1_000, p75: 1_000, p95: 1_000 });
    expect(equity.bands.at(-1)!.p5).toBe(1_100);
  });
});

describe('the bootstrap', () => {
  it('has as many wins as losses of a fair coin, and a ruin where the capital is small', () => {
    const coin = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? 1 : -1));
    const found = monteCarlo(coin, 3, { runs: 2_000, seed: 7 }, 1)!.bootstrapped;
    // A fair walk of 100 steps scatters by 10: 5 % lie below -16.4.
    expect(Math.abs(found.netProfit.p50)).toBeLessThan(2);
    expect(Math.abs(found.netProfit.p5 + 16.4)).toBeLessThan(2.5);
    // Reflection: P(min <= -3) = P(S <= -3) + P(S < -3) = 0.3822 + 0.3822 (S is even).
    expect(Math.abs(found.ruinShare - 0.7644)).toBeLessThan(0.04);
  });

  it('keeps neighbours together: in blocks of two, a gain and its loss cancel', () => {
    const pairs = Array.from({ length: 50 }, () => [10, -10]).flat();
    const [one, two] = [1, 2].map((blockTrades) => monteCarlo(pairs, 100, PLAN, blockTrades)!.bootstrapped);
    expect(two!.netProfit.p5).toBe(0);
    expect(one!.netProfit.p5).toBeLessThan(-100);
  });
});

it('is the same from the same seed, and its bands are in order', () => {
  const bands = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 2, maxLength: 300 });
  fc.assert(
    fc.property(bands, fc.nat(), (profits, seed) => {
      const plan = { runs: 20, seed };
      const found = monteCarlo(profits, 10_000, plan)!;
      expect(monteCarlo(profits, 10_000, plan)).toEqual(found);
      for (const { netProfit, equity } of [found.shuffled, found.bootstrapped]) {
        for (const { p5, p25, p50, p75, p95 } of [netProfit, ...equity.bands]) {
          expect([p5, p25, p50, p75, p95]).toEqual([p5, p25, p50, p75, p95].toSorted((a, b) => a - b));
        }
        expect(equity.after.at(-1)).toBe(profits.length);
        expect(equity.after.length).toBeLessThanOrEqual(121);
      }
    }),
    { numRuns: 25 },
  );
});

it('says nothing about fewer than two trades', () => {
  expect(monteCarlo([], 1, PLAN)).toBeUndefined();
  expect(monteCarlo([5], 1, PLAN)).toBeUndefined();
});

it.each([
  [2, 1],
  [27, 3],
  [1_000, 10],
])('of %d trades keeps %d together', (trades, block) => {
  const profits = Array.from({ length: trades }, (_, i) => i);
  expect(monteCarlo(profits, 1, { ...PLAN, runs: 1 })!.blockTrades).toBe(block);
});

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
