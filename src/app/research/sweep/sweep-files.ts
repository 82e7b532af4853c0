/** Files of a sweep: the report as a page and as JSON, its trials and windows as CSV. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ReportAssets } from '../../../backtest/report/render-report.ts';
import type { Progress } from '../../../backtest/run/run-backtest.ts';
import { describeMemory } from '../../../backtest/backtest-plan.ts';
import type { ReportTable } from '../../../backtest/report/report-model.ts';
import { dimensionNames } from '../../../backtest/research/parameter-space.ts';
import type { TrialFigures } from '../../../backtest/research/trials.ts';
import { csvText, type CsvValue } from '../../../text/csv.ts';
import { EVENT_MS_MAX } from '../backtest/hang-watch.ts';
import { type Backtest, memoryOf } from '../backtest/load-backtest.ts';
import { type ReportFiles, titleOf, writeReport } from '../report-files.ts';
import type { SweepPlan } from './read-sweep.ts';
import { runSweep, type SweepFound } from './run-sweep.ts';
import { inCurrency, shownTables, sweepReport, sweepWarnings } from './sweep-report.ts';

export interface SweepFileOptions {
  /** Absent: beside the imported columns, in a folder with the name of the file. */
  readonly out?: string;
  /** Absent: one a core. */
  readonly workers?: number;
  /** Longest milliseconds that a strategy may take for one event; absent: those of a backtest. */
  readonly eventLimit?: number;
  readonly fresh?: boolean;
  /** Trials in the table of the best. */
  readonly top: number;
  readonly onProgress: (progress: Progress) => void;
}

interface SweepFiles extends ReportFiles {
  /** The same as in `sweep.json`. */
  readonly json: unknown;
}

export interface SweepOutcome extends SweepFiles {
  readonly found: SweepFound;
  readonly tables: readonly ReportTable[];
  readonly warnings: readonly string[];
  /** Whether strategies of a trial begin again each morning, in words. */
  readonly memory: string;
}

export async function sweepFile(
  backtest: Backtest,
  plan: SweepPlan,
  {
    out,
    workers = availableParallelism(),
    eventLimit = EVENT_MS_MAX,
    fresh = false,
    top,
    onProgress,
  }: SweepFileOptions,
): Promise<SweepOutcome> {
  const title = titleOf(backtest);
  const dir = out ?? join(backtest.read.state, `${title}-sweep`);
  const found = await runSweep(backtest, plan, { dir, workers, eventMsMax: eventLimit, fresh, onProgress });
  const { moneyScale } = backtest.market;
  return {
    ...writeSweepFiles(dir, backtest, plan, found, title),
    found,
    tables: shownTables(plan, found, moneyScale, top),
    warnings: sweepWarnings(plan, found),
    memory: describeMemory(memoryOf(backtest.read, backtest.market)),
  };
}

export function writeSweepFiles(
  dir: string,
  backtest: Backtest,
  plan: SweepPlan,
  found: SweepFound,
  title: string,
  assets?: ReportAssets,
): SweepFiles {
  const shown = inCurrency(found, backtest.market.moneyScale);
  const json = sweepJson(backtest, plan, shown);
  const csv = {
    'trials.csv': trialsCsv(plan, shown),
    ...(found.walkForward === null ? {} : { 'windows.csv': windowsCsv(plan, shown) }),
  };
  const model = sweepReport(backtest, plan, shown, title);
  return { ...writeReport(dir, { model, json: ['sweep.json', json], csv }, assets), json };
}

/** Money in the currency, as in the JSON of a backtest. */
function sweepJson({ market, sources }: Backtest, plan: SweepPlan, found: SweepFound): unknown {
  const { moneyScale, currency } = market;
  const names = dimensionNames(plan.space);
  const { walkForward, best, monteCarlo } = found;
  const trials = found.trials.map(({ assignment, figures }, place) => ({
    trial: place + 1,
    params: Object.fromEntries(names.map((name, i) => [name, assignment[i]])),
    ...figures,
  }));
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
    best: best === null ? null : trials[best.place],
    ranked: found.ranked.map((place) => place + 1),
    trials,
    walkForward:
      walkForward === null
        ? null
        : {
            ...walkForward,
            windows: walkForward.windows.map(({ window, trial, inSample, outOfSample }) => ({
              ...window,
              trial: trial === null ? null : trial + 1,
              inSampleFigures: inSample,
              outOfSampleFigures: outOfSample,
            })),
          },
    monteCarlo: monteCarlo === undefined ? null : { moneyScale, ...monteCarlo },
  };
}

const FIGURES: Readonly<Record<string, Exclude<keyof TrialFigures, 'dailyReturns'>>> = {
  net_profit: 'netProfit',
  total_return: 'totalReturn',
  sharpe: 'sharpe',
  sortino: 'sortino',
  calmar: 'calmar',
  max_drawdown: 'drawdownMax',
  max_drawdown_fraction: 'drawdownFraction',
  profit_factor: 'profitFactor',
  sqn: 'sqn',
  expectancy: 'expectancy',
  win_rate: 'winRate',
  trades: 'trades',
  orders: 'orders',
  costs: 'costs',
  exposure: 'exposure',
  stopped: 'stopped',
  journal: 'journalHash',
};

const figureCells = (figures: TrialFigures | null): readonly CsvValue[] =>
  Object.values(FIGURES).map((key) => figures?.[key] ?? null);

/** In the order of the search; `rank` is empty for a trial that cannot be picked. */
function trialsCsv({ space }: SweepPlan, { trials, ranked }: SweepFound): string {
  const rankOf = new Map(ranked.map((place, i) => [place, i + 1]));
  return csvText(
    ['trial', 'rank', ...dimensionNames(space), ...Object.keys(FIGURES)],
    trials.map(({ assignment, figures }, place) => [
      place + 1,
      rankOf.get(place) ?? null,
      ...assignment,
      ...figureCells(figures),
    ]),
  );
}

function windowsCsv({ space }: SweepPlan, { walkForward, trials }: SweepFound): string {
  const parts = ['in', 'out'].flatMap((part) => Object.keys(FIGURES).map((name) => `${part}_${name}`));
  return csvText(
    ['in_from', 'in_to', 'out_from', 'out_to', ...dimensionNames(space), ...parts],
    (walkForward?.windows ?? []).map(({ window, trial, inSample, outOfSample }) => [
      ...[window.inSample, window.outOfSample].flatMap((days) => [days[0] ?? null, days.at(-1) ?? null]),
      ...space.map((_, i) => (trial === null ? null : (trials[trial]?.assignment[i] ?? null))),
      ...figureCells(inSample),
      ...figureCells(outOfSample),
    ]),
  );
}
