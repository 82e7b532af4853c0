import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rollingRatios, yearReturns } from '../../../src/backtest/statistics/daily-series.ts';
import { sharpeRatio } from '../../../src/backtest/statistics/return-ratios.ts';
import { addDays, tradingDay } from '../../../src/domain/civil-date.ts';

describe('returns by month', () => {
  it('are told from the month before, and leave out months without a day', () => {
    const daily = [
      { day: tradingDay('2024-12-30'), equity: 110 },
      { day: tradingDay('2025-01-02'), equity: 121 },
      { day: tradingDay('2025-01-03'), equity: 99 },
      { day: tradingDay('2025-03-03'), equity: 198 },
    ];
    const [first, second] = yearReturns(daily, 100);
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
        const years = yearReturns(daily, 500);
        for (const { months, total } of years)
          expect(months.reduce<number>((worth, each) => worth * (1 + (each ?? 0)), 1)).toBeCloseTo(
            1 + total,
            9,
          );
        const all = years.reduce((worth, { total }) => worth * (1 + total), 1);
        expect(all).toBeCloseTo((values.at(-1) ?? 0) / 500, 9);
      }),
    );
  });

  it('have no meaning once nothing is left', () => {
    expect(yearReturns([{ day: tradingDay('2024-12-30'), equity: 0 }], 100)).toEqual([]);
  });
});

describe('rolling ratios', () => {
  it('are those of each window, and begin when the first is full', () => {
    const returns = Array.from({ length: 45 }, (_, i) => Math.sin(i) / 100);
    const found = rollingRatios(returns, 252);
    expect(found?.window).toBe(15);
    expect(found?.sharpe.slice(0, 14)).toEqual(Array.from({ length: 14 }, () => null));
    expect(found?.sharpe[14]).toBe(sharpeRatio(returns.slice(0, 15), 252));
    expect(found?.sharpe.at(-1)).toBe(sharpeRatio(returns.slice(-15), 252));
    expect(found?.volatility.at(-1)).toBeGreaterThan(0);
  });

  it('need enough days', () => {
    expect(rollingRatios([0.1, 0.2, 0.1], 252)).toBeNull();
  });
});
