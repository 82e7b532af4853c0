/** A run by its days: returns of weeks, months, quarters and years, and ratios over the last so many days. */
import { assert } from '../../domain/assert.ts';
import { addDays, dayNumber, type TradingDay, tradingDay, weekdayOf } from '../../domain/civil-date.ts';
import { alpha, beta, capture, excessSharpe, pairsWhere, type ReturnPairs } from './benchmark-ratios.ts';
import {
  annualReturn,
  annualVolatility,
  downsideRisk,
  maxDrawdown,
  quotient,
  type RatioBasis,
  sharpeRatio,
  sortinoRatio,
  totalReturn,
} from './return-ratios.ts';

const MONTHS = 12;
const MONTHS_OF_QUARTER = 3;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

export type Span = 'week' | 'month' | 'quarter' | 'year';

/** Compounded return of each span with a day in it, by its name: 2026-W10, 2026-03, 2026-Q1, 2026. */
export function aggregateReturns(
  days: readonly TradingDay[],
  returns: readonly number[],
  span: Span,
): ReadonlyMap<string, number> {
  assert(days.length === returns.length, 'each return is of a day');
  const groups = new Map<string, number[]>();
  days.forEach((day, i) => {
    const name = spanOf(day, span);
    const group = groups.get(name) ?? [];
    group.push(returns[i] ?? Number.NaN);
    groups.set(name, group);
  });
  return new Map([...groups].map(([name, group]) => [name, totalReturn(group)]));
}

function spanOf(day: TradingDay, span: Span): string {
  if (span === 'week') return weekOf(day);
  if (span === 'month') return day.slice(0, 7);
  const year = day.slice(0, 4);
  return span === 'year' ? year : `${year}-Q${Math.ceil(Number(day.slice(5, 7)) / MONTHS_OF_QUARTER)}`;
}

/** Week of ISO 8601: it belongs to the year of its Thursday. */
function weekOf(day: TradingDay): string {
  const thursday = addDays(day, 3 - ((weekdayOf(day) + 6) % 7));
  const year = thursday.slice(0, 4);
  const days = dayNumber(thursday) - dayNumber(tradingDay(`${year}-01-01`));
  return `${year}-W${twoDigits(Math.floor(days / 7) + 1)}`;
}

export interface YearReturns {
  readonly year: string;
  /** last / first - 1 of each month, January first; null where no day was traded. All of them compound to `total`. */
  readonly months: readonly (number | null)[];
  readonly total: number;
}

/** `returns`: one of each day, in their order; none where returns have no meaning. */
export function yearReturns(days: readonly TradingDay[], returns: readonly number[]): readonly YearReturns[] {
  if (returns.length === 0) return [];
  const byMonth = aggregateReturns(days, returns, 'month');
  return [...aggregateReturns(days, returns, 'year')].map(([year, total]) => ({
    year,
    months: Array.from({ length: MONTHS }, (_, i) => byMonth.get(`${year}-${twoDigits(i + 1)}`) ?? null),
    total,
  }));
}

/** One value a full window, oldest first; null where the formula has no value. */
export type Rolled = readonly (number | null)[];

const rolled = (
  length: number,
  window: number,
  of: (from: number, to: number) => number | undefined,
): Rolled =>
  Array.from({ length: Math.max(0, length - window + 1) }, (_, from) => of(from, from + window) ?? null);

/** Each as of the end of the window; annual figures. */
export function rollingRatios(returns: readonly number[], window: number, basis: RatioBasis) {
  const each = (of: (part: readonly number[]) => number | undefined): Rolled =>
    rolled(returns.length, window, (from, to) => of(returns.slice(from, to)));
  return {
    sharpe: each((part) => sharpeRatio(part, basis)),
    volatility: each((part) => annualVolatility(part, basis)),
    sortino: each((part) => sortinoRatio(part, basis)),
    downsideRisk: each((part) => downsideRisk(part, basis)),
    maxDrawdown: each(maxDrawdown),
    annualReturn: each((part) => annualReturn(part, basis.periodsPerYear)),
  };
}

/** The same against a benchmark. */
export function rollingAgainst({ returns, benchmark }: ReturnPairs, window: number, basis: RatioBasis) {
  const each = (of: (part: ReturnPairs) => number | undefined): Rolled =>
    rolled(returns.length, window, (from, to) =>
      of({ returns: returns.slice(from, to), benchmark: benchmark.slice(from, to) }),
    );
  const upCapture = each((part) => capture(pairsWhere(part, 'up'), basis));
  const downCapture = each((part) => capture(pairsWhere(part, 'down'), basis));
  return {
    alpha: each((part) => alpha(part, basis)),
    beta: each(beta),
    excessSharpe: each((part) => excessSharpe(part, basis)),
    upCapture,
    downCapture,
    upDownCapture: upCapture.map((up, i) => quotient(up ?? undefined, downCapture[i] ?? undefined) ?? null),
  };
}

/** A quarter of trading days, less where the run is short; null where it is too short for any. */
const WINDOW = 63;
const WINDOW_MIN = 10;

export function rollingWindow(returns: number): number | null {
  const window = Math.min(WINDOW, Math.floor(returns / 3));
  return window < WINDOW_MIN ? null : window;
}
