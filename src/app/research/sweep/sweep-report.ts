/** The report of a sweep: the report of its best trial, with the trials, windows and statistics of its selection. */
import type { BacktestResult } from '../../../backtest/backtest-result.ts';
import type {
  ReportFan,
  ReportFigure,
  ReportModel,
  ReportTable,
  ReportWindow,
} from '../../../backtest/report/report-model.ts';
import { reportOf } from '../../../backtest/report/report-of.ts';
import { heatMaps } from '../../../backtest/research/heat-maps.ts';
import type { ResampledPaths } from '../../../backtest/research/monte-carlo.ts';
import type { TrialFigures } from '../../../backtest/research/trials.ts';
import { dimensionNames, type ParameterSpace } from '../../../backtest/research/parameter-space.ts';
import { OBJECTIVE_WORDS, objectiveOf } from '../../../backtest/research/trials.ts';
import { selectionWarning } from '../../../backtest/research/selection-bias.ts';
import { formatNumber, formatPercent, formatRatio } from '../../../text/numbers.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import type { SweepPlan } from './read-sweep.ts';
import type { SweepFound } from './run-sweep.ts';

const BEST_SHOWN = 25;
/** Sharpe ratios and factors are shown as they are; money in the currency. */
const MONEY_OBJECTIVES = new Set(['net_profit', 'expectancy']);

export function sweepReport(
  backtest: Backtest,
  plan: SweepPlan,
  found: SweepFound,
  title: string,
): ReportModel {
  const { market, sources } = backtest;
  const base = found.best === null ? emptyReport(backtest) : reportOf(found.best.result, title);
  const { space, ranking } = plan;
  const scale = MONEY_OBJECTIVES.has(ranking.objective) ? market.moneyScale : 1;
  const scored = found.trials.map(({ assignment, figures }) => {
    const score = figures.trades < ranking.tradesMin ? null : objectiveOf(figures, ranking.objective);
    return { assignment, score: score === null ? null : score / scale };
  });
  return {
    ...base,
    title,
    subtitle: `${subtitleOf(plan, found)}; ${spanOf(sources.days)}`,
    headlines: [...sweepHeadlines(plan, found), ...base.headlines],
    heatMaps: heatMaps(space, scored, OBJECTIVE_WORDS[ranking.objective]),
    fans: fansOf(found, market.moneyScale),
    ...windowsOf(found, sources.days, market.moneyScale),
    tables: [...sweepTables(plan, found, market, BEST_SHOWN), ...base.tables],
    warnings: [...sweepWarnings(plan, found), ...base.warnings],
    provenance: [
      ['sweep', found.digest],
      ['trials', `${plan.search.kind} search, ${found.trials.length} of this sweep, ${found.triedEver} ever`],
      ...base.provenance,
    ],
  };
}

function subtitleOf({ space, ranking }: SweepPlan, { best, trials }: SweepFound): string {
  const chosen = best === null ? undefined : trials[best.place];
  if (chosen === undefined) return `none of ${trials.length} trials can be picked`;
  return `best of ${trials.length} trials by ${OBJECTIVE_WORDS[ranking.objective]}: ${assignmentText(space, chosen.assignment)}`;
}

export function sweepWarnings({ ranking, refused }: SweepPlan, found: SweepFound): readonly string[] {
  const { best, bias, triedEver, trials, ranked } = found;
  const warnings: string[] = [];
  if (best !== null) warnings.push(selectionWarning(bias, triedEver));
  if (ranked.length < trials.length) {
    const few = trials.length - ranked.length;
    warnings.push(
      `${few} of ${trials.length} trials cannot be picked: fewer than ${ranking.tradesMin} trades, or no ${OBJECTIVE_WORDS[ranking.objective]}.`,
    );
  }
  if (refused > 0) warnings.push(`${refused} combinations are left out: the strategy refuses them.`);
  const stopped = trials.filter(({ figures }) => figures.stopped !== null);
  const [first] = stopped;
  if (first !== undefined)
    warnings.push(
      `In ${stopped.length} trials a strategy was stopped, first: ${first.figures.stopped ?? ''}`,
    );
  return warnings;
}

function sweepHeadlines(
  { space, ranking }: SweepPlan,
  { bias, walkForward, triedEver }: SweepFound,
): readonly ReportFigure[] {
  const figures: ReportFigure[] = [
    {
      name: 'Trials',
      text: formatNumber(triedEver),
      meaning: `combinations of ${space.length} parameters, ranked by ${OBJECTIVE_WORDS[ranking.objective]}`,
    },
    {
      name: 'Deflated Sharpe ratio',
      text: formatPercent(bias?.deflated),
      meaning:
        'probability that the true Sharpe ratio is above what the best of so many trials shows by chance (Bailey and López de Prado, 2014)',
    },
  ];
  if (walkForward !== null)
    figures.push({
      name: 'Walk-forward efficiency',
      text: formatRatio(walkForward.efficiency ?? undefined),
      meaning: 'mean daily return out of sample / in sample of what was chosen (Pardo, 2008)',
    });
  return figures;
}

const BANDS = [
  ['5 %', 'p5'],
  ['25 %', 'p25'],
  ['50 %', 'p50'],
  ['75 %', 'p75'],
  ['95 %', 'p95'],
] as const;

function fansOf({ monteCarlo }: SweepFound, moneyScale: number): readonly ReportFan[] {
  if (monteCarlo === undefined) return [];
  const fan = (title: string, { equity }: ResampledPaths): ReportFan => ({
    title,
    xName: 'trades',
    x: equity.after,
    bands: BANDS.map(([name, part]) => [name, equity.bands.map((band) => band[part] / moneyScale)]),
  });
  return [
    fan('Equity of the best trial, trades drawn again in blocks', monteCarlo.bootstrapped),
    fan('Equity of the best trial, trades in another order', monteCarlo.shuffled),
  ];
}

function windowsOf(
  { walkForward }: SweepFound,
  days: readonly string[],
  moneyScale: number,
): Pick<ReportModel, 'windows'> {
  if (walkForward === null) return {};
  const placeOf = (day: string | undefined): number => days.findIndex((each) => each === day);
  const rows = walkForward.windows.map(
    ({ window: { inSample, outOfSample }, outOfSample: figures }): ReportWindow => {
      const profit = figures === null ? null : figures.netProfit / moneyScale;
      const money = profit === null ? 'nothing traded' : formatNumber(profit);
      return {
        name: spanOf(outOfSample),
        inFrom: placeOf(inSample[0]),
        outFrom: placeOf(outOfSample[0]),
        outTo: placeOf(outOfSample.at(-1)) + 1,
        profit,
        text: `chosen on ${spanOf(inSample)}, tried on ${spanOf(outOfSample)}: ${money}`,
      };
    },
  );
  return { windows: { days: days.length, rows } };
}

const emptyReport = ({ market }: Backtest): ReportModel => ({
  title: '',
  subtitle: '',
  currency: market.currency,
  timeZone: market.calendar.timeZone,
  headlines: [],
  figures: [],
  equity: null,
  drawdown: null,
  prices: [],
  histograms: [],
  heatMaps: [],
  tables: [],
  warnings: [],
  provenance: [],
});

type Row = ReportTable['rows'][number];

/** Currency, and units of money in one of it. */
export type Units = Pick<BacktestResult, 'moneyScale' | 'currency'>;

const orNothing = (value: number | null): number | undefined => value ?? undefined;

/** `most`: how many of the best trials are listed. */
export const sweepTables = (
  plan: SweepPlan,
  found: SweepFound,
  units: Units,
  most: number,
): readonly ReportTable[] =>
  [
    bestTable(plan, found, units, most),
    windowTable(plan, found, units),
    monteCarloTable(found, units),
  ].filter((table) => table !== null);

const BEST_COLUMNS: Readonly<Record<string, (figures: TrialFigures, moneyScale: number) => string | number>> =
  {
    'net profit': ({ netProfit }, moneyScale) => netProfit / moneyScale,
    return: ({ totalReturn }) => formatPercent(orNothing(totalReturn)),
    Sharpe: ({ sharpe }) => formatRatio(orNothing(sharpe)),
    Calmar: ({ calmar }) => formatRatio(orNothing(calmar)),
    'deepest drawdown': ({ drawdownFraction }) => formatPercent(-drawdownFraction),
    'profit factor': ({ profitFactor }) => formatRatio(orNothing(profitFactor)),
    trades: ({ trades }) => trades,
    'win rate': ({ winRate }) => formatPercent(orNothing(winRate)),
  };

function bestTable(
  { space }: SweepPlan,
  { ranked, trials }: SweepFound,
  { moneyScale }: Units,
  most: number,
): ReportTable {
  return {
    title: 'Best trials',
    note: ranked.length > most ? `the first ${most} of ${ranked.length}; all are in trials.csv` : '',
    columns: ['rank', ...dimensionNames(space), ...Object.keys(BEST_COLUMNS)],
    rows: ranked.slice(0, most).flatMap((place, i): readonly Row[] => {
      const trial = trials[place];
      if (trial === undefined) return [];
      const figures = Object.values(BEST_COLUMNS).map((cell) => cell(trial.figures, moneyScale));
      return [[String(i + 1), ...trial.assignment.map(String), ...figures]];
    }),
  };
}

function windowTable(
  { space }: SweepPlan,
  { walkForward, trials }: SweepFound,
  { moneyScale }: Units,
): ReportTable | null {
  if (walkForward === null) return null;
  const { windows, efficiency, sharpe, profitable, totalReturn } = walkForward;
  const words = [
    `out of sample: return ${formatPercent(totalReturn)}, Sharpe ratio ${formatRatio(orNothing(sharpe))}`,
    `${profitable} of ${windows.length} windows earned money`,
    `efficiency ${formatRatio(orNothing(efficiency))} (mean daily return out of sample / in sample of what was chosen)`,
  ];
  return {
    title: 'Walk-forward windows',
    note: `${words.join('; ')}. Each window begins with the capital anew.`,
    columns: [
      'out of sample',
      'in sample',
      ...dimensionNames(space),
      'Sharpe in',
      'net profit in',
      'Sharpe out',
      'net profit out',
      'trades out',
    ],
    rows: windows.map(({ window, trial, inSample, outOfSample }): Row => {
      const chosen = trial === null ? undefined : trials[trial];
      return [
        spanOf(window.outOfSample),
        spanOf(window.inSample),
        ...space.map((_, i) => String(chosen?.assignment[i] ?? '–')),
        formatRatio(orNothing(inSample?.sharpe ?? null)),
        inSample === null ? null : inSample.netProfit / moneyScale,
        formatRatio(orNothing(outOfSample?.sharpe ?? null)),
        outOfSample === null ? null : outOfSample.netProfit / moneyScale,
        outOfSample?.trades ?? null,
      ];
    }),
  };
}

function spanOf(days: readonly string[]): string {
  const [first, last] = [days[0] ?? '', days.at(-1) ?? ''];
  return first === last ? first : `${first} to ${last}`;
}

function monteCarloTable({ monteCarlo }: SweepFound, { moneyScale }: Units): ReportTable | null {
  if (monteCarlo === undefined) return null;
  const { runs, trades, blockTrades, shuffled, bootstrapped } = monteCarlo;
  const row = (name: string, { p5, p25, p50, p75, p95 }: ResampledPaths['netProfit']): Row => [
    name,
    ...[p5, p25, p50, p75, p95].map((value) => Math.round(value) / moneyScale),
  ];
  const shares = `${formatPercent(bootstrapped.lossShare)} of the bootstrapped paths lose money, ${formatPercent(bootstrapped.ruinShare)} lose all of it`;
  return {
    title: 'Monte Carlo',
    note: `${trades} trades of the best trial, ${formatNumber(runs)} paths each; blocks of ${blockTrades}. ${shares}. It knows only what happened: a market that was not in the data is not in here.`,
    columns: ['', '5 %', '25 %', '50 %', '75 %', '95 %'],
    rows: [
      row('net profit, block bootstrap', bootstrapped.netProfit),
      row('deepest drawdown, block bootstrap', bootstrapped.drawdownMax),
      row('deepest drawdown, trades shuffled', shuffled.drawdownMax),
    ],
  };
}

/** Names of the parameters with their values: `fast 5, slow 20`. */
function assignmentText(space: ParameterSpace, assignment: readonly unknown[]): string {
  return dimensionNames(space)
    .map((name, i) => `${name} ${String(assignment[i])}`)
    .join(', ');
}
