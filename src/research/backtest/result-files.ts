/** Content of the files of a run: its figures as JSON, its rows as CSV. */
import type { BacktestResult, StrategyResult } from '../backtest-result.ts';
import type { ReportModel } from '../report/report-model.ts';
import {
  type PerformanceMetrics,
  type RunStatistics,
  type TradeStatistics,
  statisticsOfTrades,
  instrumentOf,
} from '../statistics/run-statistics.ts';
import { assertDefined } from '../../domain/assert.ts';
import {
  type ContractSpec,
  formatPoints,
  pointDecimals,
  pointValueOf,
  unitsOf,
} from '../../domain/contract.ts';
import { type TsUs, US_PER_MINUTE, US_PER_SECOND, priceTicks, tsUs } from '../../domain/units.ts';
import { csvRows, csvText } from '../../text/table.ts';
import { decimalText } from '../../text/decimals.ts';
import { formatLocalTime, formatUtcOffset } from '../../text/dates.ts';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withPath } from '../../domain/failure.ts';
import { type ReportAssets, loadReportAssets, renderReport } from '../report/render-report.ts';
import type { Backtest } from '../spec/load-backtest.ts';

/** Text by name of the file. Each time has its offset, which the local time may decide. */
export function resultCsv(
  result: BacktestResult,
  { daily }: RunStatistics,
  offsetAt: (localUs: number) => number,
): Readonly<Record<string, string>> {
  const { equity, funds, utcOffsetMinutes, moneyScale } = result;
  const digits = Math.round(Math.log10(moneyScale));
  const stamp = (at: TsUs): string =>
    formatLocalTime(at, utcOffsetMinutes) + formatUtcOffset(offsetAt(at + utcOffsetMinutes * US_PER_MINUTE));
  const amount = (value: number): string => (value / moneyScale).toFixed(digits);
  const money = {
    equity: equity.values,
    cash: funds.cash,
    margin_used: funds.marginUsed,
    buying_power: funds.buyingPower,
  };
  return {
    'trades.csv': tradesCsv(result, stamp, amount),
    'fills.csv': fillsCsv(result, stamp, amount),
    'equity.csv': csvText(
      ['time', ...Object.keys(money)],
      Array.from(equity.tsUs, (at, i) => [
        stamp(tsUs(at)),
        ...Object.values(money).map((column) =>
          amount(assertDefined(column[i], 'each sample of the equity has its money')),
        ),
      ]),
    ),
    'daily.csv': csvText(
      ['day', 'net_profit', 'equity'],
      daily.map(({ day, equity: closing, profit }) => [day, amount(profit), amount(closing)]),
    ),
  };
}

type Stamp = (at: TsUs) => string;
/** Money in the currency, every digit of it. */
type Amount = (value: number) => string;

const inStrategies = <Row extends { readonly instrument: number }>(
  { strategies, instruments }: BacktestResult,
  rowsOf: (strategy: StrategyResult) => Iterable<Row>,
) =>
  strategies.flatMap((strategy) =>
    [...rowsOf(strategy)].map((row) => {
      const { symbol, spec } = instrumentOf(instruments, row.instrument);
      return { id: strategy.id, row, symbol, spec };
    }),
  );

const units = (spec: ContractSpec, qty: number): string => decimalText(unitsOf(spec, qty));

const averagePrice = (value: number, qty: number, spec: ContractSpec): string =>
  (value / (qty * pointValueOf(spec))).toFixed(pointDecimals(spec) + 4);

function tradesCsv(result: BacktestResult, stamp: Stamp, amount: Amount): string {
  return csvRows(
    inStrategies(result, ({ trades }) => trades),
    {
      strategy: ({ id }) => id,
      symbol: ({ symbol }) => symbol,
      direction: ({ row }) => row.direction,
      entry_time: ({ row }) => stamp(row.entryUs),
      exit_time: ({ row }) => stamp(row.exitUs),
      qty: ({ row, spec }) => units(spec, row.qty),
      qty_max: ({ row, spec }) => units(spec, row.qtyMax),
      entry_price: ({ row, spec }) => averagePrice(row.entryValue, row.qty, spec),
      exit_price: ({ row, spec }) => averagePrice(row.exitValue, row.qty, spec),
      gross_profit: ({ row }) => amount(row.grossProfit),
      fee: ({ row }) => amount(row.fee),
      tax: ({ row }) => amount(row.tax),
      net_profit: ({ row }) => amount(row.netProfit),
      adverse: ({ row }) => amount(row.adverse),
      favourable: ({ row }) => amount(row.favourable),
      fills: ({ row }) => row.fills,
      state: ({ row }) => (row.isOpen ? 'open' : 'closed'),
    },
  );
}

const fillsCsv = (result: BacktestResult, stamp: Stamp, amount: Amount): string =>
  csvRows(
    inStrategies(result, ({ fills }) => fills),
    {
      time: ({ row }) => stamp(row.tsUs),
      decided: ({ row }) => stamp(row.decidedUs),
      strategy: ({ id }) => id,
      symbol: ({ symbol }) => symbol,
      side: ({ row }) => row.side,
      qty: ({ row, spec }) => units(spec, row.qty),
      price: ({ row, spec }) => formatPoints(spec, priceTicks(row.priceTicks)),
      value: ({ row }) => amount(row.value),
      fee: ({ row }) => amount(row.fee),
      tax: ({ row }) => amount(row.tax),
      liquidity: ({ row }) => row.liquidity,
      clause: ({ row }) => row.clause,
      cause: ({ row }) => row.cause,
      position_after: ({ row, spec }) => units(spec, row.positionAfter),
      order_id: ({ row }) => (row.orderNo === 0 ? '' : row.orderNo),
    },
  );

/** Every figure as a number: money in the currency, spans in seconds. */
export function resultJson(
  result: BacktestResult,
  { tables }: ReportModel,
  found: RunStatistics,
  { metrics, aggregate, benchmark }: PerformanceMetrics,
): unknown {
  const money = (value: number | undefined): number | null =>
    value === undefined ? null : value / result.moneyScale;
  const { cash, marginUsed, buyingPower } = result.funds;
  return {
    version: 1,
    hashes: { configuration: result.configDigest, data: result.dataDigest, journal: result.journalHash },
    seed: result.seed,
    currency: result.currency,
    timeZone: result.timeZone,
    days: result.days,
    warmUpDays: result.warmUpDays,
    capital: money(result.capital),
    /** At the end of the run, and at their extremes. */
    funds: {
      cash: money(cash.at(-1)),
      cashMin: money(leastOf(cash)),
      marginUsed: money(marginUsed.at(-1)),
      marginUsedMax: money(marginUsed.reduce((most, value) => Math.max(most, value), 0)),
      buyingPower: money(buyingPower.at(-1)),
      buyingPowerMin: money(leastOf(buyingPower)),
    },
    statistics: {
      ...statisticsJson(found, money),
      metrics: Object.fromEntries(Array.from(metrics, ([key, value]) => [key, value ?? null])),
      aggregateReturns: {
        month: Object.fromEntries(aggregate.month),
        year: Object.fromEntries(aggregate.year),
      },
      benchmark,
    },
    strategies: result.strategies.map((each) => strategyJson(result, each, money)),
    instruments: result.instruments.map(({ symbol }) => symbol),
    models: Object.fromEntries(result.models),
    notices: result.notices,
    counts: result.counts,
    tables,
  };
}

type InCurrency = (value: number | undefined) => number | null;

function statisticsJson(found: RunStatistics, money: InCurrency): object {
  const { drawdowns, costs } = found;
  return {
    netProfit: money(found.netProfit),
    totalReturn: found.totalReturn ?? null,
    annualReturn: found.annualReturn ?? null,
    sharpe: found.sharpe ?? null,
    sortino: found.sortino ?? null,
    calmar: found.calmar ?? null,
    maxDrawdown: money(drawdowns.deepest?.depth ?? 0),
    maxDrawdownFraction: drawdowns.fractionMax,
    longestDrawdownSeconds: drawdowns.longestUs / US_PER_SECOND,
    exposure: found.exposure ?? null,
    turnover: found.turnover,
    slippage: money(found.slippage),
    costs: { fees: money(costs.fees), tax: money(costs.tax), spread: money(costs.spread) },
    trades: tradesJson(found.trades, money),
    ...found.basis,
    dailyReturns: found.dailyReturns,
  };
}

const leastOf = (column: Float64Array): number | undefined =>
  column.length === 0 ? undefined : column.reduce((least, value) => Math.min(least, value), Infinity);

const IN_MONEY = /^(?:expectancy|averageWin|averageLoss|largestWin|largestLoss)$/;

const tradesJson = (trades: TradeStatistics, money: InCurrency): unknown =>
  Object.fromEntries(
    Object.entries(trades).map(([key, value]: [string, number | undefined]) => [
      key,
      IN_MONEY.test(key) ? money(value) : (value ?? null),
    ]),
  );

function strategyJson(result: BacktestResult, strategy: StrategyResult, money: InCurrency): unknown {
  const { id, symbols, params, costs, profit, orders, denialCount, stopped } = strategy;
  return {
    id,
    strategy: strategy.strategy,
    symbols,
    params,
    netProfit: money(profit.values.at(-1) ?? 0),
    costs: Object.fromEntries(Object.entries(costs).map(([kind, value]) => [kind, money(Number(value))])),
    trades: tradesJson(statisticsOfTrades(result, [strategy]), money),
    orders,
    denials: denialCount,
    fills: strategy.fills.length,
    heldSeconds: strategy.heldUs / US_PER_SECOND,
    stopped,
  };
}

export interface ResearchReport {
  readonly model: ReportModel;
  readonly json: readonly [name: string, content: unknown];
  readonly csv: Readonly<Record<string, string>>;
}

/** The files of the run before are overwritten when all of these are whole: a full disk leaves those as they were. */
export function writeReport(
  dir: string,
  { model, json: [name, content], csv }: ResearchReport,
  assets: ReportAssets = loadReportAssets(),
) {
  const texts = {
    'report.html': renderReport(model, assets),
    [name]: `${JSON.stringify(content, null, 1)}\n`,
    ...csv,
  };
  mkdirSync(dir, { recursive: true });
  const unfinished = mkdtempSync(join(dir, '.unfinished-'));
  try {
    for (const [file, text] of Object.entries(texts))
      withPath(join(dir, file), () => writeFileSync(join(unfinished, file), text));
    for (const file of Object.keys(texts)) renameSync(join(unfinished, file), join(dir, file));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  const [report = '', ...others] = Object.keys(texts).map((file) => join(dir, file));
  return { report, others };
}

export const titleOf = ({ file }: Backtest): string => basename(file).replace(/\.ya?ml$/, '');
