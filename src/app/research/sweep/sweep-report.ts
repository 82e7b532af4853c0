/** The report of a sweep: the report of its best trial, with the trials, windows and statistics of its selection. */
import {
  EMPTY_REPORT,
  type ReportFigure,
  type ReportModel,
  type ReportTable,
} from '../../../backtest/report/report-model.ts';
import { monteCarloTables } from '../../../backtest/report/report-fans.ts';
import { reportOf } from '../../../backtest/report/report-of.ts';
import type { TrialFigures } from '../../../backtest/research/trials.ts';
import { dimensionNames, type ParameterSpace } from '../../../backtest/research/parameter-space.ts';
import { objectiveWords } from '../../../backtest/research/trials.ts';
import { selectionWarning } from '../../../backtest/research/selection-bias.ts';
import { formatNumber, formatPercent, formatRatio } from '../../../text/numbers.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import type { SweepPlan } from './read-sweep.ts';
import type { SweepFound } from './run-sweep.ts';

const BEST_SHOWN = 25;

/** The figures of all trials with money in the currency. Equity of the best and of resampled paths stay in whole units. */
export function inCurrency(found: SweepFound, moneyScale: number): SweepFound {
  const scaled = (figures: TrialFigures): TrialFigures => ({
    ...figures,
    netProfit: figures.netProfit / moneyScale,
    drawdownMax: figures.drawdownMax / moneyScale,
    costs: figures.costs / moneyScale,
    expectancy: figures.expectancy === null ? null : figures.expectancy / moneyScale,
  });
  const { trials, walkForward } = found;
  return {
    ...found,
    trials: trials.map(({ assignment, figures }) => ({ assignment, figures: scaled(figures) })),
    walkForward: walkForward && {
      ...walkForward,
      netProfit: walkForward.netProfit / moneyScale,
      windows: walkForward.windows.map((each) => ({
        ...each,
        inSample: each.inSample && scaled(each.inSample),
        outOfSample: each.outOfSample && scaled(each.outOfSample),
      })),
    },
  };
}

/** `found` in currency. */
export function sweepReport(
  backtest: Backtest,
  plan: SweepPlan,
  found: SweepFound,
  title: string,
): ReportModel {
  const { sources } = backtest;
  const base =
    found.best === null
      ? emptyReport(backtest)
      : reportOf(found.best.result, title, { resampled: found.monteCarlo });
  return {
    ...base,
    title,
    subtitle: `${subtitleOf(plan, found)}; ${spanOf(sources.days)}`,
    headlines: [...sweepHeadlines(plan, found), ...base.headlines],
    tables: [...sweepTables(plan, found, BEST_SHOWN), ...base.tables],
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
  return `best of ${trials.length} trials by ${objectiveWords(ranking.objective)}: ${assignmentText(space, chosen.assignment)}`;
}

export function sweepWarnings({ ranking, refused }: SweepPlan, found: SweepFound): readonly string[] {
  const { best, bias, triedEver, trials, ranked } = found;
  const warnings: string[] = [];
  if (best !== null) warnings.push(selectionWarning(bias, triedEver));
  if (ranked.length < trials.length) {
    const few = trials.length - ranked.length;
    warnings.push(
      `${few} of ${trials.length} trials cannot be picked: fewer than ${ranking.tradesMin} trades, no ${objectiveWords(ranking.objective)}, or a strategy that was stopped.`,
    );
  }
  if (refused > 0) warnings.push(`${refused} combinations are left out: the strategy refuses them.`);
  const crashed = stoppedText(found);
  if (crashed !== null) warnings.push(crashed);
  return warnings;
}

/** Null where every strategy ran to the end of each trial. */
export function stoppedText({ trials }: Pick<SweepFound, 'trials'>): string | null {
  const stopped = trials.filter(({ figures }) => figures.stopped !== null);
  const why = stopped[0]?.figures.stopped;
  return typeof why === 'string'
    ? `In ${stopped.length} of ${trials.length} trials a strategy was stopped, first: ${why}`
    : null;
}

function sweepHeadlines(
  { space, ranking }: SweepPlan,
  { bias, walkForward, triedEver }: SweepFound,
): readonly ReportFigure[] {
  const figures: ReportFigure[] = [
    {
      name: 'Trials',
      text: formatNumber(triedEver),
      meaning: `combinations of ${space.length} parameters, ranked by ${objectiveWords(ranking.objective)}`,
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
      text: formatRatio(walkForward.efficiency),
      meaning: 'mean daily return out of sample / in sample of what was chosen (Pardo, 2008)',
    });
  return figures;
}

const emptyReport = ({ market }: Backtest): ReportModel => ({
  ...EMPTY_REPORT,
  currency: market.currency,
  moneyDigits: Math.round(Math.log10(market.moneyScale)),
  timeZone: market.calendar.timeZone,
});

type Row = ReportTable['rows'][number];

/** `found` in currency; `most`: how many of the best trials are listed. */
const sweepTables = (plan: SweepPlan, found: SweepFound, most: number): readonly ReportTable[] =>
  [bestTable(plan, found, most), windowTable(plan, found)].filter((table) => table !== null);

/** For the terminal: `most` as above. */
export const shownTables = (
  plan: SweepPlan,
  found: SweepFound,
  moneyScale: number,
  most: number,
): readonly ReportTable[] => [
  ...sweepTables(plan, inCurrency(found, moneyScale), most),
  ...monteCarloTables(found.monteCarlo, moneyScale),
];

const BEST_COLUMNS: Readonly<Record<string, (figures: TrialFigures) => string | number>> = {
  'net profit': ({ netProfit }) => netProfit,
  return: ({ totalReturn }) => formatPercent(totalReturn),
  Sharpe: ({ sharpe }) => formatRatio(sharpe),
  Calmar: ({ calmar }) => formatRatio(calmar),
  'deepest drawdown': ({ drawdownFraction }) => formatPercent(-drawdownFraction),
  'profit factor': ({ profitFactor }) => formatRatio(profitFactor),
  trades: ({ trades }) => trades,
  'win rate': ({ winRate }) => formatPercent(winRate),
};

const bestTable = ({ space }: SweepPlan, { ranked, trials }: SweepFound, most: number): ReportTable => ({
  title: 'Best trials',
  note: ranked.length > most ? `the first ${most} of ${ranked.length}; all are in trials.csv` : '',
  columns: ['rank', ...dimensionNames(space), ...Object.keys(BEST_COLUMNS)],
  rows: ranked.slice(0, most).flatMap((place, i): readonly Row[] => {
    const trial = trials[place];
    if (trial === undefined) return [];
    const figures = Object.values(BEST_COLUMNS).map((cell) => cell(trial.figures));
    return [[String(i + 1), ...trial.assignment.map(String), ...figures]];
  }),
});

function windowTable({ space }: SweepPlan, { walkForward, trials }: SweepFound): ReportTable | null {
  if (walkForward === null) return null;
  const { windows, efficiency, sharpe, profitable, totalReturn } = walkForward;
  const words = [
    `out of sample: return ${formatPercent(totalReturn)}, Sharpe ratio ${formatRatio(sharpe)}`,
    `${profitable} of ${windows.length} windows earned money`,
    `efficiency ${formatRatio(efficiency)} (mean daily return out of sample / in sample of what was chosen)`,
  ];
  const figures = ['Sharpe in', 'net profit in', 'Sharpe out', 'net profit out', 'trades out'];
  return {
    title: 'Walk-forward windows',
    note: `${words.join('; ')}. Each window begins with the capital anew.`,
    columns: ['out of sample', 'in sample', ...dimensionNames(space), ...figures],
    rows: windows.map(({ window, trial, inSample, outOfSample }): Row => {
      const chosen = trial === null ? undefined : trials[trial];
      return [
        spanOf(window.outOfSample),
        spanOf(window.inSample),
        ...space.map((_, i) => String(chosen?.assignment[i] ?? '–')),
        formatRatio(inSample?.sharpe),
        inSample?.netProfit ?? null,
        formatRatio(outOfSample?.sharpe),
        outOfSample?.netProfit ?? null,
        outOfSample?.trades ?? null,
      ];
    }),
  };
}

function spanOf(days: readonly string[]): string {
  const [first, last] = [days[0] ?? '', days.at(-1) ?? ''];
  return first === last ? first : `${first} to ${last}`;
}

/** Names of the parameters with their values: `fast 5, slow 20`. */
function assignmentText(space: ParameterSpace, assignment: readonly unknown[]): string {
  return dimensionNames(space)
    .map((name, i) => `${name} ${String(assignment[i])}`)
    .join(', ');
}
