/** What a sweep varies: filled up by the strategy's own schema, or reported with its line and what was meant. */
import { expect, test } from 'vitest';
import { readSweep } from '../../../src/research/sweep/read-sweep.ts';
import { formatProblem } from '../../../src/config/problem.ts';
import { loadedBacktest } from '../../support/backtest-plan.ts';
import { sweepPlace } from './sweep-place.ts';

const read = async (section: string) => readSweep(await loadedBacktest(sweepPlace(section).file));

async function planned(section: string) {
  const found = await read(section);
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.plan;
}

const problemsOf = async (section: string): Promise<readonly string[]> => {
  const found = await read(section);
  return found.ok ? [] : found.problems.map(formatProblem);
};

const of = (fast: string): string => `sweep: { parameters: { ema: { fast: ${fast} } } }`;

test.each([
  ['[3, 5, 5]', [3, 5]],
  ['{ from: 2, to: 8, step: 3 }', [2, 5, 8]],
  ['{ from: 2, to: 4 }', [2, 3, 4]],
])('%s are the values %j', async (written, values) => {
  const { space } = await planned(`sweep: { parameters: { ema: { qty: ${written} } } }`);
  expect(space).toEqual([{ strategy: 'ema', param: 'qty', values }]);
});

test('combinations that the strategy refuses are left out', async () => {
  const { trials, refused } = await planned(
    'sweep: { parameters: { ema: { direction: [both, long, short], fast: [5, 30] } } }',
  );
  expect(trials).toEqual([
    ['both', 5],
    ['long', 5],
    ['short', 5],
  ]);
  expect(refused).toBe(3);
});

test('the figure to rank by is that of the section', async () => {
  const { ranking } = await planned(`${of('[7, 8]').slice(0, -1)}, objective: sqn, seed: 9 }`);
  expect(ranking).toEqual({ objective: 'sqn', tradesMin: 1 });
});

test('one day has no Sharpe ratio: net profit is what counts', async () => {
  expect((await planned(of('[3]'))).ranking.objective).toBe('net_profit');
});

test.each([
  ['nothing to vary', '', ':1:1 sweep: expected a parameter to vary, was nothing'],
  [
    'a misspelt key',
    'sweep: { paramters: {} }',
    ':7:10 sweep.paramters: expected a known key, was "paramters" (did you mean parameters?)',
  ],
  [
    'another strategy',
    'sweep: { parameters: { emma: { fast: [3] } } }',
    'sweep.parameters.emma: expected the id of a strategy (ema), was "emma" (did you mean ema?)',
  ],
  [
    'a value out of the schema',
    of('[3, 0]'),
    ':7:41 sweep.parameters.ema.fast[1]: expected integer from 1 to 500, was 0',
  ],
  [
    'a range beyond the schema',
    of('{ from: 3, to: 900, step: 100 }'),
    'fast.to: expected integer from 1 to 500, was 900',
  ],
  [
    'a step of halves for whole numbers',
    of('{ from: 3, to: 5, step: 0.5 }'),
    'expected integer from 1 to 500, was 3.5',
  ],
  [
    'a range of words',
    'sweep: { parameters: { ema: { direction: { from: 1, to: 2 } } } }',
    'direction.from: expected both | long | short, was 1',
  ],
  [
    'too many combinations',
    'sweep: { parameters: { ema: { fast: { from: 1, to: 500 }, slow: { from: 2, to: 1000 } } } }',
    'sweep: expected at most 100000 combinations, was 499,500',
  ],
  [
    'what the strategy always refuses',
    'sweep: { parameters: { ema: { fast: [30], slow: [20] } } }',
    'sweep.parameters: expected a combination that the strategy accepts, was 1 that it refuses',
  ],
  [
    'windows longer than the data',
    `${of('[3]').slice(0, -1)}, walkForward: { inSample: 8, outOfSample: 2 } }`,
    'sweep.walkForward: expected more than 8 days for walk-forward windows, was 1 in the data (take fewer days for inSample)',
  ],
  [
    'a ratio of too few days',
    `${of('[3]').slice(0, -1)}, objective: sharpe }`,
    'sweep.objective: expected net_profit, or 3 days or more for a Sharpe ratio, was "sharpe"',
  ],
  [
    'more whole numbers than a grid takes',
    'sweep: { parameters: { ema: { qty: { from: 1, to: 20000 } } } }',
    'qty: expected at most 10000 values, was 20000 (take a larger step)',
  ],
  [
    'an unknown objective',
    `${of('[3]').slice(0, -1)}, objective: profit }`,
    'sweep.objective: expected one of sharpe, sortino',
  ],
])('%s', async (_, section, expected) => {
  const problems = await problemsOf(section);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(expected);
  expect(problems[0]).toMatch(/run\.yaml:\d+:\d+ /);
});
