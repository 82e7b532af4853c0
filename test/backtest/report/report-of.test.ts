import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reportOf, thinSeries } from '../../../src/backtest/report/report-of.ts';
import { SAMPLE_RESULT } from '../sample-result.ts';

const report = reportOf(SAMPLE_RESULT, 'a run');

describe('the report of a run', () => {
  it('says what was run, and warns', () => {
    expect(report.subtitle).toBe('one on VN30F1M, 2026-03-04 to 2026-03-05, 2 sessions');
    expect(report.warnings).toEqual(['the tape has a gap']);
    expect(report.headlines.map(({ text }) => text)).toEqual([
      '-10,000',
      '-1.00 %',
      '0.00',
      '-20.00 %',
      '3',
      '33.33 %',
      '0.95',
      '21,250',
    ]);
  });

  it('draws equity, what is below its peak, prices once they are known, and each fill', () => {
    expect(report.equity?.values).toEqual([1_000_000, 1_200_000, 1_100_000, 960_000, 990_000]);
    expect(report.drawdown?.values).toEqual([0, 0, -100_000, -240_000, -210_000]);
    expect(report.prices[0]?.series.values).toEqual([1_900, 1_901]);
    expect(report.prices[0]?.marks).toMatchObject([
      { side: 'buy', effect: 'entry', price: 1_900.1, strategy: 'one' },
      { side: 'sell', effect: 'exit' },
    ]);
    expect(report.histograms[0]?.counts.reduce((sum, count) => sum + count, 0)).toBe(3);
  });

  it.each([
    ['By strategy', [['one', -10_000, 3, '33.33 %', '0.95', 7, 4, 21_250]]],
    ['By month', [['2026-03', -10_000]]],
    [
      'By day',
      [
        ['2026-03-04', 100_000, 1_100_000],
        ['2026-03-05', -110_000, 990_000],
      ],
    ],
    [
      'By hour of entry',
      [
        ['10:00', 200_000, 1, '100.00 %', 200_000],
        ['13:00', -210_000, 2, '0.00 %', -105_000],
      ],
    ],
    [
      'By side',
      [
        ['long', 90_000, 2, '50.00 %', 45_000],
        ['short', -100_000, 1, '0.00 %', -100_000],
      ],
    ],
  ])('has a table %s', (title, rows) => {
    expect(report.tables.find((table) => table.title === title)?.rows).toEqual(rows);
  });
});

describe('a thinned series', () => {
  it('keeps the ends and every extreme, in order, in few points', () => {
    const series = fc.array(fc.integer({ min: -1000, max: 1000 }), {
      minLength: 1,
      maxLength: 500,
      size: 'max',
    });
    fc.assert(
      fc.property(series, fc.integer({ min: 4, max: 60 }), (values, pointsMax) => {
        const tsUs = Float64Array.from(values, (_, i) => i * 1_000_000);
        const thin = thinSeries({ tsUs, values: Float64Array.from(values) }, pointsMax, (value) => value);
        expect(thin.values.length).toBeLessThanOrEqual(pointsMax + 2);
        expect(thin.values[0]).toBe(values[0]);
        expect(thin.values.at(-1)).toBe(values.at(-1));
        expect(Math.min(...thin.values)).toBe(Math.min(...values));
        expect(Math.max(...thin.values)).toBe(Math.max(...values));
        expect(thin.tsSeconds).toEqual(thin.tsSeconds.toSorted((a, b) => a - b));
      }),
    );
  });
});
