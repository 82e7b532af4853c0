/** Writes the results of a run or a sweep: the report as a page and as JSON, its rows as CSV. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writing } from '../../domain/failure.ts';
import type { ReportModel } from '../../backtest/report/report-model.ts';
import { loadReportAssets, renderReport, type ReportAssets } from '../../backtest/report/render-report.ts';
import type { Backtest } from './backtest/load-backtest.ts';

export interface ResearchReport {
  readonly model: ReportModel;
  /** Name of its file, and its content. */
  readonly json: readonly [name: string, content: unknown];
  /** Text by name of the file. */
  readonly csv: Readonly<Record<string, string>>;
}

/** Paths of the files. */
export interface ReportFiles {
  readonly report: string;
  readonly others: readonly string[];
}

/** The next run of the same backtest file overwrites them. */
export function writeReport(
  dir: string,
  { model, json: [name, content], csv }: ResearchReport,
  assets: ReportAssets = loadReportAssets(),
): ReportFiles {
  mkdirSync(dir, { recursive: true });
  const write = (file: string, text: string): string => {
    const path = join(dir, file);
    writing(path, () => writeFileSync(path, text));
    return path;
  };
  return {
    report: write('report.html', renderReport(model, assets)),
    others: [
      write(name, `${JSON.stringify(content, null, 1)}\n`),
      ...Object.entries(csv).map(([file, text]) => write(file, text)),
    ],
  };
}

/** Title of the report of a backtest file. */
export const titleOf = ({ file }: Backtest): string => basename(file).replace(/\.ya?ml$/, '');

export interface ResearchProgress {
  readonly done: number;
  readonly all: number;
  readonly what: string;
}
