/** The trials of a sweep: their figures as plain data, so that thousands fit into memory and a file, and their ranking by one. */
import type { BacktestResult } from '../backtest-result.ts';
import { runStatistics } from '../statistics/run-statistics.ts';

/** Null where a formula has no value. Money is whole units of the books, as in the result. */
export interface TrialFigures {
  readonly netProfit: number;
  readonly totalReturn: number | null;
  readonly sharpe: number | null;
  readonly sortino: number | null;
  readonly calmar: number | null;
  readonly profitFactor: number | null;
  readonly sqn: number | null;
  readonly expectancy: number | null;
  readonly winRate: number | null;
  /** Money, zero or more. */
  readonly drawdownMax: number;
  readonly drawdownFraction: number;
  readonly trades: number;
  readonly orders: number;
  readonly costs: number;
  readonly exposure: number | null;
  /** One a day after the warm-up. */
  readonly dailyReturns: readonly number[];
  /** Why a strategy no longer ran at the end, or null. */
  readonly stopped: string | null;
  readonly journalHash: string;
}

export function trialFigures(result: BacktestResult): TrialFigures {
  const found = runStatistics(result);
  const { trades, drawdowns } = found;
  const stopped = result.strategies.find(({ stopped: why }) => why !== null);
  return {
    netProfit: found.netProfit,
    totalReturn: found.totalReturn ?? null,
    sharpe: found.sharpe ?? null,
    sortino: found.sortino ?? null,
    calmar: found.calmar ?? null,
    profitFactor: trades.profitFactor ?? null,
    sqn: trades.sqn ?? null,
    expectancy: trades.expectancy ?? null,
    winRate: trades.winRate ?? null,
    drawdownMax: drawdowns.deepest?.depth ?? 0,
    drawdownFraction: drawdowns.fractionMax,
    trades: trades.count,
    orders: result.counts.orders,
    costs: found.costs.total,
    exposure: found.exposure ?? null,
    dailyReturns: found.dailyReturns,
    stopped: stopped === undefined ? null : `${stopped.id}: ${stopped.stopped ?? ''}`,
    journalHash: result.journalHash,
  };
}

/** What trials are ranked by, with its words for headings. */
const OBJECTIVE = {
  sharpe: ['sharpe', 'Sharpe ratio'],
  sortino: ['sortino', 'Sortino ratio'],
  calmar: ['calmar', 'Calmar ratio'],
  net_profit: ['netProfit', 'net profit'],
  profit_factor: ['profitFactor', 'profit factor'],
  sqn: ['sqn', 'SQN'],
  expectancy: ['expectancy', 'expectancy'],
} as const satisfies Readonly<Record<string, readonly [keyof TrialFigures, words: string]>>;

export type Objective = keyof typeof OBJECTIVE;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a literal
export const OBJECTIVES = Object.keys(OBJECTIVE) as readonly Objective[];

export const objectiveWords = (objective: Objective): string => OBJECTIVE[objective][1];

export interface Ranking {
  readonly objective: Objective;
  /** Runs with fewer closed trades say too little to be picked. */
  readonly tradesMin: number;
}

export const objectiveOf = (figures: TrialFigures, objective: Objective): number | null =>
  figures[OBJECTIVE[objective][0]];

/** Places of the trials that can be picked, best first, none in which a strategy was stopped; of equal ones the earlier, so that the order is one and the same always. */
export function rankedPlaces(
  figures: readonly TrialFigures[],
  { objective, tradesMin }: Ranking,
): readonly number[] {
  const scores = figures.map((each) =>
    each.trades < tradesMin || each.stopped !== null ? null : objectiveOf(each, objective),
  );
  return scores
    .flatMap((score, place) => (score === null ? [] : [{ score, place }]))
    .toSorted((a, b) => b.score - a.score || a.place - b.place)
    .map(({ place }) => place);
}
