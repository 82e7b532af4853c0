/** Files of a run: the report as a page and as JSON, its rows as CSV. */
import { type CsvValue, csvText } from '../../../text/csv.ts';
import { formatLocalTime } from '../../../text/dates.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  BacktestFill,
  BacktestResult,
  BacktestTrade,
  ResultInstrument,
  StrategyResult,
} from '../../../backtest/backtest-result.ts';
import { loadReportAssets, renderReport } from '../../../backtest/report/render-report.ts';
import type { ReportModel } from '../../../backtest/report/report-model.ts';
import { closedTrades, type RunStatistics } from '../../../backtest/statistics/run-statistics.ts';
import { type TradeStatistics, tradeStatistics } from '../../../backtest/statistics/trade-statistics.ts';
import { assert } from '../../../domain/assert.ts';
import { formatPoints, pointDecimals } from '../../../domain/contract.ts';
import { priceTicks, type TsUs, tsUs, US_PER_SECOND } from '../../../domain/units.ts';

export interface ResultFiles {
  readonly report: string;
  readonly others: readonly string[];
}

export interface WrittenResult {
  readonly result: BacktestResult;
  readonly model: ReportModel;
  readonly found: RunStatistics;
  readonly zone: ZoneText;
}

/** The next run of the same backtest file overwrites them. */
export function writeResultFiles(dir: string, { result, model, found, zone }: WrittenResult): ResultFiles {
  mkdirSync(dir, { recursive: true });
  const write = (name: string, text: string): string => {
    const path = join(dir, name);
    writeFileSync(path, text);
    return path;
  };
  return {
    report: write('report.html', renderReport(model, loadReportAssets())),
    others: [
      write('report.json', `${JSON.stringify(resultJson(result, model, found), null, 1)}\n`),
      write('trades.csv', tradesCsv(result, zone)),
      write('fills.csv', fillsCsv(result, zone)),
      write('equity.csv', equityCsv(result, zone)),
      write('daily.csv', dailyCsv(result, found)),
    ],
  };
}

/** Suffix of a time: its offset, or empty where moments were moved to wall-clock time. */
type ZoneText = string;

const stamps =
  ({ utcOffsetMinutes }: BacktestResult, zone: ZoneText): ((at: TsUs) => string) =>
  (at) =>
    formatLocalTime(at, utcOffsetMinutes) + zone;

/** Money in the currency, every digit of it. */
function amounts({ moneyScale }: BacktestResult): (value: number) => string {
  const digits = Math.round(Math.log10(moneyScale));
  return (value) => (value / moneyScale).toFixed(digits);
}

function instrumentOf({ instruments }: BacktestResult, place: number): ResultInstrument {
  const found = instruments[place];
  assert(found !== undefined, 'what was traded is an instrument of the run');
  return found;
}

function tradesCsv(result: BacktestResult, zone: ZoneText): string {
  const [stamp, amount] = [stamps(result, zone), amounts(result)];
  const row = (trade: BacktestTrade, strategy: string): readonly CsvValue[] => {
    const { instrument, direction, qty, entryUs, exitUs, entryValue, exitValue, isOpen } = trade;
    const { symbol, spec } = instrumentOf(result, instrument);
    const average = (value: number): string =>
      (value / (qty * spec.moneyPerHundredth * (spec.partsPerPoint ?? 100))).toFixed(pointDecimals(spec) + 4);
    return [
      strategy,
      symbol,
      direction,
      stamp(entryUs),
      stamp(exitUs),
      qty,
      trade.qtyMax,
      average(entryValue),
      average(exitValue),
      amount(trade.grossProfit),
      amount(trade.fee),
      amount(trade.tax),
      amount(trade.netProfit),
      amount(trade.adverse),
      amount(trade.favourable),
      trade.fills,
      isOpen ? 'open' : 'closed',
    ];
  };
  return csvText(
    'strategy,symbol,direction,entry_time,exit_time,qty,qty_max,entry_price,exit_price,gross_profit,fee,tax,net_profit,adverse,favourable,fills,state'.split(
      ',',
    ),
    result.strategies.flatMap(({ id, trades }) => [...trades].map((trade) => row(trade, id))),
  );
}

function fillsCsv(result: BacktestResult, zone: ZoneText): string {
  const [stamp, amount] = [stamps(result, zone), amounts(result)];
  const row = (fill: BacktestFill, strategy: string): readonly CsvValue[] => {
    const { symbol, spec } = instrumentOf(result, fill.instrument);
    return [
      stamp(fill.tsUs),
      stamp(fill.decidedUs),
      strategy,
      symbol,
      fill.side,
      fill.qty,
      formatPoints(spec, priceTicks(fill.priceTicks)),
      amount(fill.value),
      amount(fill.fee),
      amount(fill.tax),
      fill.liquidity,
      fill.clause,
      fill.cause,
      fill.positionAfter,
    ];
  };
  return csvText(
    'time,decided,strategy,symbol,side,qty,price,value,fee,tax,liquidity,clause,cause,position_after'.split(
      ',',
    ),
    result.strategies.flatMap(({ id, fills }) => [...fills].map((fill) => row(fill, id))),
  );
}

function equityCsv(result: BacktestResult, zone: ZoneText): string {
  const [stamp, amount] = [stamps(result, zone), amounts(result)];
  const { tsUs: times, values } = result.equity;
  return csvText(
    ['time', 'equity'],
    Array.from(times, (at, i) => [stamp(tsUs(at)), amount(values[i] ?? 0)]),
  );
}

function dailyCsv(result: BacktestResult, { daily }: RunStatistics): string {
  const amount = amounts(result);
  return csvText(
    ['day', 'net_profit', 'equity'],
    daily.map(({ day, equity }, i) => {
      const before = daily[i - 1]?.equity ?? result.capital;
      return [day, amount(equity - before), amount(equity)];
    }),
  );
}

/** Every figure as a number: money in the currency, spans in seconds. */
export function resultJson(result: BacktestResult, { tables }: ReportModel, found: RunStatistics): unknown {
  const money = (value: number | undefined): number | null =>
    value === undefined ? null : value / result.moneyScale;
  return {
    version: 1,
    hashes: { configuration: result.configDigest, data: result.dataDigest, journal: result.journalHash },
    seed: result.seed,
    currency: result.currency,
    timeZone: result.timeZone,
    days: result.days,
    warmUpDays: result.warmUpDays,
    capital: money(result.capital),
    statistics: statisticsJson(found, money),
    strategies: result.strategies.map((each) => strategyJson(each, money)),
    instruments: result.instruments.map(({ symbol }) => symbol),
    models: Object.fromEntries(result.models),
    notices: result.notices,
    counts: result.counts,
    tables,
  };
}

type InCurrency = (value: number | undefined) => number | null;

function statisticsJson(found: RunStatistics, money: InCurrency): unknown {
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
    periodsPerYear: found.periodsPerYear,
    dailyReturns: found.dailyReturns,
  };
}

const tradesJson = (trades: TradeStatistics, money: InCurrency): unknown => ({
  count: trades.count,
  wins: trades.wins,
  losses: trades.losses,
  winRate: trades.winRate ?? null,
  profitFactor: trades.profitFactor ?? null,
  expectancy: money(trades.expectancy),
  averageWin: money(trades.averageWin),
  averageLoss: money(trades.averageLoss),
  largestWin: money(trades.largestWin),
  largestLoss: money(trades.largestLoss),
  sqn: trades.sqn ?? null,
});

function strategyJson(strategy: StrategyResult, money: InCurrency): unknown {
  const { id, symbols, params, costs, profit, orders, denialCount, stopped } = strategy;
  const profits = closedTrades([strategy]).map(({ netProfit }) => netProfit);
  return {
    id,
    strategy: strategy.strategy,
    symbols,
    params,
    netProfit: money(profit.values.at(-1) ?? 0),
    costs: Object.fromEntries(Object.entries(costs).map(([kind, value]) => [kind, money(Number(value))])),
    trades: tradesJson(tradeStatistics(profits), money),
    orders,
    denials: denialCount,
    fills: strategy.fills.length,
    heldSeconds: strategy.heldUs / US_PER_SECOND,
    stopped,
  };
}
