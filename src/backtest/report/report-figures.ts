/** The figures of a run, each with its definition beside it, and its tables. */
import { dayAt, timeOfDayUs } from '../../domain/civil-date.ts';
import { formatTimeOfDay } from '../../text/dates.ts';
import { formatSpan } from '../../text/durations.ts';
import {
  formatAmount,
  formatPercent,
  formatRatio,
  formatSignedAmount,
  formatSignedPercent,
  type MoneyFormat,
} from '../../text/numbers.ts';
import { type BacktestResult, type BacktestTrade } from '../backtest-result.ts';
import type { PerformanceMetrics } from '../statistics/performance-metrics.ts';
import type { RatioBasis } from '../statistics/return-ratios.ts';
import {
  costsOf,
  countedTrades,
  type RunStatistics,
  statisticsOfTrades,
  tradeStatistics,
} from '../statistics/run-statistics.ts';
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
    ['Trades', String(trades.count), 'round trips: from flat to flat, or to the turn over zero'],
    ['Win rate', formatPercent(trades.winRate), 'trades with a net gain / all trades'],
    ['Profit factor', formatRatio(trades.profitFactor), 'sum of gains / sum of losses'],
    ['Fees and tax', formatAmount(costs.fees + costs.tax, format), 'all that was charged for fills'],
  ]);
}

const sharpeMeaning = ({ deviation, riskFree }: RatioBasis): string =>
  `mean / ${deviation} deviation of the daily returns x sqrt(sessions of a year); ${riskFree === 0 ? 'risk-free rate 0' : 'above the risk-free rate'} (Sharpe, 1994)`;

export function allFigures(found: RunStatistics, format: MoneyFormat): readonly ReportFigure[] {
  return figures([
    ...returnFigures(found, format),
    ...tradeFigures(found, format),
    ...costFigures(found, format),
  ]);
}

function returnFigures(found: RunStatistics, format: MoneyFormat): readonly Figure[] {
  const { drawdowns } = found;
  return [
    ['Net profit', formatSignedAmount(found.netProfit, format), 'equity at the end - capital'],
    ['Return', formatSignedPercent(found.totalReturn), 'last / first - 1 over the whole run'],
    [
      'Annual return',
      formatSignedPercent(found.annualReturn),
      `(last / first)^(${found.basis.periodsPerYear} / days) - 1: of little meaning for a run of few days`,
    ],
    ['Sharpe ratio', formatRatio(found.sharpe), sharpeMeaning(found.basis)],
    [
      'Sortino ratio',
      formatRatio(found.sortino),
      'mean / root mean square of the losses over all days x sqrt(sessions of a year) (Sortino and Price, 1994)',
    ],
    ['Calmar ratio', formatRatio(found.calmar), 'annual return / deepest drawdown (Young, 1991)'],
    [
      'Deepest drawdown',
      formatAmount(-(drawdowns.deepest?.depth ?? 0), format),
      'largest fall of equity from a peak, in money',
    ],
    ['Deepest drawdown, relative', formatPercent(-drawdowns.fractionMax), 'largest fall / its peak'],
    [
      'Longest drawdown',
      formatSpan(drawdowns.longestUs),
      'from a peak until equity was there again, or until the end',
    ],
  ];
}

function tradeFigures({ trades }: RunStatistics, format: MoneyFormat): readonly Figure[] {
  const amount = (value: number | undefined): string =>
    value === undefined ? '–' : formatAmount(Math.round(value), format);
  return [
    [
      'Trades',
      String(trades.count),
      `${trades.wins} won, ${trades.losses} lost; what is still open is left out`,
    ],
    ['Win rate', formatPercent(trades.winRate), 'won / all'],
    ['Profit factor', formatRatio(trades.profitFactor), 'sum of gains / sum of losses'],
    ['Expectancy', amount(trades.expectancy), 'mean net profit of a trade'],
    ['Average win', amount(trades.averageWin), 'mean of the gains'],
    ['Average loss', amount(trades.averageLoss), 'mean of the losses, as a positive number'],
    ['Largest win', amount(trades.largestWin), ''],
    ['Largest loss', amount(trades.largestLoss), 'as a positive number'],
    ['SQN', formatRatio(trades.sqn), 'sqrt(n) x mean / deviation of the trades (Van Tharp, 2008)'],
    ['Wins in a row', String(trades.winsInARowMax), 'longest run'],
    ['Losses in a row', String(trades.lossesInARowMax), 'longest run'],
  ];
}

function costFigures(found: RunStatistics, format: MoneyFormat): readonly Figure[] {
  return [
    ['Fees', formatAmount(found.costs.fees, format), 'exchange, clearing and broker'],
    ['Tax', formatAmount(found.costs.tax, format), ''],
    [
      'Spread paid',
      formatAmount(found.costs.spread, format),
      'fills against the middle of the book when they happened; part of the prices, not a charge',
    ],
    [
      'Slippage',
      formatAmount(Math.round(found.slippage), format),
      'fills against the middle of the book when their orders were decided; below zero is gained',
    ],
    ['Exposure', formatPercent(found.exposure), 'time with a position / time of the run, nights included'],
    ['Turnover', `${found.turnover.toFixed(1)} x`, 'value of all fills / capital'],
  ];
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

/** Net profit by strategy, month, day, hour and side. */
export function resultTables(result: BacktestResult, found: RunStatistics): readonly ReportTable[] {
  const trades = countedTrades(result, result.strategies);
  const { utcOffsetMinutes: offset, moneyScale } = result;
  const byMonth = new Map<string, number>();
  let before: number = result.capital;
  for (const { day, equity } of found.daily) {
    const month = day.slice(0, 7);
    byMonth.set(month, (byMonth.get(month) ?? 0) + equity - before);
    before = equity;
  }
  const hourOf = ({ entryUs }: BacktestTrade): string =>
    `${formatTimeOfDay(timeOfDayUs(entryUs, offset)).slice(0, 2)}:00`;
  return [
    strategyTable(result),
    {
      title: 'By month',
      isPictured: true,
      note: 'change of equity, open profit included',
      columns: ['month', 'net profit'],
      rows: [...byMonth].map(([month, profit]) => [month, profit / moneyScale]),
    },
    dayTable(result, found),
    byHour(tradeTable('By hour of entry', trades, hourOf, moneyScale)),
    tradeTable('By side', trades, ({ direction }) => direction, moneyScale),
    {
      ...tradeTable('By day of exit', trades, ({ exitUs }) => dayAt(exitUs, offset), moneyScale),
      isPictured: true,
    },
  ];
}

/** One hour alone says nothing: bars of a day trade at one. */
const byHour = (table: ReportTable): ReportTable =>
  table.rows.length < 2 ? { ...table, isPictured: true } : table;

function strategyTable(result: BacktestResult): ReportTable {
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

function dayTable({ capital, moneyScale }: BacktestResult, { daily }: RunStatistics): ReportTable {
  return {
    title: 'By day',
    isPictured: true,
    note: 'change of equity, open profit included',
    columns: ['day', 'net profit', 'equity'],
    rows: daily.map(({ day, equity }, i) => [
      day,
      (equity - (daily[i - 1]?.equity ?? capital)) / moneyScale,
      equity / moneyScale,
    ]),
  };
}

function tradeTable(
  title: string,
  trades: readonly BacktestTrade[],
  keyOf: (trade: BacktestTrade) => string,
  moneyScale: number,
): ReportTable {
  const groups = new Map<string, BacktestTrade[]>();
  for (const trade of trades) {
    const key = keyOf(trade);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [trade]);
    else group.push(trade);
  }
  return {
    title,
    note: 'closed trades',
    columns: ['', 'net profit', 'trades', 'win rate', 'expectancy'],
    rows: [...groups]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, group]): Row => {
        const found = tradeStatistics(group.map(({ netProfit }) => netProfit));
        const net = group.reduce((total, { netProfit }) => total + netProfit, 0);
        return [
          key,
          net / moneyScale,
          found.count,
          formatPercent(found.winRate),
          (found.expectancy ?? 0) / moneyScale,
        ];
      }),
  };
}
