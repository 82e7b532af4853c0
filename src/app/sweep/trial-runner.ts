/** Runs one combination of parameters: the same task gives the same figures, in whatever thread. */
import { runBacktest } from '../../backtest/run/run-backtest.ts';
import type { TrialParams } from '../../backtest/research/parameter-space.ts';
import { type TrialFigures, trialFigures } from '../../backtest/research/trial-figures.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { readColumns } from '../../recording/columns/tick-file.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import { planBacktest, type PlanOverrides } from '../backtest/plan-backtest.ts';
import type { SharedColumns } from './shared-columns.ts';

export interface TrialTask {
  readonly params: TrialParams;
  /** Null: all days of the file. */
  readonly days: readonly TradingDay[] | null;
}

export const overridesOf = ({ params, days }: TrialTask, columns: SharedColumns): PlanOverrides => ({
  params,
  readRows: ({ path }) => columns.get(path) ?? readColumns(path),
  ...(days === null ? {} : { days }),
});

export const runTrial = (backtest: Backtest, columns: SharedColumns, task: TrialTask): TrialFigures =>
  trialFigures(runBacktest(planBacktest(backtest, overridesOf(task, columns))));

/** One name for the same work, now and after a restart. */
export function taskKey({ params, days }: TrialTask): string {
  const ids = Object.keys(params).toSorted();
  const sorted = ids.map((id) => [
    id,
    Object.entries(params[id] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  return JSON.stringify([days, sorted]);
}
