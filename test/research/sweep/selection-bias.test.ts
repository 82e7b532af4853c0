import { describe, expect, it } from 'vitest';
import {
  expectedSharpeMax,
  probabilisticSharpe,
  selectionBias,
  selectionWarning,
  sharpeSample,
} from '../../../src/research/sweep/selection-bias.ts';

const BEST = [0.01, -0.004, 0.012, 0.003, -0.002, 0.008, 0.001];
const OTHERS = [
  [0.001, -0.002, 0.003, 0, 0.001, -0.001, 0.002],
  [-0.01, 0.002, -0.003, 0.001, 0, -0.001, 0.002],
];

describe('the bias of picking', () => {
  it('agrees with a calculation by hand', () => {
    const found = selectionBias(BEST, [BEST, ...OTHERS])!;
    // Mean 0.004, deviation sqrt(sum of squares about it / 6).
    expect(found.sharpe).toBeCloseTo(0.004 / Math.sqrt(226e-6 / 6), 10);
    const ratios = [BEST, ...OTHERS].map((returns) => sharpeSample(returns)!.sharpe);
    const mean = (ratios[0]! + ratios[1]! + ratios[2]!) / 3;
    const deviation = Math.sqrt(ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / 2);
    // z(1 - 1/3) = 0.430727, z(1 - 1/(3e)) = 1.161 (tables of the normal distribution).
    const expected = deviation * ((1 - 0.5772157) * 0.430727 + 0.5772157 * 1.160867);
    expect(found.expectedMax).toBeCloseTo(expected, 3);
    expect(found.days).toBe(7);
    expect(found.trials).toBe(3);
    expect(found.deflated).toBeCloseTo(
      probabilisticSharpe(sharpeSample(BEST)!, expectedSharpeMax(3, deviation))!,
      12,
    );
    expect(found.deflated).toBeLessThan(found.probabilistic);
  });

  it('counts trials that never traded', () => {
    const few = selectionBias(BEST, [BEST, ...OTHERS])!;
    const idle = Array.from({ length: 300 }, () => [0, 0, 0, 0, 0, 0, 0]);
    const many = selectionBias(BEST, [BEST, ...OTHERS, ...idle])!;
    expect(many.trials).toBe(303);
    expect(many.expectedMax).toBeGreaterThan(few.expectedMax);
    expect(many.deflated).toBeLessThan(few.deflated);
  });

  it('leaves out trials that lose alike each day: their ratios would be thousands', () => {
    const few = selectionBias(BEST, [BEST, ...OTHERS])!;
    const alike = Array.from({ length: 7 }, (_, day) => -0.001 - day * 1e-6);
    const found = selectionBias(BEST, [BEST, ...OTHERS, alike])!;
    expect([few.leftOut, found.leftOut, found.trials]).toEqual([0, 1, 4]);
    expect(found.expectedMax / few.expectedMax).toBeCloseTo(
      expectedSharpeMax(4, 1) / expectedSharpeMax(3, 1),
      12,
    );
  });

  it.each([[[]], [[0.01]], [[0, 0, 0]], [[-0.001, -0.001_000_1, -0.001_000_2]]])(
    'has nothing to say about the days %j',
    (days) => {
      expect(selectionBias(days, [days, ...OTHERS])).toBeUndefined();
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
    expect(selectionBias(best, [...trials.slice(cut), ...trials.slice(0, cut)])).toEqual(
      selectionBias(best, trials),
    );
});
