/** A run for machines: every figure as a number (money in the currency, times of spans in seconds), and what it rests on. */
import type { BacktestResult, StrategyResult } from '../../../backtest/backtest-result.ts';
import type { ReportModel } from '../../../backtest/report/report-model.ts';
import { closedTrades, type RunStatistics } from '../../../backtest/statistics/run-statistics.ts';
import { type TradeStatistics, tradeStatistics } from '../../../backtest/statistics/trade-statistics.ts';
import { US_PER_SECOND } from '../../../domain/units.ts';

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
