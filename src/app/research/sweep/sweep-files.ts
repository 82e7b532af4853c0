/** Files of a sweep: the report as a page and as JSON, its trials and windows as CSV. */
import { csvText, type CsvValue } from '../../../text/csv.ts';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { loadReportAssets, renderReport, type ReportAssets } from '../../../backtest/report/render-report.ts';
import type { ReportTable } from '../../../backtest/report/report-model.ts';
import { dimensionNames } from '../../../backtest/research/parameter-space.ts';
import type { TrialFigures } from '../../../backtest/research/trials.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import type { SweepPlan } from './read-sweep.ts';
import { runSweep, type SweepFound, type SweepProgress } from './run-sweep.ts';
import { sweepReport, sweepTables, sweepWarnings, type Units } from './sweep-report.ts';

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

type InCurrency = (value: number) => number;

const FIGURES: Readonly<Record<string, (figures: TrialFigures, money: InCurrency) => CsvValue>> = {
  net_profit: ({ netProfit }, money) => money(netProfit),
  total_return: ({ totalReturn }) => totalReturn,
  sharpe: ({ sharpe }) => sharpe,
  sortino: ({ sortino }) => sortino,
  calmar: ({ calmar }) => calmar,
  max_drawdown: ({ drawdownMax }, money) => money(drawdownMax),
  max_drawdown_fraction: ({ drawdownFraction }) => drawdownFraction,
  profit_factor: ({ profitFactor }) => profitFactor,
  sqn: ({ sqn }) => sqn,
  expectancy: ({ expectancy }, money) => (expectancy === null ? null : money(expectancy)),
  win_rate: ({ winRate }) => winRate,
  trades: ({ trades }) => trades,
  orders: ({ orders }) => orders,
  costs: ({ costs }, money) => money(costs),
  exposure: ({ exposure }) => exposure,
  stopped: ({ stopped }) => stopped,
  journal: ({ journalHash }) => journalHash,
};

const figureCells = (figures: TrialFigures | null, { moneyScale }: Units): readonly CsvValue[] =>
  Object.values(FIGURES).map((cell) =>
    figures === null ? null : cell(figures, (value) => value / moneyScale),
  );

/** In the order of the search; `rank` is empty for what cannot be picked. */
function trialsCsv({ space }: SweepPlan, { trials, ranked }: SweepFound, units: Units): string {
  const rankOf = new Map(ranked.map((place, i) => [place, i + 1]));
  return csvText(
    ['trial', 'rank', ...dimensionNames(space), ...Object.keys(FIGURES)],
    trials.map(({ assignment, figures }, place) => [
      place + 1,
      rankOf.get(place) ?? null,
      ...assignment,
      ...figureCells(figures, units),
    ]),
  );
}

function windowsCsv({ space }: SweepPlan, { walkForward, trials }: SweepFound, units: Units): string {
  const parts = ['in', 'out'].flatMap((part) => Object.keys(FIGURES).map((name) => `${part}_${name}`));
  return csvText(
    ['in_from', 'in_to', 'out_from', 'out_to', ...dimensionNames(space), ...parts],
    (walkForward?.windows ?? []).map(({ window, trial, inSample, outOfSample }) => [
      window.inSample[0] ?? null,
      window.inSample.at(-1) ?? null,
      window.outOfSample[0] ?? null,
      window.outOfSample.at(-1) ?? null,
      ...space.map((_, i) => (trial === null ? null : (trials[trial]?.assignment[i] ?? null))),
      ...figureCells(inSample, units),
      ...figureCells(outOfSample, units),
    ]),
  );
}

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
  const files = writeSweepFiles(dir, backtest, plan, found, name);
  return {
    found,
    tables: sweepTables(plan, found, backtest.market, top),
    warnings: sweepWarnings(plan, found),
    ...files,
  };
}
