/** Every figure of a run, for people and machines alike. Undefined where a formula has no value. */
import type {
  BacktestResult,
  ResultInstrument,
  StrategyResult,
  BacktestTrade,
  Samples,
} from '../backtest-result.ts';
import { assert, assertDefined } from '../../domain/assert.ts';
import { type TradingDay, dayNumber, weekdayOf } from '../../domain/civil-date.ts';
import * as ratios from './return-ratios.ts';
import { US_PER_DAY } from '../../domain/units.ts';

/** Sessions of a year at the exchange; a market that never closes has 365. */
const SESSIONS_PER_YEAR = 252;
const DAYS_PER_YEAR = 365;
/** Fewer daily returns say nothing about a year. */
export const ANNUAL_DAYS_MIN = 3;
/** Longer bars make one day of each: this many a year where no two days are nearer. */
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
  const span = result.toUs - (result.dayEndUs[result.warmUpDays - 1] ?? result.fromUs);
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
    /** Part of the time after the warm-up with a position in some contract, 0 .. 1; above 1 for positions in several. */
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
export const closedTrades = (strategies: readonly StrategyResult[]): readonly BacktestTrade[] =>
  strategies
    .flatMap(({ trades }) => trades)
    .filter(({ isOpen }) => !isOpen)
    .toSorted((a, b) => a.exitUs - b.exitUs);

export const statisticsOfTrades = (
  result: Pick<BacktestResult, 'statistics'>,
  strategies: readonly StrategyResult[],
): TradeStatistics =>
  tradeStatistics(
    closedTrades(strategies).map(({ netProfit }) => netProfit),
    result.statistics.deviation,
  );

function dailyCloses({ days, warmUpDays, dayEquity, capital }: BacktestResult) {
  let before: number = capital;
  return days.slice(warmUpDays).map((day, i) => {
    const equity = assertDefined(dayEquity[warmUpDays + i], 'each day of a run ends with an equity');
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

export const instrumentOf = (instruments: readonly ResultInstrument[], place: number): ResultInstrument =>
  assertDefined(instruments[place], 'a traded contract is an instrument of the run');

/** A fill whose order was decided without a known middle counts as zero. */
function slippageOf({ strategies, instruments }: BacktestResult): number | undefined {
  let lost: number | undefined = undefined;
  for (const { fills } of strategies) {
    for (const fill of fills) {
      if (fill.decidedMidTwice === 0) continue;
      const { spec } = instrumentOf(instruments, fill.instrument);
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

/** Of closed trades. A trade is one round trip, its profit net of fees and tax. */
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

// Every metric of the daily returns, by name, with its formula in words: those of empyrical, under its definitions and signs.

/** Name and formula of each metric by its key, in their order; `%`: shown in percent. */
export const METRIC_WORDS = {
  cumulativeReturn: ['Cumulative return', '(1 + r1)(1 + r2)... - 1', '%'],
  annualReturn: ['Annual return', 'CAGR: (1 + cumulative)^(days of a year / days) - 1', '%'],
  annualVolatility: ['Annual volatility', 'deviation x sqrt(days of a year)', '%'],
  maxDrawdown: ['Max drawdown', 'deepest fall below the peak at the end of a day', '%'],
  sharpe: ['Sharpe ratio', 'mean / deviation x sqrt(days of a year)'],
  sortino: ['Sortino ratio', 'annual mean / downside risk'],
  calmar: ['Calmar ratio', 'annual return / max drawdown at the end of a day'],
  omega: ['Omega ratio', 'sum of gains / sum of losses'],
  stability: ['Stability', 'R squared of a line through the cumulative log returns'],
  downsideRisk: ['Downside risk', 'root mean square of losses x sqrt(days of a year)', '%'],
  valueAtRisk: ['Value at risk', '5th percentile of a day', '%'],
  conditionalValueAtRisk: ['Conditional value at risk', 'mean of the days up to the 5th percentile', '%'],
  tailRatio: ['Tail ratio', '|95th percentile| / |5th percentile|'],
  skew: ['Skew', 'third standardised moment'],
  kurtosis: ['Kurtosis', 'in excess of the normal 3'],
  averageDrawdown: ['Average drawdown', 'mean of the deepest points of all falls', '%'],
  averageDrawdownDays: ['Average drawdown, days', 'from the peak until equity was there again'],
  longestDrawdownDays: ['Longest drawdown, days', 'the longest of them'],
  // Trades as parts of their cost of entry.
  bestTrade: ['Best trade', 'net profit / value of its entries', '%'],
  worstTrade: ['Worst trade', 'net profit / value of its entries', '%'],
  averageTrade: ['Average trade', 'mean of these returns', '%'],
  payoff: ['Payoff', 'average win / average loss'],
  kelly: ['Kelly', 'win rate - (1 - win rate) / payoff'],
  averageTradeDays: ['Average trade, days', 'from the first fill to the last'],
  longestTradeDays: ['Longest trade, days', 'from the first fill to the last'],
  // Against a benchmark.
  excessSharpe: ['Excess Sharpe ratio', 'mean / deviation of the daily difference'],
  beta: ['Beta', 'covariance / variance of the benchmark'],
  capture: ['Capture', "annual return / the benchmark's"],
  alpha: ['Alpha', 'annual return that beta does not explain', '%'],
  benchmarkReturn: ['Buy and hold', 'last / first - 1 of the benchmark', '%'],
} as const satisfies Readonly<Record<string, readonly [name: string, meaning: string, unit?: '%']>>;

type MetricKey = keyof typeof METRIC_WORDS;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a literal
const KEYS = Object.keys(METRIC_WORDS) as readonly MetricKey[];

type MetricValues = Partial<Readonly<Record<MetricKey, number | undefined>>>;

export type PerformanceMetrics = ReturnType<typeof performanceMetrics>;

const EXCESS = 3;

export function performanceMetrics(result: BacktestResult, found: RunStatistics) {
  const { dailyReturns: returns } = found;
  const { benchmark: asked } = result.statistics;
  const pairs = benchmarkPairs(result, found, asked ?? onlyContract(result));
  const days = found.daily.slice(found.daily.length - returns.length).map(({ day }) => day);
  const metrics: MetricValues = {
    ...returnMetrics(found),
    averageDrawdown: -found.drawdowns.fractionMean,
    averageDrawdownDays: found.drawdowns.meanUs / US_PER_DAY,
    longestDrawdownDays: found.drawdowns.longestUs / US_PER_DAY,
    ...tradeReturns(closedTrades(result.strategies)),
    ...winMetrics(found),
    ...(pairs !== null && benchmarkMetrics(found, pairs, asked !== undefined)),
  };
  return {
    /** Undefined where a formula has no value. */
    metrics: new Map(KEYS.filter((key) => key in metrics).map((key) => [key, metrics[key]])),
    aggregate: {
      month: aggregateReturns(days, returns, 'month'),
      year: aggregateReturns(days, returns, 'year'),
    },
    /** Null where none was asked for; of one contract alone its buy and hold is a metric all the same. */
    benchmark: asked === undefined ? null : pairs,
  };
}

function onlyContract({ instruments }: BacktestResult): string | undefined {
  const priced = instruments.filter(({ prices }) => prices.values.some((price) => price > 0));
  return priced.length === 1 ? priced[0]?.symbol : undefined;
}

/** Compounded return of each span with a day in it, by its name: 2026-03, 2026. */
function aggregateReturns(days: readonly TradingDay[], returns: readonly number[], span: 'month' | 'year') {
  assert(days.length === returns.length, 'each return is of a day');
  const worths = new Map<string, number>();
  days.forEach((day, i) => {
    const name = day.slice(0, span === 'month' ? 7 : 4);
    worths.set(name, (worths.get(name) ?? 1) * (1 + (returns[i] ?? Number.NaN)));
  });
  return new Map([...worths].map(([name, worth]) => [name, worth - 1]));
}

function returnMetrics(found: RunStatistics): MetricValues {
  const { basis, dailyReturns: returns, sharpe, sortino, annualReturn, calmar } = found;
  const tails = ratios.kurtosis(returns);
  return {
    cumulativeReturn: returns.length === 0 ? undefined : ratios.totalReturn(returns),
    annualReturn,
    annualVolatility: ratios.annualVolatility(returns, basis),
    maxDrawdown: ratios.maxDrawdown(returns),
    sharpe,
    sortino,
    calmar,
    omega: ratios.omegaRatio(returns, basis),
    stability: ratios.stability(returns),
    downsideRisk: ratios.downsideRisk(returns, basis),
    valueAtRisk: ratios.valueAtRisk(returns),
    conditionalValueAtRisk: ratios.conditionalValueAtRisk(returns),
    tailRatio: ratios.tailRatio(returns),
    skew: ratios.skewness(returns),
    kurtosis: tails === undefined ? undefined : tails - EXCESS,
  };
}

const extreme = (values: readonly number[], of: (a: number, b: number) => number): number | undefined =>
  values.length === 0 ? undefined : values.reduce((found, value) => of(found, value));

export function tradeReturns(trades: readonly BacktestTrade[]): MetricValues {
  const returns = trades.map(({ netProfit, entryValue }) => netProfit / entryValue);
  const spans = trades.map(({ entryUs, exitUs }) => exitUs - entryUs);
  return {
    bestTrade: extreme(returns, Math.max),
    worstTrade: extreme(returns, Math.min),
    averageTrade: ratios.mean(returns),
    averageTradeDays: ratios.quotient(ratios.mean(spans), US_PER_DAY),
    longestTradeDays: ratios.quotient(extreme(spans, Math.max), US_PER_DAY),
  };
}

function winMetrics({ trades: { averageWin, averageLoss, winRate } }: RunStatistics): MetricValues {
  const payoff = ratios.quotient(averageWin, averageLoss);
  const lost = winRate === undefined ? undefined : ratios.quotient(1 - winRate, payoff);
  return { payoff, kelly: winRate === undefined || lost === undefined ? undefined : winRate - lost };
}

function benchmarkMetrics({ basis }: RunStatistics, pairs: BenchmarkPairs, isAsked: boolean): MetricValues {
  const benchmarkReturn = ratios.totalReturn(pairs.benchmark);
  if (!isAsked) return pairs.benchmark.length === 0 ? {} : { benchmarkReturn };
  return {
    excessSharpe: ratios.excessSharpe(pairs, basis),
    beta: ratios.beta(pairs),
    capture: ratios.capture(pairs, basis),
    alpha: ratios.alpha(pairs, basis),
    benchmarkReturn,
  };
}

// Returns of a run and of its benchmark, over the same spans.

type BenchmarkPairs = NonNullable<ReturnType<typeof benchmarkPairs>>;

/** Days on which only one of the two has a value join the span of the next common one. Null without a benchmark. */
function benchmarkPairs(
  result: BacktestResult,
  { daily }: Pick<RunStatistics, 'daily'>,
  benchmark: string | undefined,
) {
  if (benchmark === undefined) return null;
  const byDay = closesOf(result, benchmark);
  const common = daily.flatMap(({ day, equity }) => {
    const close = byDay.get(day);
    return close === undefined ? [] : [{ day, equity, close }];
  });
  const returns = ratios.returnsOf(common.map(({ equity }) => equity)) ?? [];
  const market = ratios.returnsOf(common.map(({ close }) => close)) ?? [];
  const isPaired = returns.length === market.length;
  return {
    name: benchmark,
    /** Each return reaches to the end of its day, from that of the day before it here. */
    days: isPaired ? common.slice(common.length - returns.length).map(({ day }) => day) : [],
    returns: isPaired ? returns : [],
    benchmark: isPaired ? market : [],
    /** Days of the run without a close of the benchmark. */
    missing: daily.length - common.length,
  };
}

/** The last price at the end of each day, from the first on which it was traded. */
function closesOf({ instruments, days, dayEndUs }: BacktestResult, name: string) {
  const instrument = instruments.find(({ symbol }) => symbol === name);
  if (instrument === undefined) return new Map();
  const closes = days.flatMap((day, i): (readonly [TradingDay, number])[] => {
    const endUs = assertDefined(dayEndUs[i], 'each day of a run has an end');
    const close = lastUntil(instrument.prices, endUs);
    return close === 0 ? [] : [[day, close]];
  });
  return new Map(closes);
}

function lastUntil({ tsUs, values }: Samples, endUs: number): number {
  const at = tsUs.findLastIndex((each) => each <= endUs);
  return values[at] ?? 0;
}
