/** Returns of a run beside those of its benchmark, over the same spans. */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { BacktestResult, Samples } from '../backtest-result.ts';
import type { ReturnPairs } from './benchmark-ratios.ts';
import { returnsOf } from './return-ratios.ts';
import type { RunStatistics } from './run-statistics.ts';
import type { BenchmarkClose } from './statistics-settings.ts';

export interface BenchmarkPairs extends ReturnPairs {
  readonly name: string;
  /** Each return reaches to the end of its day, from that of the day before it here, or from the run's beginning. */
  readonly days: readonly TradingDay[];
  /** Days of the run without a close of the benchmark. */
  readonly missing: number;
}

/** Days on which only one of the two has a value join the span of the next common one. Null without a benchmark. */
export function benchmarkPairs(
  result: BacktestResult,
  { daily }: Pick<RunStatistics, 'daily'>,
): BenchmarkPairs | null {
  const { benchmark } = result.statistics;
  if (benchmark === null) return null;
  const closes = benchmark.kind === 'closes' ? benchmark.closes : closesOf(result, benchmark.name);
  const byDay = new Map(closes.map(({ day, close }) => [day, close]));
  const first = daily[0];
  const before = closes.findLast(({ day }) => first !== undefined && day < first.day);
  const common = daily.flatMap(({ day, equity }) => {
    const close = byDay.get(day);
    return close === undefined ? [] : [{ day, equity, close }];
  });
  const isFromCapital = result.statistics.returnsFrom === 'capital';
  const start =
    before === undefined || !isFromCapital ? [] : [{ equity: result.capital, close: before.close }];
  const returns = returnsOf([...start, ...common].map(({ equity }) => equity)) ?? [];
  const market = returnsOf([...start, ...common].map(({ close }) => close)) ?? [];
  const isPaired = returns.length === market.length;
  return {
    name: benchmark.name,
    days: isPaired ? common.slice(common.length - returns.length).map(({ day }) => day) : [],
    returns: isPaired ? returns : [],
    benchmark: isPaired ? market : [],
    missing: daily.length - common.length,
  };
}

/** The last price at the end of each day, from the first on which it was traded. */
function closesOf({ instruments, days, dayEndUs }: BacktestResult, name: string): readonly BenchmarkClose[] {
  const instrument = instruments.find(({ symbol }) => symbol === name);
  if (instrument === undefined) return [];
  return days.flatMap((day, i) => {
    const endUs = dayEndUs[i];
    assert(endUs !== undefined, 'each day of a run has an end');
    const close = lastUntil(instrument.prices, endUs);
    return close === 0 ? [] : [{ day, close }];
  });
}

function lastUntil({ tsUs, values }: Samples, endUs: number): number {
  const at = tsUs.findLastIndex((each) => each <= endUs);
  return values[at] ?? 0;
}
