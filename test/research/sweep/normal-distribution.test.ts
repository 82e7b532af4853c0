import { describe, expect, it } from 'vitest';
import { normalProbability, normalQuantile } from '../../../src/research/sweep/selection-bias.ts';

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
