import type { Samples, BacktestTrade } from '../../../src/research/backtest-result.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  performanceMetrics,
  runStatistics,
  tradeReturns,
} from '../../../src/research/statistics/run-statistics.ts';
import type { StatisticsSettings } from '../../../src/research/statistics/return-ratios.ts';
import { USUAL_STATISTICS } from '../../support/usual-settings.ts';
import { type TradingDay, addDays, tradingDay } from '../../../src/domain/civil-date.ts';
import { orderCode } from '../../../src/domain/ids.ts';
import { instrumentIndex, money, tsUs, US_PER_DAY } from '../../../src/domain/units.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';

interface Golden {
  readonly riskFree: number;
  readonly series: readonly {
    readonly name: string;
    readonly periodsPerYear: number;
    readonly days: readonly TradingDay[];
    readonly returns: readonly number[];
    readonly benchmark: readonly number[];
    readonly metrics: Readonly<Record<string, number | null>>;
    readonly aggregateReturns: Readonly<Record<'month' | 'year', readonly number[]>>;
  }[];
}

const GOLDEN = JSON.parse(
  readFileSync(new URL('../../golden/empyrical/metrics.json', import.meta.url), 'utf8'),
) as Golden;

type Value = number | null | undefined;

/** Relative to the expected value, absolute where that is small; infinite where only one of the two has a value. */
function errorOf(value: Value, expected: Value): number {
  if (typeof value !== 'number' || typeof expected !== 'number')
    return (value ?? null) === (expected ?? null) ? 0 : Infinity;
  return Math.abs(value - expected) / Math.max(1, Math.abs(expected));
}

/** Names of values that differ in the first twelve digits. */
const differing = (pairs: readonly (readonly [name: string, value: Value, expected: Value])[]) =>
  pairs.filter(([, value, expected]) => errorOf(value, expected) > 1e-12);

const compounded = (returns: readonly number[], first: number): readonly number[] => {
  let worth = first;
  return returns.map((each) => (worth *= 1 + each));
};

const DAY_US = 86_400_000_000;

/** A run whose equity makes the returns; large money leaves their rounding behind. */
function performanceOf(
  series: Golden['series'][number],
  over: Partial<StatisticsSettings> = {},
  prices: Partial<Samples> = {},
) {
  const { days, periodsPerYear } = series;
  const capital = 2 ** 40;
  const before = addDays(days[0] ?? tradingDay('2026-01-01'), -1);
  const ends = Float64Array.from([before, ...days], (_, i) => i * DAY_US);
  const [contract] = SAMPLE_RESULT.instruments;
  const result = {
    ...SAMPLE_RESULT,
    days: [before, ...days],
    capital: money(capital),
    dayEquity: Float64Array.from([capital, ...compounded(series.returns, capital)]),
    dayEndUs: ends,
    instruments: [
      {
        ...contract!,
        symbol: orderCode('index'),
        prices: {
          tsUs: ends,
          values: Float64Array.from([100, ...compounded(series.benchmark, 100)]),
          ...prices,
        },
      },
    ],
    statistics: {
      ...USUAL_STATISTICS,
      deviation: 'sample' as const,
      periodsPerYear,
      riskFreePercent: 100 * ((1 + GOLDEN.riskFree) ** periodsPerYear - 1),
      returnsFrom: 'first_close' as const,
      benchmark: 'index',
      ...over,
    },
  };
  return performanceMetrics(result, runStatistics(result));
}

describe.each(GOLDEN.series)('metrics of $name are those of empyrical', (series) => {
  const found = performanceOf(series);

  it('by name', () => {
    const known = [...found.metrics].filter(([key]) => key in series.metrics);
    expect(known.map(([key]) => key).toSorted()).toEqual(Object.keys(series.metrics).toSorted());
    expect(differing(known.map(([key, value]) => [key, value, series.metrics[key]]))).toEqual([]);
  });

  it('by span', () => {
    for (const span of ['month', 'year'] as const) {
      const golden = series.aggregateReturns[span];
      const values = [...found.aggregate[span]];
      expect(values).toHaveLength(golden.length);
      expect(differing(values.map(([name, value], i) => [name, value, golden[i]]))).toEqual([]);
    }
  });
});

const [shares] = GOLDEN.series;
if (shares === undefined) throw new Error('the first series is one of shares');
type Found = ReturnType<typeof performanceOf>;
const valueOf = ({ metrics }: Found, key: Parameters<Found['metrics']['get']>[0]) => metrics.get(key);

describe('conventions', () => {
  it('divide by n or by n - 1', () => {
    const n = shares.returns.length;
    const sample = performanceOf(shares);
    const population = performanceOf(shares, { deviation: 'population' });
    for (const [key, power] of [
      ['sharpe', 0.5],
      ['excessSharpe', 0.5],
      ['annualVolatility', -0.5],
    ] as const)
      expect(valueOf(population, key)).toBeCloseTo((valueOf(sample, key) ?? 0) * (n / (n - 1)) ** power, 10);
    expect(valueOf(population, 'sortino')).toBe(valueOf(sample, 'sortino'));
  });
});

describe('a benchmark', () => {
  const { benchmark } = performanceOf(shares);

  it('has a return for each day when it has the day before', () => {
    expect(benchmark?.days).toEqual(shares.days);
    expect(benchmark?.missing).toBe(0);
  });

  it('begins with its first close', () => {
    const values = Float64Array.from([0, ...shares.days], (_, i) => (i < 2 ? 0 : 100 + i));
    const found = performanceOf(shares, {}, { values }).benchmark;
    expect(found?.missing).toBe(2);
    expect(found?.days[0]).toBe(shares.days[2]);
    expect(found?.returns[0]).toBeCloseTo(shares.returns[2] ?? 0, 12);
    expect(found?.benchmark[0]).toBeCloseTo(103 / 102 - 1, 12);
    expect(found?.returns).toHaveLength(found?.benchmark.length ?? 0);
  });

  it('may be a contract of the run, by its last price of each day', () => {
    const { dayEndUs, days } = SAMPLE_RESULT;
    const result = {
      ...SAMPLE_RESULT,
      statistics: { ...SAMPLE_RESULT.statistics, benchmark: 'VN30F1M' },
    };
    const found = performanceMetrics(result, runStatistics(result)).benchmark;
    expect(dayEndUs).toHaveLength(days.length);
    expect(found).toMatchObject({ name: 'VN30F1M', days: ['2026-03-05'], missing: 0 });
    expect(found?.benchmark[0]).toBeCloseTo(19_010 / 19_000 - 1, 12);
    expect(found?.returns[0]).toBeCloseTo(-0.1, 12);
  });
});

const trade = (netProfit: number, days: number): BacktestTrade => ({
  strategy: 0,
  instrument: instrumentIndex(0),
  direction: 'long',
  entryUs: tsUs(0),
  exitUs: tsUs(days * US_PER_DAY),
  qty: 1,
  qtyMax: 1,
  entryValue: money(1_000),
  exitValue: money(1_000 + netProfit),
  grossProfit: money(netProfit),
  fee: money(0),
  tax: money(0),
  netProfit: money(netProfit),
  adverse: money(0),
  favourable: money(0),
  fills: 2,
  isOpen: false,
});

test('returns of trades are parts of their entries', () => {
  const found = tradeReturns([trade(200, 1), trade(-100, 3), trade(50, 2)]);
  expect(found).toMatchObject({
    bestTrade: 0.2,
    worstTrade: -0.1,
    longestTradeDays: 3,
    averageTradeDays: 2,
  });
  expect(found.averageTrade).toBeCloseTo(0.05, 15);
});

test('without a trade there are no such figures', () => {
  expect(Object.values(tradeReturns([]))).toEqual(Array.from({ length: 5 }, () => undefined));
});
