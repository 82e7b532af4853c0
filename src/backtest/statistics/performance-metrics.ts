/** Every metric of the daily returns, by name, with its formula in words: those of empyrical, under its definitions and signs. */
import { dayNumber, type TradingDay } from '../../domain/civil-date.ts';
import { US_PER_DAY } from '../../domain/units.ts';
import type { BacktestFill, BacktestResult, BacktestTrade, Samples } from '../backtest-result.ts';
import { kurtosis, mean, skewness } from './moments.ts';
import {
  alpha,
  annualReturn,
  annualVolatility,
  beta,
  calendarReturn,
  calmarRatio,
  capture,
  compoundVolatility,
  conditionalValueAtRisk,
  downsideRisk,
  excessSharpe,
  maxDrawdown,
  omegaRatio,
  quotient,
  type RatioBasis,
  type ReturnPairs,
  returnsOf,
  sharpeRatio,
  sortinoRatio,
  stability,
  tailRatio,
  totalReturn,
  valueAtRisk,
} from './return-ratios.ts';
import { countedTrades, type RunStatistics } from './run-statistics.ts';
import { assert } from '../../domain/assert.ts';

interface Metric {
  /** Key for machines. */
  readonly key: string;
  readonly name: string;
  readonly value: number | undefined;
  readonly isPercent: boolean;
  readonly meaning: string;
}

export interface PerformanceMetrics {
  readonly metrics: readonly Metric[];
  readonly aggregate: Readonly<Record<'month' | 'year', ReadonlyMap<string, number>>>;
  readonly benchmark: BenchmarkPairs | null;
}

const EXCESS = 3;

export function performanceMetrics(result: BacktestResult, found: RunStatistics): PerformanceMetrics {
  const { basis, dailyReturns: returns } = found;
  const benchmark = benchmarkPairs(result, found);
  const days = found.daily.slice(found.daily.length - returns.length).map(({ day }) => day);
  return {
    metrics: [
      ...growthMetrics(returns, basis),
      ...riskMetrics(returns, basis),
      ...compoundMetrics(result, found),
      ...tradeMetrics(result, found),
      ...(benchmark === null
        ? []
        : [...marketMetrics(benchmark, basis), ...holdMetrics(result, found, benchmark)]),
    ],
    aggregate: {
      month: aggregateReturns(days, returns, 'month'),
      year: aggregateReturns(days, returns, 'year'),
    },
    benchmark,
  };
}

/** Compounded return of each span with a day in it, by its name: 2026-03, 2026. */
function aggregateReturns(
  days: readonly TradingDay[],
  returns: readonly number[],
  span: 'month' | 'year',
): ReadonlyMap<string, number> {
  assert(days.length === returns.length, 'each return is of a day');
  const groups = new Map<string, number[]>();
  days.forEach((day, i) => {
    const name = day.slice(0, span === 'month' ? 7 : 4);
    const group = groups.get(name) ?? [];
    group.push(returns[i] ?? Number.NaN);
    groups.set(name, group);
  });
  return new Map([...groups].map(([name, group]) => [name, totalReturn(group)]));
}

type Row = readonly [key: string, name: string, value: number | undefined, meaning: string];

const rowsOf = (isPercent: boolean, rows: readonly Row[]): readonly Metric[] =>
  rows.map(([key, name, value, meaning]) => ({ key, name, value, isPercent, meaning }));

function growthMetrics(returns: readonly number[], basis: RatioBasis): readonly Metric[] {
  const annual = annualReturn(returns, basis.periodsPerYear);
  const total = returns.length === 0 ? undefined : totalReturn(returns);
  const deepest = maxDrawdown(returns);
  return [
    ...rowsOf(true, [
      ['cumulativeReturn', 'Cumulative return', total, '(1 + r1)(1 + r2)... - 1'],
      ['annualReturn', 'Annual return', annual, 'CAGR: (1 + cumulative)^(days of a year / days) - 1'],
      [
        'annualVolatility',
        'Annual volatility',
        annualVolatility(returns, basis),
        'deviation x sqrt(days of a year)',
      ],
      ['maxDrawdown', 'Max drawdown', deepest, 'deepest fall below the peak at the end of a day'],
    ]),
    ...rowsOf(false, [
      ['sharpe', 'Sharpe ratio', sharpeRatio(returns, basis), 'mean / deviation x sqrt(days of a year)'],
      ['sortino', 'Sortino ratio', sortinoRatio(returns, basis), 'annual mean / downside risk'],
      [
        'calmar',
        'Calmar ratio',
        deepest === undefined ? undefined : calmarRatio(annual, Math.abs(deepest)),
        'annual return / max drawdown at the end of a day',
      ],
      ['omega', 'Omega ratio', omegaRatio(returns, basis), 'sum of gains / sum of losses'],
      [
        'stability',
        'Stability',
        stability(returns),
        'R squared of a line through the cumulative log returns',
      ],
    ]),
  ];
}

function riskMetrics(returns: readonly number[], basis: RatioBasis): readonly Metric[] {
  const tails = kurtosis(returns);
  return [
    ...rowsOf(true, [
      [
        'downsideRisk',
        'Downside risk',
        downsideRisk(returns, basis),
        'root mean square of losses x sqrt(days of a year)',
      ],
      ['valueAtRisk', 'Value at risk', valueAtRisk(returns), '5th percentile of a day'],
      [
        'conditionalValueAtRisk',
        'Conditional value at risk',
        conditionalValueAtRisk(returns),
        'mean of the days up to the 5th percentile',
      ],
    ]),
    ...rowsOf(false, [
      ['tailRatio', 'Tail ratio', tailRatio(returns), '|95th percentile| / |5th percentile|'],
      ['skew', 'Skew', skewness(returns), 'third standardised moment'],
      ['kurtosis', 'Kurtosis', tails === undefined ? undefined : tails - EXCESS, 'in excess of the normal 3'],
    ]),
  ];
}

/** Under the conventions of platforms that compound what empyrical adds up. */
function compoundMetrics(
  { statistics }: BacktestResult,
  { basis, daily, dailyReturns: returns, drawdowns, ...found }: RunStatistics,
): readonly Metric[] {
  const [first, last] = [daily[0], daily.at(-1)];
  const between = first === undefined || last === undefined ? 0 : dayNumber(last.day) - dayNumber(first.day);
  const days = between + (statistics.returnsFrom === 'capital' ? 1 : 0);
  const worth = found.totalReturn === undefined ? undefined : found.totalReturn + 1;
  const annual = annualReturn(returns, basis.periodsPerYear);
  const excess = annual === undefined ? undefined : annual - statistics.riskFreePercent / 100;
  const volatility = compoundVolatility(returns, basis);
  return [
    ...rowsOf(true, [
      [
        'calendarReturn',
        'CAGR by the calendar',
        calendarReturn(worth, days),
        '(last / first)^(365.25 / days) - 1',
      ],
      ['compoundVolatility', 'Compound volatility', volatility, 'deviation of a year of compounded returns'],
      [
        'averageDrawdown',
        'Average drawdown',
        -drawdowns.fractionMean,
        'mean of the deepest points of all falls',
      ],
    ]),
    ...rowsOf(false, [
      [
        'compoundSharpe',
        'Compound Sharpe ratio',
        quotient(excess, volatility),
        'annual return / compound volatility',
      ],
      [
        'compoundSortino',
        'Compound Sortino ratio',
        quotient(excess, downsideRisk(returns, basis)),
        'annual return / downside risk',
      ],
      [
        'averageDrawdownDays',
        'Average drawdown, days',
        drawdowns.meanUs / US_PER_DAY,
        'from the peak until equity was there again',
      ],
      [
        'longestDrawdownDays',
        'Longest drawdown, days',
        drawdowns.longestUs / US_PER_DAY,
        'the longest of them',
      ],
    ]),
  ];
}

const inDays = (spanUs: number | undefined): number | undefined => quotient(spanUs, US_PER_DAY);

function tradeMetrics(result: BacktestResult, { trades }: RunStatistics): readonly Metric[] {
  const { best, worst, average, geometric, profitFactor, longestUs, averageUs } = tradeReturns(
    countedTrades(result, result.strategies),
  );
  const payoff = quotient(trades.averageWin, trades.averageLoss);
  const lossRate = trades.winRate === undefined ? undefined : 1 - trades.winRate;
  const lost = quotient(lossRate, payoff);
  const kelly = trades.winRate === undefined || lost === undefined ? undefined : trades.winRate - lost;
  return [
    ...rowsOf(true, [
      [
        'heldDays',
        'Days with a position',
        heldDays(result),
        'part of the days that began with one or had a fill',
      ],
      ['bestTrade', 'Best trade', best, 'net profit / value of its entries'],
      ['worstTrade', 'Worst trade', worst, 'net profit / value of its entries'],
      ['averageTrade', 'Average trade', average, 'mean of these returns'],
      ['geometricTrade', 'Average trade, compounded', geometric, '(1 + r1)(1 + r2)..., the root of it - 1'],
    ]),
    ...rowsOf(false, [
      ['returnFactor', 'Profit factor of returns', profitFactor, 'sum of these returns above zero / below'],
      ['payoff', 'Payoff', payoff, 'average win / average loss'],
      ['kelly', 'Kelly', kelly, 'win rate - (1 - win rate) / payoff'],
      ['averageTradeDays', 'Average trade, days', inDays(averageUs), 'from the first fill to the last'],
      ['longestTradeDays', 'Longest trade, days', inDays(longestUs), 'from the first fill to the last'],
    ]),
  ];
}

const logsOf = (returns: readonly number[]): readonly number[] => returns.map((value) => Math.log1p(value));

/** Against buy and hold over the whole run, not over its days. */
function holdMetrics(
  { statistics: { holdFrom } }: BacktestResult,
  { totalReturn: own }: RunStatistics,
  pairs: BenchmarkPairs,
): readonly Metric[] {
  const market = totalReturn(
    pairs.benchmark.filter((_, i) => {
      const day = pairs.days[i];
      return holdFrom === undefined || (day !== undefined && day > holdFrom);
    }),
  );
  const slope = beta({ returns: logsOf(pairs.returns), benchmark: logsOf(pairs.benchmark) });
  const rest = own === undefined || slope === undefined ? undefined : own - slope * market;
  return [
    ...rowsOf(true, [
      ['benchmarkReturn', 'Buy and hold', market, 'last / first - 1 of the benchmark'],
      ['totalAlpha', 'Alpha, whole run', rest, 'return - log beta x buy and hold'],
    ]),
    ...rowsOf(false, [['logBeta', 'Beta of log returns', slope, 'covariance / variance of the benchmark']]),
  ];
}

const marketMetrics = (pairs: ReturnPairs, basis: RatioBasis): readonly Metric[] => [
  ...rowsOf(false, [
    [
      'excessSharpe',
      'Excess Sharpe ratio',
      excessSharpe(pairs, basis),
      'mean / deviation of the daily difference',
    ],
    ['beta', 'Beta', beta(pairs), 'covariance / variance of the benchmark'],
    ['capture', 'Capture', capture(pairs, basis), "annual return / the benchmark's"],
  ]),
  ...rowsOf(true, [['alpha', 'Alpha', alpha(pairs, basis), 'annual return that beta does not explain']]),
];

// Returns of a run beside those of its benchmark, over the same spans.

interface BenchmarkPairs extends ReturnPairs {
  readonly name: string;
  /** Each return reaches to the end of its day, from that of the day before it here. */
  readonly days: readonly TradingDay[];
  /** Days of the run without a close of the benchmark. */
  readonly missing: number;
}

/** Days on which only one of the two has a value join the span of the next common one. Null without a benchmark. */
function benchmarkPairs(
  result: BacktestResult,
  { daily }: Pick<RunStatistics, 'daily'>,
): BenchmarkPairs | null {
  const { benchmark } = result.statistics;
  if (benchmark === undefined) return null;
  const byDay = closesOf(result, benchmark);
  const common = daily.flatMap(({ day, equity }) => {
    const close = byDay.get(day);
    return close === undefined ? [] : [{ day, equity, close }];
  });
  const returns = returnsOf(common.map(({ equity }) => equity)) ?? [];
  const market = returnsOf(common.map(({ close }) => close)) ?? [];
  const isPaired = returns.length === market.length;
  return {
    name: benchmark,
    days: isPaired ? common.slice(common.length - returns.length).map(({ day }) => day) : [],
    returns: isPaired ? returns : [],
    benchmark: isPaired ? market : [],
    missing: daily.length - common.length,
  };
}

/** The last price at the end of each day, from the first on which it was traded. */
function closesOf(
  { instruments, days, dayEndUs }: BacktestResult,
  name: string,
): ReadonlyMap<TradingDay, number> {
  const instrument = instruments.find(({ symbol }) => symbol === name);
  if (instrument === undefined) return new Map();
  const closes = days.flatMap((day, i): (readonly [TradingDay, number])[] => {
    const endUs = dayEndUs[i];
    assert(endUs !== undefined, 'each day of a run has an end');
    const close = lastUntil(instrument.prices, endUs);
    return close === 0 ? [] : [[day, close]];
  });
  return new Map(closes);
}

function lastUntil({ tsUs, values }: Samples, endUs: number): number {
  const at = tsUs.findLastIndex((each) => each <= endUs);
  return values[at] ?? 0;
}

// Trades as parts of what they cost to enter: their returns, and the time they took.

interface TradeReturns {
  /** Net profit / value of the entries. */
  readonly best: number | undefined;
  readonly worst: number | undefined;
  readonly average: number | undefined;
  /** (1 + r1)(1 + r2)..., the root of it - 1; undefined where a trade lost all. */
  readonly geometric: number | undefined;
  /** Sum of the returns above zero / sum of those below. */
  readonly profitFactor: number | undefined;
  /** Microseconds from the first fill to the last. */
  readonly longestUs: number | undefined;
  readonly averageUs: number | undefined;
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export function tradeReturns(trades: readonly BacktestTrade[]): TradeReturns {
  const returns = trades.map(({ netProfit, entryValue }) => netProfit / entryValue);
  const spans = trades.map(({ entryUs, exitUs }) => exitUs - entryUs);
  const isTraded = trades.length > 0;
  return {
    best: isTraded ? returns.reduce((best, value) => Math.max(best, value), -Infinity) : undefined,
    worst: isTraded ? returns.reduce((worst, value) => Math.min(worst, value), Infinity) : undefined,
    average: mean(returns),
    geometric: geometricMean(returns),
    profitFactor: quotient(
      sumOf(returns.filter((value) => value > 0)),
      -sumOf(returns.filter((value) => value < 0)),
    ),
    longestUs: isTraded ? spans.reduce((longest, span) => Math.max(longest, span), 0) : undefined,
    averageUs: mean(spans),
  };
}

/** exp(mean(log(1 + r))) - 1. */
export function geometricMean(returns: readonly number[]): number | undefined {
  const average = mean(logsOf(returns));
  return average === undefined || !Number.isFinite(average) ? undefined : Math.expm1(average);
}

/** Part of the days that began with a position or had a fill. */
export function heldDays({ strategies, dayEndUs, warmUpDays }: BacktestResult): number | undefined {
  const ends = dayEndUs.subarray(warmUpDays);
  const isHeld = new Uint8Array(ends.length);
  for (const { fills } of strategies) {
    const rows = [...fills];
    const positions = new Map<number, number>();
    let next = 0;
    ends.forEach((endUs, day) => {
      if ([...positions.values()].some((position) => position !== 0)) isHeld[day] = 1;
      for (let fill = rows[next]; fill !== undefined && isUntil(fill, endUs); fill = rows[(next += 1)]) {
        positions.set(fill.instrument, fill.positionAfter);
        isHeld[day] = 1;
      }
    });
  }
  return quotient(
    isHeld.reduce((sum, each) => sum + each, 0),
    ends.length,
  );
}

/** A fill at the close comes at the end of its bar, which may be that of the day. */
const isUntil = ({ tsUs, clause }: BacktestFill, endUs: number): boolean =>
  tsUs < endUs || (tsUs === endUs && (clause === 'bar_close' || clause === 'settlement'));
