/** Every trial and every window for spreadsheets and notebooks: figures as they are, money in the currency, nothing where there is none. */
import { dimensionNames } from '../../../backtest/research/parameter-space.ts';
import type { TrialFigures } from '../../../backtest/research/trial-figures.ts';
import type { SweepPlan } from './read-sweep.ts';
import type { SweepFound } from './run-sweep.ts';
import type { Units } from './sweep-tables.ts';

const FIGURES = [
  'net_profit',
  'total_return',
  'sharpe',
  'sortino',
  'calmar',
  'max_drawdown',
  'max_drawdown_fraction',
  'profit_factor',
  'sqn',
  'expectancy',
  'win_rate',
  'trades',
  'orders',
  'costs',
  'exposure',
  'stopped',
  'journal',
];

const text = (value: string | number | boolean | null): string => {
  const plain = value === null ? '' : String(value);
  return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

const csv = (rows: readonly (readonly (string | number | boolean | null)[])[]): string =>
  `${rows.map((row) => row.map(text).join(',')).join('\n')}\n`;

function figureCells(
  figures: TrialFigures | null,
  { moneyScale }: Units,
): readonly (string | number | null)[] {
  if (figures === null) return FIGURES.map(() => null);
  const money = (value: number | null): number | null => (value === null ? null : value / moneyScale);
  return [
    money(figures.netProfit),
    figures.totalReturn,
    figures.sharpe,
    figures.sortino,
    figures.calmar,
    money(figures.drawdownMax),
    figures.drawdownFraction,
    figures.profitFactor,
    figures.sqn,
    money(figures.expectancy),
    figures.winRate,
    figures.trades,
    figures.orders,
    money(figures.costs),
    figures.exposure,
    figures.stopped,
    figures.journalHash,
  ];
}

/** In the order of the search; `rank` is empty for what cannot be picked. */
export function trialsCsv({ space }: SweepPlan, { trials, ranked }: SweepFound, units: Units): string {
  const rankOf = new Map(ranked.map((place, i) => [place, i + 1]));
  return csv([
    ['trial', 'rank', ...dimensionNames(space), ...FIGURES],
    ...trials.map(({ assignment, figures }, place) => [
      place + 1,
      rankOf.get(place) ?? null,
      ...assignment,
      ...figureCells(figures, units),
    ]),
  ]);
}

export function windowsCsv({ space }: SweepPlan, { walkForward, trials }: SweepFound, units: Units): string {
  const parts = ['in', 'out'].flatMap((part) => FIGURES.map((name) => `${part}_${name}`));
  return csv([
    ['in_from', 'in_to', 'out_from', 'out_to', ...dimensionNames(space), ...parts],
    ...(walkForward?.windows ?? []).map(({ window, trial, inSample, outOfSample }) => [
      window.inSample[0] ?? null,
      window.inSample.at(-1) ?? null,
      window.outOfSample[0] ?? null,
      window.outOfSample.at(-1) ?? null,
      ...space.map((_, i) => (trial === null ? null : (trials[trial]?.assignment[i] ?? null))),
      ...figureCells(inSample, units),
      ...figureCells(outOfSample, units),
    ]),
  ]);
}
