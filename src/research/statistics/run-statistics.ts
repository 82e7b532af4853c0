/** Every figure of a run, for people and machines alike. Undefined where a formula has no value. */
import { assert } from '../../domain/assert.ts';
import { type TradingDay, dayNumber, weekdayOf } from '../../domain/civil-date.ts';
import type { BacktestResult, BacktestTrade, StrategyResult } from '../backtest-result.ts';
import * as ratios from './return-ratios.ts';

/** Sessions of a year at the exchange; a market that never closes has 365. */
const SESSIONS_PER_YEAR = 252;
const DAYS_PER_YEAR = 365;
/** Fewer daily returns say nothing about a year. */
export const ANNUAL_DAYS_MIN = 3;
/** Longer bars make one day of each: so many a year where no two days are nearer. */
const LONG_BARS: readonly (readonly [daysApart: number, perYear: number])[] = [
  [28, 12],
  [7, 52],
];

export type RunStatistics = ReturnType<typeof runStatistics>;

export function runStatistics(result: BacktestResult) {
  const { capital, equity, strategies } = result;
  const daily = dailyCloses(result);
  const { returnsFrom } = result.statistics;
  const equities = daily.map((each) => each.equity);
  const closes = returnsFrom === 'capital' ? [capital, ...equities] : equities;
  const returns = ratios.returnsOf(closes) ?? [];
  const basis = ratioBasis(result.days, result.statistics);
  const ofYear = returns.length < ANNUAL_DAYS_MIN ? [] : returns;
  const annual = ratios.annualReturn(ofYear, basis.periodsPerYear);
  const span = result.toUs - result.fromUs;
  const held = sum(strategies, ({ heldUs }) => heldUs);
  return {
    netProfit: (equity.values.at(-1) ?? capital) - capital,
    totalReturn: growth(closes),
    annualReturn: annual,
    sharpe: ratios.sharpeRatio(ofYear, basis),
    sortino: ratios.sortinoRatio(ofYear, basis),
    calmar: ratios.calmarRatio(annual, Math.abs(ratios.maxDrawdown(returns) ?? 0)),
    drawdowns: result.drawdowns,
    trades: statisticsOfTrades(result, strategies),
    costs: costsOf(strategies),
    /** Part of the run's time with a position in some contract, 0 .. 1; above 1 for positions in several. */
    exposure: span > 0 ? held / span : undefined,
    /** Value of all fills / capital. */
    turnover: turnoverOf(result),
    /** Money lost between the middle of the book when an order was decided and the price it got; below zero is gained. Undefined without a book. */
    slippage: slippageOf(result),
    /** `profit`: change of equity in the day. */
    daily,
    /** Returns of the days after the warm-up, from the capital on or from the end of the first day. */
    dailyReturns: returns,
    basis,
  };
}

export function ratioBasis(
  days: readonly TradingDay[],
  settings: ratios.StatisticsSettings,
): ratios.RatioBasis {
  const { deviation, riskFreePercent, periodsPerYear = sessionsPerYear(days) } = settings;
  return { periodsPerYear, deviation, riskFree: (1 + riskFreePercent / 100) ** (1 / periodsPerYear) - 1 };
}

/** (last / first) - 1, also where equity fell below zero on the way. */
function growth(closes: readonly number[]): number | undefined {
  const ratio = ratios.quotient(closes.at(-1), closes[0]);
  return ratio === undefined ? undefined : ratio - 1;
}

/** In the order in which they were closed. */
export const countedTrades = (
  { statistics }: Pick<BacktestResult, 'statistics'>,
  strategies: readonly StrategyResult[],
): readonly BacktestTrade[] =>
  strategies
    .flatMap(({ trades }) => trades)
    .filter(({ isOpen }) => !isOpen || statistics.openTrades === 'count')
    .toSorted((a, b) => a.exitUs - b.exitUs);

export const statisticsOfTrades = (
  result: Pick<BacktestResult, 'statistics'>,
  strategies: readonly StrategyResult[],
): TradeStatistics =>
  tradeStatistics(
    countedTrades(result, strategies).map(({ netProfit }) => netProfit),
    result.statistics.deviation,
  );

function dailyCloses({ days, warmUpDays, dayEquity, capital }: BacktestResult) {
  let before: number = capital;
  return days.slice(warmUpDays).map((day, i) => {
    const equity = dayEquity[warmUpDays + i];
    assert(equity !== undefined, 'each day of a run ends with an equity');
    const profit = equity - before;
    before = equity;
    return { day, equity, profit };
  });
}

/** Days that follow each other without weekends belong to a market that never closes. */
function sessionsPerYear(days: readonly TradingDay[]): number {
  const numbers = days.map(dayNumber);
  const gaps = numbers.slice(1).map((day, i) => day - (numbers[i] ?? day));
  const long = LONG_BARS.find(([apart]) => gaps.length > 0 && gaps.every((gap) => gap >= apart));
  return long?.[1] ?? (days.some((day) => weekdayOf(day) % 6 === 0) ? DAYS_PER_YEAR : SESSIONS_PER_YEAR);
}

export function costsOf(strategies: readonly StrategyResult[]) {
  const fees = sum(
    strategies,
    ({ costs }) => costs.exchangeFee + costs.clearingFee + costs.brokerFee + costs.valueFee,
  );
  const tax = sum(strategies, ({ costs }) => costs.tax);
  const spread = sum(strategies, ({ costs }) => costs.spread);
  return { fees, tax, spread, total: fees + tax };
}

function turnoverOf({ strategies, capital }: BacktestResult): number {
  let value = 0;
  for (const { fills } of strategies) for (const fill of fills) value += fill.value;
  return capital === 0 ? 0 : value / capital;
}

/** A fill whose order was decided without a known middle counts as zero. */
function slippageOf({ strategies, instruments }: BacktestResult): number | undefined {
  let lost: number | undefined = undefined;
  for (const { fills } of strategies) {
    for (const fill of fills) {
      const spec = instruments[fill.instrument]?.spec;
      if (spec === undefined || fill.decidedMidTwice === 0) continue;
      const ticks = (fill.priceTicks - fill.decidedMidTwice / 2) * (fill.side === 'buy' ? 1 : -1);
      lost = (lost ?? 0) + ticks * spec.hundredthsPerTick * spec.moneyPerHundredth * fill.qty;
    }
  }
  return lost;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}

/** Of the trades that count. A trade is one round trip, its profit net of fees and tax. */
export type TradeStatistics = ReturnType<typeof tradeStatistics>;

export function tradeStatistics(profits: readonly number[], deviation: ratios.DeviationKind = 'sample') {
  const gains = profits.filter((profit) => profit > 0);
  const losses = profits.filter((profit) => profit < 0).map((profit) => -profit);
  const lost = sum(losses, (loss) => loss);
  return {
    count: profits.length,
    wins: gains.length,
    losses: losses.length,
    /** wins / count; a trade of exactly zero is neither won nor lost and counts in `count` alone. */
    winRate: profits.length === 0 ? undefined : gains.length / profits.length,
    /** Sum of gains / sum of losses; undefined without a loss. */
    profitFactor: lost === 0 ? undefined : sum(gains, (gain) => gain) / lost,
    /** Mean net profit of a trade: winRate x averageWin - lossRate x averageLoss. */
    expectancy: ratios.mean(profits),
    averageWin: ratios.mean(gains),
    /** A positive number. */
    averageLoss: ratios.mean(losses),
    largestWin: gains.reduce((most, gain) => Math.max(most, gain), 0),
    /** A positive number. */
    largestLoss: losses.reduce((most, loss) => Math.max(most, loss), 0),
    /** System quality number: sqrt(n) x mean / deviation (Van Tharp, "Definitive Guide to Position Sizing", 2008). */
    sqn: systemQuality(profits, deviation),
    winsInARowMax: longestRun(profits, 1),
    lossesInARowMax: longestRun(profits, -1),
  };
}

function systemQuality(profits: readonly number[], kind: ratios.DeviationKind): number | undefined {
  const average = ratios.mean(profits);
  const deviation = ratios.standardDeviation(profits, kind);
  if (average === undefined || deviation === undefined || deviation === 0) return undefined;
  return (Math.sqrt(profits.length) * average) / deviation;
}

function longestRun(profits: readonly number[], sign: 1 | -1): number {
  let longest = 0;
  let run = 0;
  for (const profit of profits) {
    run = Math.sign(profit) === sign ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
