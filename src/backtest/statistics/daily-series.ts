/** A run by its days: returns of months and years. */
import { assert } from '../../domain/assert.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import { totalReturn } from './return-ratios.ts';

const MONTHS = 12;

type Span = 'month' | 'year';

/** Compounded return of each span with a day in it, by its name: 2026-03, 2026. */
export function aggregateReturns(
  days: readonly TradingDay[],
  returns: readonly number[],
  span: Span,
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

interface YearReturns {
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
    months: Array.from(
      { length: MONTHS },
      (_, i) => byMonth.get(`${year}-${String(i + 1).padStart(2, '0')}`) ?? null,
    ),
    total,
  }));
}
