/** Four rows a bar: the order of the extremes, the times, and that the same bar comes out of them again. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barTicks, type DayBars } from '../../../src/research/run/tape-player.ts';
import { ROWS_PER_BAR } from '../../../src/venue/exchange/bar-exchange.ts';

const one = (open: number, high: number, low: number, close: number, volume = 40): DayBars => ({
  rows: 1,
  startUs: [0],
  endUs: [60_000_000],
  open: [open],
  high: [high],
  low: [low],
  close: [close],
  volume: [volume],
});

test.each([
  ['nearest', one(10, 12, 5, 8), [10, 12, 5, 8]],
  ['nearest', one(10, 15, 8, 12), [10, 8, 15, 12]],
  ['nearest', one(10, 12, 8, 11), [10, 8, 12, 11]],
  ['high_first', one(10, 15, 8, 12), [10, 15, 8, 12]],
  ['low_first', one(10, 12, 5, 8), [10, 5, 12, 8]],
  ['worst_first', one(10, 12, 5, 8), [10, 12, 5, 8]],
] as const)('on the path %s', (path, bar, prices) => {
  const ticks = barTicks(bar, 60_000_000, path);
  expect([...ticks.priceTicks]).toEqual(prices);
  expect([...ticks.tsUs]).toEqual([0, 20_000_000, 40_000_000, 59_999_999]);
});

const anyBar = fc
  .record({
    open: fc.nat(1_000),
    up: fc.nat(50),
    down: fc.nat(50),
    close: fc.double({ min: 0, max: 1, noNaN: true }),
    volume: fc.nat(10_000),
  })
  .map(({ open, up, down, close, volume }) => ({
    open,
    high: open + up,
    low: open - down,
    close: Math.round(open - down + close * (up + down)),
    volume,
  }));

test('open, extremes, close and volume of every bar come out again, in time', () => {
  fc.assert(
    fc.property(
      fc.array(anyBar, { minLength: 1, maxLength: 20 }),
      fc.constantFrom('nearest', 'high_first', 'low_first', 'worst_first'),
      (bars, path) => {
        const minute = 60_000_000;
        const ticks = barTicks(
          {
            rows: bars.length,
            startUs: bars.map((_, i) => i * minute),
            endUs: bars.map((_, i) => (i + 1) * minute),
            open: bars.map(({ open }) => open),
            high: bars.map(({ high }) => high),
            low: bars.map(({ low }) => low),
            close: bars.map(({ close }) => close),
            volume: bars.map(({ volume }) => volume),
          },
          minute,
          path,
        );
        bars.forEach(({ open, high, low, close, volume }, i) => {
          const of = (column: Float64Array | Int32Array): number[] => [
            ...column.subarray(i * ROWS_PER_BAR, (i + 1) * ROWS_PER_BAR),
          ];
          const prices = of(ticks.priceTicks);
          expect([prices[0], Math.max(...prices), Math.min(...prices), prices[3]]).toEqual([
            open,
            high,
            low,
            close,
          ]);
          expect(ticks.bars!.volume[i]).toBe(volume);
          expect(of(ticks.qty)).toEqual([1, 1, 1, 1]);
          expect(of(ticks.tsUs).every((at) => at >= i * minute && at < (i + 1) * minute)).toBe(true);
        });
        expect(ticks.tsUs).toEqual(ticks.tsUs.toSorted());
      },
    ),
    { numRuns: 50 },
  );
});
