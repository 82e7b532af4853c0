/** A run by its days: returns of months and years, and ratios over the last so many days. */
import type { TradingDay } from '../../domain/civil-date.ts';
import { sampleDeviation } from './moments.ts';
import { sharpeRatio } from './return-ratios.ts';

const MONTHS = 12;

export interface YearReturns {
  readonly year: string;
  /** last / first - 1 of each month, January first; null where no day was traded. All of them compound to `total`. */
  readonly months: readonly (number | null)[];
  readonly total: number;
}

/** `daily`: equity at the end of each day, in their order. Empty once equity is not above zero, where a return has no meaning. */
export function yearReturns(
  daily: readonly { readonly day: TradingDay; readonly equity: number }[],
  capital: number,
): readonly YearReturns[] {
  if (capital <= 0 || daily.some(({ equity }) => equity <= 0)) return [];
  const years: { year: string; months: (number | null)[]; from: number; total: number }[] = [];
  let monthFrom = capital;
  let before = capital;
  let shown = '';
  for (const { day, equity } of daily) {
    const [year = '', month = ''] = day.split('-');
    if (day.slice(0, 7) !== shown) monthFrom = before;
    shown = day.slice(0, 7);
    let last = years.at(-1);
    if (last?.year !== year) {
      last = { year, months: Array.from({ length: MONTHS }, () => null), from: before, total: 0 };
      years.push(last);
    }
    last.months[Number(month) - 1] = equity / monthFrom - 1;
    last.total = equity / last.from - 1;
    before = equity;
  }
  return years.map(({ year, months, total }) => ({ year, months, total }));
}

export interface RollingRatios {
  /** Days that each value looks back on. */
  readonly window: number;
  /** One value a return; null before the first window is full, and where the formula has no value. */
  readonly sharpe: readonly (number | null)[];
  /** Sample deviation of the returns x sqrt(periods a year), as a fraction. */
  readonly volatility: readonly (number | null)[];
}

/** A quarter of trading days, less where the run is short; null where it is too short for any. */
const WINDOW = 63;
const WINDOW_MIN = 10;

export function rollingRatios(returns: readonly number[], periodsPerYear: number): RollingRatios | null {
  const window = Math.min(WINDOW, Math.floor(returns.length / 3));
  if (window < WINDOW_MIN) return null;
  const windows = returns.map((_, end) =>
    end + 1 < window ? null : returns.slice(end + 1 - window, end + 1),
  );
  return {
    window,
    sharpe: windows.map((each) => (each === null ? null : (sharpeRatio(each, periodsPerYear) ?? null))),
    volatility: windows.map((each) => {
      const deviation = each === null ? undefined : sampleDeviation(each);
      return deviation === undefined ? null : deviation * Math.sqrt(periodsPerYear);
    }),
  };
}
