/** A sweep as tables: the same rows on the terminal, on the page and as CSV. */
import type { BacktestResult } from '../../../backtest/backtest-result.ts';
import { formatNumber, formatPercent, formatRatio } from '../../../text/numbers.ts';
import type { ReportTable } from '../../../backtest/report/report-model.ts';
import type { ResampledPaths } from '../../../backtest/research/monte-carlo.ts';
import { dimensionNames, type ParameterSpace } from '../../../backtest/research/parameter-space.ts';
import type { SweepPlan } from './read-sweep.ts';
import type { SweepFound } from './run-sweep.ts';

type Row = ReportTable['rows'][number];

/** What money is counted in. */
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

function bestTable(
  { space }: SweepPlan,
  found: SweepFound,
  { moneyScale }: Units,
  most: number,
): ReportTable {
  const { ranked, trials } = found;
  return {
    title: 'Best trials',
    note: ranked.length > most ? `the first ${most} of ${ranked.length}; all are in trials.csv` : '',
    columns: [
      'rank',
      ...dimensionNames(space),
      'net profit',
      'return',
      'Sharpe',
      'Calmar',
      'deepest drawdown',
      'profit factor',
      'trades',
      'win rate',
    ],
    rows: ranked.slice(0, most).flatMap((place, i): readonly Row[] => {
      const trial = trials[place];
      if (trial === undefined) return [];
      const { assignment, figures } = trial;
      return [
        [
          String(i + 1),
          ...assignment.map(String),
          figures.netProfit / moneyScale,
          formatPercent(orNothing(figures.totalReturn)),
          formatRatio(orNothing(figures.sharpe)),
          formatRatio(orNothing(figures.calmar)),
          formatPercent(-figures.drawdownFraction),
          formatRatio(orNothing(figures.profitFactor)),
          figures.trades,
          formatPercent(orNothing(figures.winRate)),
        ],
      ];
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

export function spanOf(days: readonly string[]): string {
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
export function assignmentText(space: ParameterSpace, assignment: readonly unknown[]): string {
  return dimensionNames(space)
    .map((name, i) => `${name} ${String(assignment[i])}`)
    .join(', ');
}
