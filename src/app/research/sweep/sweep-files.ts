/** What a sweep leaves on the disk: a page, the same as JSON, and its trials and windows as CSV. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadReportAssets } from '../../../backtest/report/load-report-assets.ts';
import { renderReport, type ReportAssets } from '../../../backtest/report/render-report.ts';
import { dimensionNames } from '../../../backtest/research/parameter-space.ts';
import type { TrialFigures } from '../../../backtest/research/trial-figures.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import type { SweepPlan } from './read-sweep.ts';
import type { SweepFound } from './run-sweep.ts';
import { trialsCsv, windowsCsv } from './sweep-csv.ts';
import { sweepReport, sweepWarnings } from './sweep-report.ts';

export interface SweepFiles {
  readonly report: string;
  readonly others: readonly string[];
  /** The same as in `sweep.json`. */
  readonly json: unknown;
}

export function writeSweepFiles(
  dir: string,
  backtest: Backtest,
  plan: SweepPlan,
  found: SweepFound,
  title: string,
  assets: ReportAssets = loadReportAssets(),
): SweepFiles {
  const write = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  const { market } = backtest;
  const json = sweepJson(backtest, plan, found);
  return {
    report: write('report.html', renderReport(sweepReport(backtest, plan, found, title), assets)),
    others: [
      write('sweep.json', `${JSON.stringify(json, null, 1)}\n`),
      write('trials.csv', trialsCsv(plan, found, market)),
      ...(found.walkForward === null ? [] : [write('windows.csv', windowsCsv(plan, found, market))]),
    ],
    json,
  };
}

/** Money in the currency, as in the JSON of a backtest. */
function sweepJson({ market, sources }: Backtest, plan: SweepPlan, found: SweepFound): unknown {
  const { moneyScale, currency } = market;
  const names = dimensionNames(plan.space);
  const figures = (each: TrialFigures | null): unknown =>
    each === null
      ? null
      : {
          ...each,
          netProfit: each.netProfit / moneyScale,
          drawdownMax: each.drawdownMax / moneyScale,
          costs: each.costs / moneyScale,
          expectancy: each.expectancy === null ? null : each.expectancy / moneyScale,
        };
  const trial = (place: number): unknown => {
    const { assignment = [], figures: found1 = null } = found.trials[place] ?? {};
    return {
      trial: place + 1,
      params: Object.fromEntries(names.map((name, i) => [name, assignment[i]])),
      ...spread(figures(found1)),
    };
  };
  const { walkForward } = found;
  return {
    version: 1,
    digest: found.digest,
    currency,
    days: sources.days,
    search: plan.search,
    ranking: plan.ranking,
    refused: plan.refused,
    triedEver: found.triedEver,
    warnings: sweepWarnings(plan, found),
    selectionBias: found.bias ?? null,
    best: found.best === null ? null : trial(found.best.place),
    ranked: found.ranked.map((place) => place + 1),
    trials: found.trials.map((_, place) => trial(place)),
    walkForward:
      walkForward === null
        ? null
        : {
            ...walkForward,
            netProfit: walkForward.netProfit / moneyScale,
            windows: walkForward.windows.map(({ window, trial: place, inSample, outOfSample }) => ({
              ...window,
              trial: place === null ? null : place + 1,
              inSampleFigures: figures(inSample),
              outOfSampleFigures: figures(outOfSample),
            })),
          },
    monteCarlo: found.monteCarlo === undefined ? null : { moneyScale, ...found.monteCarlo },
  };
}

const spread = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
