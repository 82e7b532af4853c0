import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  chooseTrials,
  dimensionNames,
  type Dimension,
  paramsOf,
  type ParameterSpace,
  spaceSize,
  steppedValues,
} from '../../../src/research/sweep/read-sweep.ts';

const list = (param: string, ...values: (number | string | boolean)[]): Dimension => ({
  strategy: 'ema',
  param,
  values,
});
const any = (): boolean => true;

test.each([
  [1, 9, 4, [1, 5, 9]],
  [1, 10, 4, [1, 5, 9]],
  [0, 0.5, 0.1, [0, 0.1, 0.2, 0.3, 0.4, 0.5]],
  [7, 7, 1, [7]],
])('from %d to %d by %d is %j', (from, to, step, values) => {
  expect(steppedValues(from, to, step)).toEqual(values);
});

describe('a grid', () => {
  const space = [list('fast', 3, 5), list('direction', 'long', 'short', 'both')];

  it('is tried whole, the last parameter moving fastest', () => {
    expect(chooseTrials(space, { kind: 'grid' }, any)).toEqual({
      trials: [
        [3, 'long'],
        [3, 'short'],
        [3, 'both'],
        [5, 'long'],
        [5, 'short'],
        [5, 'both'],
      ],
      refused: 0,
    });
  });

  it('leaves out what the strategy refuses, and counts it', () => {
    const both = [list('fast', 3, 5, 9), list('slow', 5, 9)];
    const { trials, refused } = chooseTrials(both, { kind: 'grid' }, ([fast, slow]) => fast! < slow!);
    expect(trials).toEqual([
      [3, 5],
      [3, 9],
      [5, 9],
    ]);
    expect(refused).toBe(3);
  });

  it('has a size', () => {
    expect(spaceSize(space)).toBe(6);
  });
});

describe('random search', () => {
  const space: ParameterSpace = [
    list('fast', 1, 2, 3, 4, 5, 6, 7, 8),
    list('x', 0.5, 1, 1.5, 2),
    list('y', 1, 10, 100),
  ];

  it('draws the same trials from the same seed, each once', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), (seed, trials) => {
        const search = { kind: 'random', trials, seed } as const;
        const found = chooseTrials(space, search, any).trials;
        expect(found).toEqual(chooseTrials(space, search, any).trials);
        expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(trials);
      }),
      { numRuns: 30 },
    );
  });

  it('begins a longer search with the trials of a shorter one', () => {
    const [long, short] = [40, 10].map(
      (trials) => chooseTrials(space, { kind: 'random', trials, seed: 4 }, any).trials,
    );
    expect(long!.slice(0, 10)).toEqual(short);
  });

  it('tries everything where there is no more than was asked for', () => {
    const search = { kind: 'random', trials: 50, seed: 1 } as const;
    expect(chooseTrials([list('fast', 3, 5)], search, any).trials).toEqual([[3], [5]]);
  });

  it('ends where nothing is left that the strategy accepts', () => {
    const search = { kind: 'random', trials: 7, seed: 1 } as const;
    const found = chooseTrials(space.slice(0, 1), search, (each) => each[0] === 3);
    expect(found).toEqual({ trials: [[3]], refused: 7 });
  });
});

test('the parameters of a trial go to their strategies, and are named as short as can be', () => {
  const two: ParameterSpace = [list('fast', 3), { ...list('fast', 4), strategy: 'other' }, list('slow', 9)];
  expect(paramsOf(two, [3, 4, 9])).toEqual({ ema: { fast: 3, slow: 9 }, other: { fast: 4 } });
  expect(dimensionNames(two)).toEqual(['ema.fast', 'other.fast', 'ema.slow']);
  expect(dimensionNames([list('fast', 3)])).toEqual(['fast']);
});
