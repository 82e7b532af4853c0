/** What a sweep keeps of one run: figures as plain data, so that thousands of runs fit into memory and a file. */
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
