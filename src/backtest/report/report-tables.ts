/** Net profit by strategy, day, month, hour and side. */
import { dayAt, timeOfDayUs } from '../../domain/civil-date.ts';
import { formatTimeOfDay } from '../../text/dates.ts';
import type { BacktestResult, BacktestTrade } from '../backtest-result.ts';
import { closedTrades, costsOf, type RunStatistics } from '../statistics/run-statistics.ts';
import { tradeStatistics } from '../statistics/trade-statistics.ts';
import { formatPercent, formatRatio } from '../../text/numbers.ts';
import type { ReportTable } from './report-model.ts';

type Row = readonly (string | number | null)[];

export function resultTables(result: BacktestResult, found: RunStatistics): readonly ReportTable[] {
  const trades = closedTrades(result.strategies);
  const { utcOffsetMinutes: offset, moneyScale } = result;
  const byMonth = new Map<string, number>();
  let before: number = result.capital;
  for (const { day, equity } of found.daily) {
    add(byMonth, day.slice(0, 7), equity - before);
    before = equity;
  }
  const hourOf = ({ entryUs }: BacktestTrade): string =>
    `${formatTimeOfDay(timeOfDayUs(entryUs, offset)).slice(0, 2)}:00`;
  return [
    strategyTable(result),
    {
      title: 'By month',
      note: 'change of equity, open profit included',
      columns: ['month', 'net profit'],
      rows: [...byMonth].map(([month, profit]) => [month, profit / moneyScale]),
    },
    dayTable(result, found),
    tradeTable('By hour of entry', 'closed trades', trades, hourOf, moneyScale),
    tradeTable('By side', 'closed trades', trades, ({ direction }) => direction, moneyScale),
    tradeTable('By day of exit', 'closed trades', trades, ({ exitUs }) => dayAt(exitUs, offset), moneyScale),
  ];
}

function strategyTable({ strategies, moneyScale }: BacktestResult): ReportTable {
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
      const found = tradeStatistics(closedTrades([each]).map(({ netProfit }) => netProfit));
      return [
        each.id,
        (each.profit.values.at(-1) ?? 0) / moneyScale,
        found.count,
        formatPercent(found.winRate),
        formatRatio(found.profitFactor),
        each.orders,
        each.denialCount,
        costsOf([each]).total / moneyScale,
      ];
    }),
  };
}

function dayTable({ capital, moneyScale }: BacktestResult, { daily }: RunStatistics): ReportTable {
  return {
    title: 'By day',
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
  note: string,
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
    note,
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

const add = (totals: Map<string, number>, key: string, amount: number): void =>
  void totals.set(key, (totals.get(key) ?? 0) + amount);
