/** The figures of a run, each with its definition beside it, and its tables. */
import {
  formatAmount,
  formatPercent,
  formatRatio,
  formatSignedAmount,
  formatSignedPercent,
  type MoneyFormat,
} from '../../text/numbers.ts';
import type { BacktestResult } from '../backtest-result.ts';
import type { PerformanceMetrics } from '../statistics/performance-metrics.ts';
import type { RatioBasis } from '../statistics/return-ratios.ts';
import { costsOf, type RunStatistics, statisticsOfTrades } from '../statistics/run-statistics.ts';
import type { ReportFigure, ReportTable } from './report-model.ts';

type Figure = readonly [name: string, text: string, meaning: string];

const figures = (rows: readonly Figure[]): readonly ReportFigure[] =>
  rows.map(([name, text, meaning]) => ({ name, text, meaning }));

export function headlineFigures(found: RunStatistics, format: MoneyFormat): readonly ReportFigure[] {
  const { trades, drawdowns, costs } = found;
  return figures([
    [
      `Net profit, ${format.currency}`,
      formatSignedAmount(found.netProfit, format),
      'equity at the end - capital, after all costs',
    ],
    ['Return', formatSignedPercent(found.totalReturn), 'last / first - 1'],
    ['Sharpe ratio', formatRatio(found.sharpe), sharpeMeaning(found.basis)],
    ['Deepest drawdown', formatPercent(-drawdowns.fractionMax), 'largest fall from a peak, as a part of it'],
    [
      'Trades',
      String(trades.count),
      `from flat to flat, or to the turn over zero: ${trades.wins} won, ${trades.losses} lost`,
    ],
    ['Win rate', formatPercent(trades.winRate), 'trades with a net gain / all trades'],
    ['Profit factor', formatRatio(trades.profitFactor), 'sum of gains / sum of losses'],
    ['Fees and tax', formatAmount(costs.fees + costs.tax, format), 'all that was charged for fills'],
  ]);
}

const sharpeMeaning = ({ deviation, riskFree }: RatioBasis): string =>
  `mean / ${deviation} deviation of the daily returns x sqrt(sessions of a year); ${riskFree === 0 ? 'risk-free rate 0' : 'above the risk-free rate'} (Sharpe, 1994)`;

/** What neither the headlines nor another section tells. */
export function moreFigures(found: RunStatistics, format: MoneyFormat): readonly ReportFigure[] {
  const { trades } = found;
  const amount = (value: number | undefined): string =>
    value === undefined ? '–' : formatAmount(Math.round(value), format);
  return figures([
    ['Calmar ratio', formatRatio(found.calmar), 'annual return / deepest drawdown (Young, 1991)'],
    ['Expectancy', amount(trades.expectancy), 'mean net profit of a trade'],
    ['Average win', amount(trades.averageWin), 'mean of the gains'],
    ['Average loss', amount(trades.averageLoss), 'mean of the losses, as a positive number'],
    ['Largest win', amount(trades.largestWin), ''],
    ['Largest loss', amount(trades.largestLoss), 'as a positive number'],
    ['SQN', formatRatio(trades.sqn), 'sqrt(n) x mean / deviation of the trades (Van Tharp, 2008)'],
    ['Wins in a row', String(trades.winsInARowMax), 'longest run'],
    ['Losses in a row', String(trades.lossesInARowMax), 'longest run'],
    [
      'Slippage',
      formatAmount(Math.round(found.slippage), format),
      'fills against the middle of the book when their orders were decided; below zero is gained',
    ],
    ['Exposure', formatPercent(found.exposure), 'time with a position / time of the run, nights included'],
    ['Turnover', `${found.turnover.toFixed(1)} x`, 'value of all fills / capital'],
  ]);
}

/** Each metric with its formula; long, so that the page folds it. */
export const metricTable = (
  { metrics, benchmark }: PerformanceMetrics,
  { deviation, periodsPerYear, riskFree }: RatioBasis,
): ReportTable => ({
  title: 'Metrics',
  note: [
    `${deviation} deviation, ${periodsPerYear} days a year, risk-free ${formatPercent((1 + riskFree) ** periodsPerYear - 1)} a year`,
    ...(benchmark === null ? [] : [`against ${benchmark.name}`]),
  ].join('; '),
  columns: ['metric', 'value', 'formula'],
  isText: true,
  rows: metrics.map(({ name, value, isPercent, meaning }) => [
    name,
    isPercent ? formatPercent(value) : formatRatio(value),
    meaning,
  ]),
});

type Row = readonly (string | number | null)[];

export function strategyTable(result: BacktestResult): ReportTable {
  const { strategies, moneyScale } = result;
  return {
    title: 'By strategy',
    note: '',
    columns: [
      'strategy',
      'net profit',
      'trades',
      'win rate',
      'profit factor',
      'orders',
      'denied',
      'fees and tax',
    ],
    rows: strategies.map((each): Row => {
      const found = statisticsOfTrades(result, [each]);
      const { fees, tax } = costsOf([each]);
      return [
        each.id,
        (each.profit.values.at(-1) ?? 0) / moneyScale,
        found.count,
        formatPercent(found.winRate),
        formatRatio(found.profitFactor),
        each.orders,
        each.denialCount,
        (fees + tax) / moneyScale,
      ];
    }),
  };
}
