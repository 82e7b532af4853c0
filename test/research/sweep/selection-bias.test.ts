import { describe, expect, it } from 'vitest';
import {
  expectedSharpeMax,
  probabilisticSharpe,
  selectionBias,
  selectionWarning,
  sharpeSample,
  normalProbability,
  normalQuantile,
} from '../../../src/research/sweep/judgement.ts';
import { sharpeRatio } from '../../../src/research/statistics/return-ratios.ts';

const BEST = [0.01, -0.004, 0.012, 0.003, -0.002, 0.008, 0.001];
const OTHERS = [
  [0.001, -0.002, 0.003, 0, 0.001, -0.001, 0.002],
  [-0.01, 0.002, -0.003, 0.001, 0, -0.001, 0.002],
];

const BASIS = { riskFree: 0, deviation: 'sample' } as const;

describe('the bias of picking', () => {
  it('agrees with a calculation by hand', () => {
    const found = selectionBias(BEST, [BEST, ...OTHERS], BASIS)!;
    // Mean 0.004, deviation sqrt(sum of squares about it / 6).
    expect(found.sharpe).toBeCloseTo(0.004 / Math.sqrt(226e-6 / 6), 10);
    const ratios = [BEST, ...OTHERS].map((returns) => sharpeSample(returns, BASIS)!.sharpe);
    const mean = (ratios[0]! + ratios[1]! + ratios[2]!) / 3;
    const deviation = Math.sqrt(ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / 2);
    // z(1 - 1/3) = 0.430727, z(1 - 1/(3e)) = 1.161 (tables of the normal distribution).
    const expected = deviation * ((1 - 0.5772157) * 0.430727 + 0.5772157 * 1.160867);
    expect(found.expectedMax).toBeCloseTo(expected, 3);
    expect(found.days).toBe(7);
    expect(found.trials).toBe(3);
    expect(found.deflated).toBeCloseTo(
      probabilisticSharpe(sharpeSample(BEST, BASIS)!, expectedSharpeMax(3, deviation))!,
      12,
    );
    expect(found.deflated).toBeLessThan(found.probabilistic);
  });

  it('judges the ratio that the sweep shows: above the risk-free rate, with its deviation', () => {
    const basis = { riskFree: 0.005, deviation: 'population' } as const;
    const found = selectionBias(BEST, [BEST, ...OTHERS], basis)!;
    // Mean 0.004, below the rate.
    expect(found.sharpe).toBeCloseTo(-0.001 / Math.sqrt(226e-6 / 7), 10);
    expect(found.probabilistic).toBeLessThan(0.5);
    expect(found.sharpe * Math.sqrt(252)).toBeCloseTo(
      sharpeRatio(BEST, { ...basis, periodsPerYear: 252 })!,
      12,
    );
  });

  it('counts trials that never traded', () => {
    const few = selectionBias(BEST, [BEST, ...OTHERS], BASIS)!;
    const idle = Array.from({ length: 300 }, () => [0, 0, 0, 0, 0, 0, 0]);
    const many = selectionBias(BEST, [BEST, ...OTHERS, ...idle], BASIS)!;
    expect(many.trials).toBe(303);
    expect(many.expectedMax).toBeGreaterThan(few.expectedMax);
    expect(many.deflated).toBeLessThan(few.deflated);
  });

  it('leaves out trials that lose alike each day: their ratios would be thousands', () => {
    const few = selectionBias(BEST, [BEST, ...OTHERS], BASIS)!;
    const alike = Array.from({ length: 7 }, (_, day) => -0.001 - day * 1e-6);
    const found = selectionBias(BEST, [BEST, ...OTHERS, alike], BASIS)!;
    expect([few.leftOut, found.leftOut, found.trials]).toEqual([0, 1, 4]);
    expect(found.expectedMax / few.expectedMax).toBeCloseTo(
      expectedSharpeMax(4, 1) / expectedSharpeMax(3, 1),
      12,
    );
  });

  it.each([[[]], [[0.01]], [[0, 0, 0]], [[-0.001, -0.001_000_1, -0.001_000_2]]])(
    'has nothing to say about the days %j',
    (days) => {
      expect(selectionBias(days, [days, ...OTHERS], BASIS)).toBeUndefined();
      expect(selectionWarning(undefined, 40)).toContain('best of 40 trials');
    },
  );

  it('says how many trials there were, and whether the best is more than luck', () => {
    const bias = {
      trials: 1_200,
      leftOut: 0,
      days: 250,
      sharpe: 0.158,
      expectedMax: 0.113,
      probabilistic: 0.99,
      deflated: 0.9,
    };
    expect(selectionWarning(bias, 1_200)).toBe(
      'This is the best of 1,200 trials: by chance alone the best would show a daily Sharpe ratio of 0.113, it shows 0.158 over 250 days. Deflated Sharpe ratio 90.0 % (probability that its true ratio is above that). It may be luck: do not trade it for this figure alone.',
    );
    expect(selectionWarning({ ...bias, deflated: 0.97 }, 1_200)).toContain('It is higher');
    expect(selectionWarning({ ...bias, leftOut: 3 }, 1_200)).toContain(
      '3 trials without a Sharpe ratio (days that are all but alike) left out. It may be luck',
    );
  });
});

it('is the same in whatever order the trials ended', () => {
  const trials = Array.from({ length: 24 }, (_, i) =>
    Array.from({ length: 30 }, (_each, day) => Math.sin(1 + i * 7 + day * 3) / (10 + i)),
  );
  const best = trials[3]!;
  for (let cut = 1; cut < trials.length; cut += 1)
    expect(selectionBias(best, [...trials.slice(cut), ...trials.slice(0, cut)], BASIS)).toEqual(
      selectionBias(best, trials, BASIS),
    );
});

describe('the deflated Sharpe ratio', () => {
  it('is that of the example in the paper: 100 trials, five years of days, 2.5 a year becomes 0.90', () => {
    const benchmark = expectedSharpeMax(100, Math.sqrt(0.5 / 250));
    expect(benchmark).toBeCloseTo(0.1132, 4);
    const sample = { sharpe: 2.5 / Math.sqrt(250), periods: 1250, skewness: -3, kurtosis: 10 };
    expect(probabilisticSharpe(sample, benchmark)).toBeCloseTo(0.9004, 4);
  });

  it('expects nothing of one trial', () => {
    expect(expectedSharpeMax(1, 1)).toBe(0);
  });
});

describe('the standard normal distribution', () => {
  it.each([
    [-40, 0],
    [-8, 6.220960574271819e-16],
    [-6.5, 4.016000583859125e-11],
    [-3, 0.0013498980316300957],
    [-1, 0.15865525393145707],
    [0, 0.5],
    [0.5, 0.6914624612740131],
    [1.96, 0.9750021048517795],
    [7, 0.9999999999987201],
    [40, 1],
  ])('is at or below %f with probability %f', (x, probability) => {
    const found = normalProbability(x);
    expect(Math.abs(found - probability)).toBeLessThanOrEqual(
      1e-12 * probability + Number.EPSILON * probability * 8,
    );
  });

  it.each([
    [1e-12, -7.034483825301132],
    [0.001, -3.090232306167813],
    [0.025, -1.9599639845400538],
    [0.5, 0],
    [0.8, 0.8416212335729144],
    [0.999, 3.090232306167813],
  ])('lies below its %f quantile at %f', (probability, x) => {
    expect(normalQuantile(probability)).toBeCloseTo(x, 9);
  });

  it.each([0, 1, -0.1, Number.NaN])('has no quantile of %f', (probability) => {
    expect(() => normalQuantile(probability)).toThrow('between 0 and 1');
  });
});
