import { describe, expect, it } from 'vitest';
import {
  expectedSharpeMax,
  probabilisticSharpe,
  selectionBias,
  sharpeSample,
} from '../../../src/backtest/research/selection-bias.ts';
import { standardDeviation } from '../../../src/backtest/statistics/moments.ts';

const scattered = (trials: number): number[] => Array.from({ length: trials }, (_, i) => (i % 2) * 0.4);

const deflatedSharpe = (returns: readonly number[], ratios: readonly number[]): number =>
  probabilisticSharpe(
    sharpeSample(returns)!,
    expectedSharpeMax(ratios.length, standardDeviation(ratios) ?? Number.NaN),
  ) ?? Number.NaN;

describe('the deflated Sharpe ratio', () => {
  it('is that of the example in the paper: 100 trials, five years of days, 2.5 a year becomes 0.90', () => {
    const benchmark = expectedSharpeMax(100, Math.sqrt(0.5 / 250));
    expect(benchmark).toBeCloseTo(0.1132, 4);
    const sample = { sharpe: 2.5 / Math.sqrt(250), periods: 1250, skewness: -3, kurtosis: 10 };
    expect(probabilisticSharpe(sample, benchmark)).toBeCloseTo(0.9004, 4);
  });

  it('is lower the more was tried', () => {
    const returns = [0.01, -0.004, 0.012, 0.003, -0.002, 0.008, 0.001];
    const few = deflatedSharpe(returns, scattered(4));
    const many = deflatedSharpe(returns, scattered(400));
    expect(many).toBeLessThan(few);
  });

  it('expects nothing of one trial', () => {
    expect(expectedSharpeMax(1, 1)).toBe(0);
  });

  it.each([[[]], [[0.01]], [[0.5, 0.5, 0.5]]])('does not exist for the returns %j', (returns) => {
    expect(sharpeSample(returns)).toBeUndefined();
    expect(selectionBias(returns, [returns, [1, 2]])).toBeUndefined();
  });
});
