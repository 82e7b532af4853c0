/** Which trial is best: by one figure, the higher the better. */
import type { TrialFigures } from './trial-figures.ts';

export const OBJECTIVES = [
  'sharpe',
  'sortino',
  'calmar',
  'net_profit',
  'profit_factor',
  'sqn',
  'expectancy',
] as const;
export type Objective = (typeof OBJECTIVES)[number];

/** In words, for headings. */
export const OBJECTIVE_WORDS: Readonly<Record<Objective, string>> = {
  sharpe: 'Sharpe ratio',
  sortino: 'Sortino ratio',
  calmar: 'Calmar ratio',
  net_profit: 'net profit',
  profit_factor: 'profit factor',
  sqn: 'SQN',
  expectancy: 'expectancy',
};

export interface Ranking {
  readonly objective: Objective;
  /** Runs with fewer closed trades say too little to be picked. */
  readonly tradesMin: number;
}

export function objectiveOf(figures: TrialFigures, objective: Objective): number | null {
  switch (objective) {
    case 'sharpe':
      return figures.sharpe;
    case 'sortino':
      return figures.sortino;
    case 'calmar':
      return figures.calmar;
    case 'net_profit':
      return figures.netProfit;
    case 'profit_factor':
      return figures.profitFactor;
    case 'sqn':
      return figures.sqn;
    case 'expectancy':
      return figures.expectancy;
  }
}

/** Places of the trials that can be picked, best first; of equal ones the earlier, so that the order is one and the same always. */
export function rankedPlaces(
  figures: readonly TrialFigures[],
  { objective, tradesMin }: Ranking,
): readonly number[] {
  const scores = figures.map((each) => (each.trades < tradesMin ? null : objectiveOf(each, objective)));
  return scores
    .flatMap((score, place) => (score === null ? [] : [{ score, place }]))
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .map(({ place }) => place);
}
