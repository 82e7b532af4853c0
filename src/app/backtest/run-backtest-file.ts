/** Runs a loaded backtest to its end and writes what came of it: what the command line prints, as plain data. */
import { basename, join } from 'node:path';
import type { BacktestPlan } from '../../backtest/backtest-plan.ts';
import type { BacktestResult } from '../../backtest/backtest-result.ts';
import { reportOf } from '../../backtest/report/report-of.ts';
import type { ReportFigure, ReportTable } from '../../backtest/report/report-model.ts';
import { runBacktest } from '../../backtest/run/run-backtest.ts';
import { runStatistics } from '../../backtest/statistics/run-statistics.ts';
import type { Backtest } from './load-backtest.ts';
import { planBacktest } from './plan-backtest.ts';
import { writeResultFiles } from './result-files.ts';
import { resultJson } from './result-json.ts';

export interface BacktestProgress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
}

export interface BacktestRunOptions {
  /** Null: beside the imported columns, in a folder with the name of the file. */
  readonly out: string | null;
  readonly seed: number | null;
  readonly onProgress?: (progress: BacktestProgress) => void;
}

/** What a person sees at the end. */
export interface BacktestOutcome {
  readonly title: string;
  readonly headlines: readonly ReportFigure[];
  readonly strategies: ReportTable | undefined;
  readonly warnings: readonly string[];
  readonly models: readonly (readonly [string, string])[];
  readonly journalHash: string;
  readonly rows: number;
  /** Of the run itself, and of figures and files. */
  readonly runSeconds: number;
  readonly reportSeconds: number;
  readonly report: string;
  readonly others: readonly string[];
  /** The same as in `report.json`. */
  readonly json: unknown;
}

export function runBacktestFile(backtest: Backtest, options: BacktestRunOptions): BacktestOutcome {
  const plan = planBacktest(backtest, options.seed === null ? {} : { seed: options.seed });
  const begunMs = performance.now();
  const result = runBacktest(plan, watched(options));
  const ranMs = performance.now();
  return { ...reported(backtest, plan, result, options), ...spans(begunMs, ranMs) };
}

const watched = ({ onProgress }: BacktestRunOptions): Parameters<typeof runBacktest>[1] =>
  onProgress === undefined
    ? {}
    : { onProgress: ({ rowsDone, rows, day }) => onProgress({ done: rowsDone, all: rows, what: day }) };

const MS_PER_SECOND = 1_000;

const spans = (begunMs: number, ranMs: number): Pick<BacktestOutcome, 'runSeconds' | 'reportSeconds'> => ({
  runSeconds: (ranMs - begunMs) / MS_PER_SECOND,
  reportSeconds: (performance.now() - ranMs) / MS_PER_SECOND,
});

const nameOf = (file: string): string => basename(file).replace(/\.ya?ml$/, '');

function reported(
  { file, read }: Backtest,
  plan: BacktestPlan,
  result: BacktestResult,
  { out }: BacktestRunOptions,
): Omit<BacktestOutcome, 'runSeconds' | 'reportSeconds'> {
  const found = runStatistics(result);
  const model = reportOf(result, nameOf(file));
  const files = writeResultFiles(out ?? join(read.state, nameOf(file)), result, model, found);
  return {
    title: model.subtitle,
    headlines: model.headlines,
    strategies: model.tables[0],
    warnings: model.warnings,
    models: result.models,
    journalHash: result.journalHash,
    rows: plan.data.rows,
    ...files,
    json: resultJson(result, model, found),
  };
}
