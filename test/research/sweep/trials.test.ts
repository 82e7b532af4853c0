import { expect, it } from 'vitest';
import {
  type Objective,
  objectiveWords,
  objectiveOf,
  OBJECTIVES,
  rankedPlaces,
  trialFigures,
} from '../../../src/research/sweep/judgement.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';
import { figuresOf } from './sweep-figures.ts';

it('puts the highest first, of equal ones the earlier, and leaves out what has no figure', () => {
  const trials = [1, null, 3, 3, -2].map((sharpe) => figuresOf({ sharpe }));
  expect(rankedPlaces(trials, { objective: 'sharpe', tradesMin: 1 })).toEqual([2, 3, 0, 4]);
});

it('leaves out what traded too little', () => {
  const trials = [figuresOf({ netProfit: 9, trades: 2 }), figuresOf({ netProfit: 1, trades: 30 })];
  expect(rankedPlaces(trials, { objective: 'net_profit', tradesMin: 10 })).toEqual([1]);
});

it.each([
  ['sharpe', { sharpe: 7 }],
  ['sortino', { sortino: 7 }],
  ['calmar', { calmar: 7 }],
  ['net_profit', { netProfit: 7 }],
  ['profit_factor', { profitFactor: 7 }],
  ['sqn', { sqn: 7 }],
  ['expectancy', { expectancy: 7 }],
] satisfies readonly [Objective, object][])('%s reads its own figure', (objective, over) => {
  expect(objectiveOf(figuresOf(over), objective)).toBe(7);
  expect(OBJECTIVES).toContain(objective);
  expect(objectiveWords(objective)).not.toBe('');
});

it('keeps of a run what is judged, and nothing of its rows', () => {
  const { netProfit, trades, dailyReturns, stopped, journalHash, costs } = trialFigures(SAMPLE_RESULT);
  expect({ netProfit, trades, stopped, costs }).toEqual({
    netProfit: -10_000,
    trades: 3,
    stopped: null,
    costs: 21_250,
  });
  expect(dailyReturns.map((each) => Number(each.toFixed(9)))).toEqual([0.1, -0.1]);
  expect(journalHash).toBe(SAMPLE_RESULT.journalHash);
  const stoppedOne = { ...SAMPLE_RESULT.strategies[0]!, stopped: 'it threw' };
  expect(trialFigures({ ...SAMPLE_RESULT, strategies: [stoppedOne] }).stopped).toBe('one: it threw');
});
