import { describe, expect, it } from 'vitest';
import { expectedSharpeMax, probabilisticSharpe } from '../../../src/research/sweep/selection-bias.ts';

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
