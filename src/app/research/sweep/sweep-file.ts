/** A sweep from a loaded backtest to its files: what the command line prints, as plain data. */
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { ReportTable } from '../../../backtest/report/report-model.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import type { SweepPlan } from './read-sweep.ts';
import { runSweep, type SweepFound, type SweepProgress } from './run-sweep.ts';
import { writeSweepFiles } from './sweep-files.ts';
import { sweepWarnings } from './sweep-report.ts';
import { bestTable, monteCarloTable, windowTable } from './sweep-tables.ts';

export interface SweepFileOptions {
  /** Null: beside the imported columns, in a folder with the name of the file. */
  readonly out: string | null;
  /** Null: one a core. */
  readonly workers: number | null;
  readonly fresh: boolean;
  readonly top: number;
  readonly onProgress: (progress: SweepProgress) => void;
}

export interface SweepOutcome {
  readonly found: SweepFound;
  readonly tables: readonly ReportTable[];
  readonly warnings: readonly string[];
  readonly report: string;
  readonly others: readonly string[];
  readonly json: unknown;
}

export async function sweepFile(
  backtest: Backtest,
  plan: SweepPlan,
  { out, workers, fresh, top, onProgress }: SweepFileOptions,
): Promise<SweepOutcome> {
  const name = basename(backtest.file).replace(/\.ya?ml$/, '');
  const dir = out ?? join(backtest.read.state, `${name}-sweep`);
  const threads = workers ?? availableParallelism();
  const found = await runSweep(backtest, plan, { dir, workers: threads, fresh, onProgress });
  const { market } = backtest;
  const tables = [
    bestTable(plan, found, market, top),
    windowTable(plan, found, market),
    monteCarloTable(found, market),
  ].filter((table) => table !== null);
  const files = writeSweepFiles(dir, backtest, plan, found, name);
  return { found, tables, warnings: sweepWarnings(plan, found), ...files };
}
