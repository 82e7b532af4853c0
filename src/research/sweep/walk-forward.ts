/**
 * Walk-forward windows: parameters are chosen on the in-sample days and tried on the out-of-sample days after them, which no
 * choice has seen (Pardo, "The Evaluation and Optimization of Trading Strategies", 2008, chapter 11).
 */
import type { BacktestResult } from '../backtest-result.ts';
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { type RatioBasis, mean, quotient, sharpeRatio, totalReturn } from '../statistics/return-ratios.ts';
import { runStatistics } from '../statistics/run-statistics.ts';

export interface WalkedWindow {
  readonly window: Window;
  /** Place of the chosen trial; null when none could be picked in sample, and nothing was traded out of it. */
  readonly trial: number | null;
  readonly inSample: TrialFigures | null;
  readonly outOfSample: TrialFigures | null;
}

export type WalkForwardResult = ReturnType<typeof walkForwardFound>;

/**
 * The windows together: the parts out of sample, one after the other, are the result that a trader would have had.
 */
export function walkForwardFound(windows: readonly WalkedWindow[], basis: RatioBasis) {
  const outside = windows.flatMap(({ outOfSample }) => outOfSample ?? []);
  const returns = windows.flatMap(
    ({ window, outOfSample }) => outOfSample?.dailyReturns ?? window.outOfSample.map(() => 0),
  );
  const inside = windows.flatMap(({ inSample }) => inSample?.dailyReturns ?? []);
  const [meanOutside, meanInside] = [mean(returns) ?? 0, mean(inside) ?? 0];
  return {
    windows,
    /** Money, summed over the windows: each restarts with the capital. */
    netProfit: outside.reduce((sum, { netProfit }) => sum + netProfit, 0),
    /** Over the days out of sample, one after the other. */
    sharpe: sharpeRatio(returns, basis) ?? null,
    totalReturn: totalReturn(returns),
    /** Windows that earned money out of sample. */
    profitable: outside.filter(({ netProfit }) => netProfit > 0).length,
    /**
     * Mean daily return out of sample / in sample of the choice (Pardo, 2008, chapter 11): near 1 it holds, near 0 or below it was fitted to
     * its days. Null where the choice lost money even in sample.
     */
    efficiency: meanInside > 0 ? meanOutside / meanInside : null,
    trades: outside.reduce((sum, { trades }) => sum + trades, 0),
  };
}

export interface Window {
  readonly inSample: readonly TradingDay[];
  readonly outOfSample: readonly TradingDay[];
  /** Days before `outOfSample` for strategies to warm up; they are the last of `inSample`. */
  readonly warmUp: readonly TradingDay[];
}

type Days = Readonly<Record<'inSample' | 'outOfSample', number>>;

/**
 * Each window moves on by `outOfSample`, so that the parts out of sample neither overlap nor leave a day out. In-sample parts that are not
 * anchored keep their length and move. The last window may have fewer days out of sample; too few days for one make none.
 */
export function walkForwardWindows(
  days: readonly TradingDay[],
  { inSample, outOfSample, anchored }: Days & { readonly anchored: boolean },
  warmUpDays: number,
): readonly Window[] {
  assert(inSample >= 1 && outOfSample >= 1, 'both parts of a window have a day');
  assert(warmUpDays <= inSample, 'a warm-up lies in sample');
  const windows: Window[] = [];
  for (let at = inSample; at < days.length; at += outOfSample) {
    windows.push({
      inSample: days.slice(anchored ? 0 : at - inSample, at),
      outOfSample: days.slice(at, at + outOfSample),
      warmUp: days.slice(at - warmUpDays, at),
    });
  }
  return windows;
}

/** Null where a formula has no value. Money is in the currency. */
export type TrialFigures = ReturnType<typeof trialFigures>;

export function trialFigures(result: BacktestResult) {
  const found = runStatistics(result);
  const { trades, drawdowns } = found;
  const { moneyScale } = result;
  const stopped = result.strategies.find(({ stopped: why }) => why !== null);
  return {
    netProfit: found.netProfit / moneyScale,
    totalReturn: found.totalReturn ?? null,
    sharpe: found.sharpe ?? null,
    sortino: found.sortino ?? null,
    calmar: found.calmar ?? null,
    profitFactor: trades.profitFactor ?? null,
    sqn: trades.sqn ?? null,
    expectancy: quotient(trades.expectancy, moneyScale) ?? null,
    winRate: trades.winRate ?? null,
    /** Money, zero or more. */
    drawdownMax: (drawdowns.deepest?.depth ?? 0) / moneyScale,
    drawdownFraction: drawdowns.fractionMax,
    trades: trades.count,
    orders: result.counts.orders,
    costs: found.costs.total / moneyScale,
    exposure: found.exposure ?? null,
    /** One a day after the warm-up. */
    dailyReturns: found.dailyReturns,
    /** Why a strategy no longer ran at the end, or null. */
    stopped: stopped === undefined ? null : `${stopped.id}: ${stopped.stopped ?? ''}`,
    journalHash: result.journalHash,
  };
}

/** The figures that rank trials, with their words for headings. */
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
