/** Monte Carlo on the trades of a run, as pictures and as a table: how much of its result is luck. */
import { formatNumber, formatPercent } from '../../text/numbers.ts';
import type { BacktestResult } from '../backtest-result.ts';
import {
  monteCarlo,
  type MonteCarlo,
  type MonteCarloFound,
  type ResampledPaths,
} from '../statistics/monte-carlo.ts';
import { countedTrades } from '../statistics/run-statistics.ts';
import type { ReportFan, ReportTable } from './report-model.ts';

const PATHS = 1_000;
const PATHS_MIN = 100;
/** Over all paths of one kind: a run with very many trades has fewer paths, so that its report is there at once. */
const STEPS = 2_000_000;

/** Undefined for fewer than two closed trades. */
export function resampledTrades(result: BacktestResult, how?: MonteCarlo): MonteCarloFound | undefined {
  const profits = countedTrades(result, result.strategies).map(({ netProfit }) => netProfit);
  const runs = Math.max(PATHS_MIN, Math.min(PATHS, Math.floor(STEPS / Math.max(1, profits.length))));
  return monteCarlo(profits, result.capital, how ?? { runs, seed: result.seed });
}

const BANDS = [
  ['5 %', 'p5'],
  ['25 %', 'p25'],
  ['50 %', 'p50'],
  ['75 %', 'p75'],
  ['95 %', 'p95'],
] as const;

export function fansOf(found: MonteCarloFound | undefined, moneyScale: number): readonly ReportFan[] {
  if (found === undefined) return [];
  const fan = (title: string, { equity }: ResampledPaths): ReportFan => ({
    title,
    xName: 'trades',
    x: equity.after,
    bands: BANDS.map(([name, part]) => [name, equity.bands.map((band) => band[part] / moneyScale)]),
  });
  return [
    fan('Equity if trades were drawn again in blocks', found.bootstrapped),
    fan('Equity if trades came in another order', found.shuffled),
  ];
}

export function monteCarloTables(
  found: MonteCarloFound | undefined,
  moneyScale: number,
): readonly ReportTable[] {
  if (found === undefined) return [];
  const { runs, seed, trades, blockTrades, shuffled, bootstrapped } = found;
  const row = (name: string, band: ResampledPaths['netProfit']): ReportTable['rows'][number] => [
    name,
    ...BANDS.map(([, part]) => Math.round(band[part]) / moneyScale),
  ];
  const shares = `${formatPercent(bootstrapped.lossShare)} of the bootstrapped paths lose money, ${formatPercent(bootstrapped.ruinShare)} lose all of it`;
  return [
    {
      title: 'Monte Carlo',
      note: `${formatNumber(trades)} trades, ${formatNumber(runs)} paths each; blocks of ${blockTrades}, seed ${seed}. ${shares}. It knows only what happened: a market that was not in the data is not in here.`,
      columns: ['', ...BANDS.map(([name]) => name)],
      rows: [
        row('net profit, block bootstrap', bootstrapped.netProfit),
        row('deepest drawdown, block bootstrap', bootstrapped.drawdownMax),
        row('deepest drawdown, trades shuffled', shuffled.drawdownMax),
      ],
    },
  ];
}
