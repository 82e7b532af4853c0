/** The report of a sweep: the report of its best trial, with the trials, windows and statistics of its selection. */
import type { ReportFigure, ReportModel, ReportTable } from '../report/report-model.ts';
import { monteCarloTables, createReport } from '../report/create-report.ts';
import { type TrialFigures, objectiveWords, type WalkForwardResult, selectionWarning } from './judgement.ts';
import { dimensionNames, paramsOf, type SweepPlan } from './read-sweep.ts';
import { formatCount, formatNumber, formatPercent, formatRatio } from '../../text/numbers.ts';
import { type Backtest, memoryOf } from '../spec/load-backtest.ts';
import { type SweepOptions, type SweepResult, runSweep } from './run-sweep.ts';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ReportAssets } from '../report/render-report.ts';
import { describeMemory } from '../backtest-plan.ts';
import { csvText } from '../../text/table.ts';
import { EVENT_MS_MAX } from '../backtest/hang-watch.ts';
import { titleOf, writeReport } from '../backtest/result-files.ts';

const BEST_SHOWN = 25;
const REMARKS_SHOWN = 3;

function sweepReport(backtest: Backtest, found: SweepResult): ReportModel {
  const { sources } = backtest;
  const title = titleOf(backtest);
  const base =
    found.best === null
      ? emptyReport(backtest)
      : createReport(found.best.result, title, { resampled: found.monteCarlo });
  return {
    ...base,
    title,
    subtitle: `${subtitleOf(found)}; ${spanOf(sources.days)}`,
    headlines: [...sweepHeadlines(found), ...base.headlines],
    tables: [...sweepTables(found, BEST_SHOWN), ...base.tables],
    warnings: [...sweepWarnings(found), ...base.warnings],
    provenance: [
      ['sweep', found.digest],
      [
        'trials',
        `${found.search.kind} search, ${found.trials.length} of this sweep, ${found.triedEver} ever`,
      ],
      ...base.provenance,
    ],
  };
}

function subtitleOf(found: SweepResult): string {
  const { trials, ranking } = found;
  const params = bestParams(found);
  return params === null
    ? `none of ${formatCount(trials.length, 'trial')} can be picked`
    : `best of ${formatCount(trials.length, 'trial')} by ${objectiveWords(ranking.objective)}: ${params}`;
}

function sweepWarnings(found: SweepResult): readonly string[] {
  const { ranking, refused, best, bias, triedEver, trials, ranked } = found;
  const unpicked = `fewer than ${formatCount(ranking.tradesMin, 'trade')}, no figure for ${objectiveWords(ranking.objective)}, or a strategy that was stopped`;
  const warnings: string[] = [];
  if (best !== null) warnings.push(selectionWarning(bias, triedEver));
  const { windows = [] } = found.walkForward ?? {};
  if (windows.length > 0 && found.walkForward?.profitable === 0)
    warnings.push(
      `None of ${formatCount(windows.length, 'window')} earned money out of sample: what the sweep picked did not hold on days that it had not seen.`,
    );
  const idle = windows.filter(({ trial }) => trial === null);
  if (idle.length > 0)
    warnings.push(
      `In ${idle.length} of ${windows.length} windows no trial can be picked in sample, and nothing is traded out of it: ${unpicked}.`,
    );
  const thin = windows.filter(
    (each) =>
      each.trial !== null && !((each.inSample?.trades ?? 0) > 1 && (each.outOfSample?.trades ?? 0) > 1),
  );
  if (thin[0] !== undefined)
    warnings.push(
      `${thin.length} of ${windows.length} windows have one trade or none, in sample or out of it (the first: ${spanOf(thin[0].window.outOfSample)}): such a window proves nothing; give it more days (sweep.walkForward), or ask for more trades (sweep.tradesMin).${thin[0].window.warmUp.length === 0 ? ' Without a warm-up (warmUpDays, with memory: run) its strategies may be cold.' : ''}`,
    );
  const few = trials.length - ranked.length;
  if (few > 0)
    warnings.push(`${few} of ${formatCount(trials.length, 'trial')} cannot be picked: ${unpicked}.`);
  if (refused > 0) warnings.push(`${refused} combinations are left out: the strategy refuses them.`);
  const crashed = stoppedText(found);
  if (crashed !== null) warnings.push(crashed);
  return warnings;
}

/** Null where every strategy ran to the end of each trial. */
export function stoppedText({ trials }: Pick<SweepResult, 'trials'>): string | null {
  const stopped = trials.filter(({ figures }) => figures.stopped !== null);
  const why = stopped[0]?.figures.stopped;
  return typeof why === 'string'
    ? `In ${stopped.length} of ${trials.length} trials a strategy was stopped, first: ${why}`
    : null;
}

const sweepHeadlines = (found: SweepResult): readonly ReportFigure[] => [
  ...(found.walkForward === null ? [] : windowFigures(found.walkForward)),
  [
    'Trials',
    formatNumber(found.triedEver),
    `combinations of ${found.space.length} parameters, ranked by ${objectiveWords(found.ranking.objective)}`,
  ],
  [
    'Deflated Sharpe ratio',
    formatPercent(found.bias?.deflated),
    'probability that the true Sharpe ratio is above what the best of so many trials shows by chance (Bailey and López de Prado, 2014)',
  ],
];

const windowFigures = (found: WalkForwardResult): readonly ReportFigure[] => [
  [
    'Return out of sample',
    formatPercent(found.totalReturn),
    `${found.profitable} of ${found.windows.length} windows earned money`,
  ],
  ['Sharpe ratio out of sample', formatRatio(found.sharpe), 'of the days of all windows'],
  [
    'Walk-forward efficiency',
    formatRatio(found.efficiency),
    'mean daily return out of sample / in sample of what was chosen (Pardo, 2008)',
  ],
];

const moneyDigitsOf = ({ market }: Backtest): number => Math.round(Math.log10(market.moneyScale));

const emptyReport = (backtest: Backtest): Omit<ReportModel, 'title' | 'subtitle'> => ({
  moneyDigits: moneyDigitsOf(backtest),
  headlines: [],
  tables: [],
  warnings: [],
  provenance: [],
  run: null,
});

type SweepRow = ReportTable['rows'][number];

/** `most`: how many of the best trials are listed. */
const sweepTables = (found: SweepResult, most: number): readonly ReportTable[] =>
  [windowTable(found), bestTable(found, most)].filter((table) => table !== null);

/** They fit a terminal of 80 columns next to three parameters; `trials.csv` has all figures. */
const BEST_COLUMNS: Readonly<Record<string, (figures: TrialFigures) => string | number>> = {
  'net profit': ({ netProfit }) => netProfit,
  Sharpe: ({ sharpe }) => formatRatio(sharpe),
  Calmar: ({ calmar }) => formatRatio(calmar),
  drawdown: ({ drawdownFraction }) => formatPercent(-drawdownFraction),
  trades: ({ trades }) => trades,
  wins: ({ winRate }) => formatPercent(winRate),
};

const bestTable = ({ space, ranked, ranking, trials }: SweepResult, most: number): ReportTable => ({
  title: 'Best trials',
  note: `by ${objectiveWords(ranking.objective)}${ranked.length > most ? `, the first ${most} of ${ranked.length}; all are in trials.csv` : ''}`,
  columns: ['rank', ...dimensionNames(space), ...Object.keys(BEST_COLUMNS)],
  rows: ranked.slice(0, most).flatMap((index, i): readonly SweepRow[] => {
    const trial = trials[index];
    if (trial === undefined) return [];
    const figures = Object.values(BEST_COLUMNS).map((cell) => cell(trial.figures));
    return [[String(i + 1), ...trial.assignment.map(String), ...figures]];
  }),
});

function windowTable({ space, walkForward, trials }: SweepResult): ReportTable | null {
  if (walkForward === null) return null;
  const { windows } = walkForward;
  const warmUp = windows[0]?.window.warmUp.length ?? 0;
  const words = windowFigures(walkForward).map(([name, text, meaning]) => `${name} ${text} (${meaning})`);
  const figures = ['net profit out', 'Sharpe out', 'trades out', 'net profit in', 'Sharpe in', 'trades in'];
  return {
    title: 'Walk-forward windows',
    note: `${words.join('; ')}. Each window starts with the full capital; warm-up: ${warmUp === 0 ? 'none' : `${formatCount(warmUp, 'day')} in sample`}.`,
    columns: ['out of sample', 'in sample', ...dimensionNames(space), ...figures],
    rows: windows.map(({ window, trial, inSample, outOfSample }): SweepRow => {
      const chosen = trial === null ? undefined : trials[trial];
      return [
        spanOf(window.outOfSample),
        spanOf(window.inSample),
        ...space.map((_, i) => String(chosen?.assignment[i] ?? '–')),
        ...[outOfSample, inSample].flatMap((part) => [
          part?.netProfit ?? null,
          formatRatio(part?.sharpe),
          part?.trades ?? null,
        ]),
      ];
    }),
  };
}

function spanOf(days: readonly string[]): string {
  const [first, last] = [days[0] ?? '', days.at(-1) ?? ''];
  return first === last ? first : `${first} to ${last}`;
}

/** The best trial as it is written in the file: `ema: { fast: 3, slow: 45 }`; null where none can be picked. */
function bestParams({ space, best, trials }: SweepResult): string | null {
  const assignment = best === null ? undefined : trials[best.index]?.assignment;
  if (assignment === undefined) return null;
  return Object.entries(paramsOf(space, assignment))
    .map(([id, params]) => {
      const pairs = Object.entries(params).map(([name, value]) => `${name}: ${String(value)}`);
      return `${id}: { ${pairs.join(', ')} }`;
    })
    .join(', ');
}

/** `workers` absent: one a core. */
export interface SweepFileOptions
  extends Pick<SweepOptions, 'openPool' | 'onProgress'>, Partial<Pick<SweepOptions, 'workers' | 'fresh'>> {
  /** Absent: next to the imported columns, in a folder with the name of the file. */
  readonly out?: string;
  /** Longest milliseconds that a strategy may take for one event; absent: those of a backtest. */
  readonly eventLimit?: number;
  /** Trials in the table of the best. */
  readonly top: number;
}

export const sweepDir = (backtest: Backtest, out?: string): string =>
  out ?? join(backtest.config.state, `${titleOf(backtest)}-sweep`);

export type SweepOutcome = Awaited<ReturnType<typeof sweepFile>>;

export async function sweepFile(backtest: Backtest, plan: SweepPlan, options: SweepFileOptions) {
  const { out, workers = availableParallelism(), eventLimit = EVENT_MS_MAX, fresh = false, top } = options;
  const dir = sweepDir(backtest, out);
  const found = await runSweep(backtest, plan, { ...options, dir, workers, eventMsMax: eventLimit, fresh });
  return {
    ...writeSweepFiles(dir, backtest, found),
    found,
    bestParams: bestParams(found),
    tables: [...sweepTables(found, top), ...monteCarloTables(found.monteCarlo, backtest.market.moneyScale)],
    moneyDigits: moneyDigitsOf(backtest),
    warnings: [...backtest.sources.remarks.slice(0, REMARKS_SHOWN), ...sweepWarnings(found)],
    /** Whether strategies of a trial begin again each morning, in words. */
    memory: describeMemory(memoryOf(backtest.config, backtest.market)),
  };
}

export function writeSweepFiles(dir: string, backtest: Backtest, found: SweepResult, assets?: ReportAssets) {
  const json = sweepJson(backtest, found);
  const csv = { 'trials.csv': trialsCsv(found) };
  const model = sweepReport(backtest, found);
  return { ...writeReport(dir, { model, json: ['sweep.json', json], csv }, assets), json };
}

/** Money in the currency, as in the JSON of a backtest. */
function sweepJson({ market, sources }: Backtest, found: SweepResult): unknown {
  const { moneyScale, currency } = market;
  const names = dimensionNames(found.space);
  const { walkForward, best, monteCarlo } = found;
  const trials = found.trials.map(({ assignment, figures }, index) => ({
    trial: index + 1,
    params: Object.fromEntries(names.map((name, i) => [name, assignment[i]])),
    ...figures,
  }));
  return {
    version: 1,
    digest: found.digest,
    currency,
    days: sources.days,
    search: found.search,
    ranking: found.ranking,
    refused: found.refused,
    triedEver: found.triedEver,
    warnings: [...sources.remarks, ...sweepWarnings(found)],
    selectionBias: found.bias ?? null,
    best: best === null ? null : trials[best.index],
    ranked: found.ranked.map((index) => index + 1),
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

/** In the order of the search; `rank` is empty for a trial that cannot be picked. */
function trialsCsv({ space, trials, ranked }: SweepResult): string {
  const rankOf = new Map(ranked.map((index, i) => [index, i + 1]));
  return csvText(
    ['trial', 'rank', ...dimensionNames(space), ...Object.keys(FIGURES)],
    trials.map(({ assignment, figures }, index) => [
      index + 1,
      rankOf.get(index) ?? null,
      ...assignment,
      ...Object.values(FIGURES).map((key) => figures[key]),
    ]),
  );
}
