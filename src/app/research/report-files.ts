/** Writes the results of a run or a sweep: the report as a page and as JSON, its rows as CSV. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** The files of the run before are overwritten when all of these are whole: a full disk leaves those as they were. */
export function writeReport(
  dir: string,
  { model, json: [name, content], csv }: ResearchReport,
  assets: ReportAssets = loadReportAssets(),
): ReportFiles {
  const texts = {
    'report.html': renderReport(model, assets),
    [name]: `${JSON.stringify(content, null, 1)}\n`,
    ...csv,
  };
  mkdirSync(dir, { recursive: true });
  const unfinished = mkdtempSync(join(dir, '.unfinished-'));
  try {
    for (const [file, text] of Object.entries(texts))
      writing(join(dir, file), () => writeFileSync(join(unfinished, file), text));
    for (const file of Object.keys(texts)) renameSync(join(unfinished, file), join(dir, file));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  const [report = '', ...others] = Object.keys(texts).map((file) => join(dir, file));
  return { report, others };
}

export const titleOf = ({ file }: Backtest): string => basename(file).replace(/\.ya?ml$/, '');
