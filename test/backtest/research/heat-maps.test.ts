import { expect, it } from 'vitest';
import { heatMaps } from '../../../src/backtest/research/heat-maps.ts';
import type { Dimension } from '../../../src/backtest/research/parameter-space.ts';

const dimension = (param: string): Dimension => ({
  strategy: 'ema',
  param,
  choices: { kind: 'list', values: [] },
});
const trial = (score: number | null, ...assignment: (number | string)[]) => ({ assignment, score });

it('shows the median of the trials of each pair of values', () => {
  const trials = [
    trial(1, 5, 20, 'long'),
    trial(9, 5, 20, 'short'),
    trial(4, 3, 20, 'long'),
    trial(null, 3, 30, 'long'),
  ];
  const [first, ...rest] = heatMaps(['fast', 'slow', 'side'].map(dimension), trials, 'Sharpe ratio');
  expect(first).toEqual({
    title: 'Sharpe ratio by fast and slow',
    xName: 'slow',
    yName: 'fast',
    xValues: ['20', '30'],
    yValues: ['3', '5'],
    cells: [
      [4, null],
      [5, null],
    ],
  });
  expect(rest.map(({ title }) => title)).toEqual([
    'Sharpe ratio by fast and side',
    'Sharpe ratio by slow and side',
  ]);
});

it('is a single row for one parameter, and nothing for none', () => {
  expect(heatMaps([dimension('fast')], [trial(2, 3), trial(1, 5)], 'net profit')).toEqual([
    {
      title: 'Net profit by fast',
      xName: 'fast',
      yName: '',
      xValues: ['3', '5'],
      yValues: ['all'],
      cells: [[2, 1]],
    },
  ]);
  expect(heatMaps([dimension('fast')], [trial(2, 3)], 'net profit')).toEqual([]);
});

it('puts many values into classes', () => {
  const trials = Array.from({ length: 100 }, (_, i) => trial(i, i / 10));
  const [map] = heatMaps([dimension('x')], trials, 'SQN');
  expect(map!.xValues).toHaveLength(16);
  expect(map!.xValues[0]).toBe('0 to 0.6188');
  expect(map!.cells[0]![0]).toBe(3);
  expect(map!.cells[0]![15]).toBe(96);
});
