/** What a run leaves on the disk: the report as a page and as JSON, and its rows as CSV. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BacktestResult } from '../../../backtest/backtest-result.ts';
import { loadReportAssets } from '../../../backtest/report/load-report-assets.ts';
import { renderReport } from '../../../backtest/report/render-report.ts';
import type { ReportModel } from '../../../backtest/report/report-model.ts';
import type { RunStatistics } from '../../../backtest/statistics/run-statistics.ts';
import { dailyCsv, equityCsv, fillsCsv, tradesCsv, type ZoneText } from './result-csv.ts';
import { resultJson } from './result-json.ts';

export interface ResultFiles {
  readonly report: string;
  readonly others: readonly string[];
}

export interface WrittenResult {
  readonly result: BacktestResult;
  readonly model: ReportModel;
  readonly found: RunStatistics;
  readonly zone: ZoneText;
}

/** The pages that are written over each other by the next run of the same file. */
export function writeResultFiles(dir: string, { result, model, found, zone }: WrittenResult): ResultFiles {
  mkdirSync(dir, { recursive: true });
  const write = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    report: write('report.html', renderReport(model, loadReportAssets())),
    others: [
      write('report.json', `${JSON.stringify(resultJson(result, model, found), null, 1)}\n`),
      write('trades.csv', tradesCsv(result, zone)),
      write('fills.csv', fillsCsv(result, zone)),
      write('equity.csv', equityCsv(result, zone)),
      write('daily.csv', dailyCsv(result, found)),
    ],
  };
}
