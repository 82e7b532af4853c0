import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { yearReturns } from '../../../src/backtest/statistics/daily-series.ts';
import { returnsOf } from '../../../src/backtest/statistics/return-ratios.ts';
import { addDays, type TradingDay, tradingDay } from '../../../src/domain/civil-date.ts';

const years = (daily: readonly { readonly day: TradingDay; readonly equity: number }[], capital: number) =>
  yearReturns(
    daily.map(({ day }) => day),
    returnsOf([capital, ...daily.map(({ equity }) => equity)]) ?? [],
  );

describe('returns by month', () => {
  it('are told from the month before, and leave out months without a day', () => {
    const daily = [
      { day: tradingDay('2024-12-30'), equity: 110 },
      { day: tradingDay('2025-01-02'), equity: 121 },
      { day: tradingDay('2025-01-03'), equity: 99 },
      { day: tradingDay('2025-03-03'), equity: 198 },
    ];
    const [first, second] = years(daily, 100);
    expect(first?.months[11]).toBeCloseTo(0.1, 12);
    expect(first?.total).toBeCloseTo(0.1, 12);
    expect(second?.months[0]).toBeCloseTo(-0.1, 12);
    expect(second?.months[1]).toBeNull();
    expect(second?.months[2]).toBeCloseTo(1, 12);
    expect(second?.total).toBeCloseTo(0.8, 12);
  });

  it('compound to the return of the year, and years to that of the run', () => {
    const equities = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(equities, fc.integer({ min: 1, max: 40 }), (values, step) => {
        const daily = values.map((equity, i) => ({
          day: addDays(tradingDay('2024-11-20'), i * step),
          equity,
        }));
        const found = years(daily, 500);
        for (const { months, total } of found)
          expect(months.reduce<number>((worth, each) => worth * (1 + (each ?? 0)), 1)).toBeCloseTo(
            1 + total,
            9,
          );
        const all = found.reduce((worth, { total }) => worth * (1 + total), 1);
        expect(all).toBeCloseTo((values.at(-1) ?? 0) / 500, 9);
      }),
    );
  });

  it('have no meaning once nothing is left', () => {
    const daily = ['2024-12-30', '2024-12-31'].map((day, i) => ({ day: tradingDay(day), equity: i }));
    expect(years(daily, 100)).toEqual([]);
  });
});
