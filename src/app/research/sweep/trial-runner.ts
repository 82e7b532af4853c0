/** Runs one combination of parameters: the same task gives the same figures, in whatever thread. */
import { runBacktest } from '../../../backtest/run/run-backtest.ts';
import type { TrialParams } from '../../../backtest/research/parameter-space.ts';
import { type TrialFigures, trialFigures } from '../../../backtest/research/trial-figures.ts';
import type { TradingDay } from '../../../domain/civil-date.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import { planBacktest, type PlanOverrides } from '../backtest/plan-backtest.ts';
import { rowReader } from '../backtest/read-rows.ts';
import { columnKey, type SharedColumns } from './shared-columns.ts';

export interface TrialTask {
  readonly params: TrialParams;
  /** Null: all days of the file. */
  readonly days: readonly TradingDay[] | null;
}

/** A row that is not on the shared memory is read from its file: slower, and the same. */
export function overridesOf(
  backtest: Backtest,
  { params, days }: TrialTask,
  columns: SharedColumns,
): PlanOverrides {
  const read = rowReader(backtest);
  return {
    params,
    readRows: (source) => columns.get(columnKey(source)) ?? read(source),
    ...(days === null ? {} : { days }),
  };
}

export const runTrial = (backtest: Backtest, columns: SharedColumns, task: TrialTask): TrialFigures =>
  trialFigures(runBacktest(planBacktest(backtest, overridesOf(backtest, task, columns))));

/** One name for the same work, now and after a restart. Days of a task follow each other, so their ends name them. */
export function taskKey({ params, days }: TrialTask): string {
  const ids = Object.keys(params).toSorted();
  const sorted = ids.map((id) => [
    id,
    Object.entries(params[id] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  return JSON.stringify([days === null ? null : [days[0], days.at(-1)], sorted]);
}
