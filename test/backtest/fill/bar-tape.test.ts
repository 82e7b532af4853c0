import fc from 'fast-check';
import { expect, test } from 'vitest';
import { barTape, type DayBars } from '../../../src/backtest/fill/bar-tape.ts';
import type { BarPath } from '../../../src/backtest/fill/fill-models.ts';

const MINUTE = 60_000_000;

type Bar = readonly [open: number, high: number, low: number, close: number, volume: number];

const barsOf = (bars: readonly Bar[]): DayBars => ({
  rows: bars.length,
  startUs: Float64Array.from(bars, (_, i) => i * MINUTE),
  endUs: Float64Array.from(bars, (_, i) => (i + 1) * MINUTE),
  open: Int32Array.from(bars, ([open]) => open),
  high: Int32Array.from(bars, ([, high]) => high),
  low: Int32Array.from(bars, ([, , low]) => low),
  close: Int32Array.from(bars, ([, , , close]) => close),
  volume: Float64Array.from(bars, ([, , , , volume]) => volume),
});

test.each<{ path: BarPath; bar: Bar; prices: readonly number[] }>([
  { path: 'high_first', bar: [10, 13, 9, 11, 8], prices: [10, 13, 9, 11] },
  { path: 'low_first', bar: [10, 13, 9, 11, 8], prices: [10, 9, 13, 11] },
  // One down, three up: the low is nearer.
  { path: 'nearest', bar: [10, 13, 9, 11, 8], prices: [10, 9, 13, 11] },
  { path: 'nearest', bar: [10, 11, 7, 8, 8], prices: [10, 11, 7, 8] },
  { path: 'nearest', bar: [10, 12, 8, 11, 8], prices: [10, 12, 8, 11] },
])('$path: $bar runs as $prices', ({ path, bar, prices }) => {
  const tape = barTape(barsOf([bar]), path);
  expect([...tape.priceTicks]).toEqual(prices);
  expect([...tape.tsUs]).toEqual([0, 20_000_000, 40_000_000, MINUTE - 1]);
});

test('its rows make the same bar again, whatever the path', () => {
  const bar = fc.tuple(fc.nat(50), fc.nat(50), fc.nat(50), fc.nat(50), fc.integer({ min: 4, max: 999 }));
  const path = fc.constantFrom<BarPath>('nearest', 'high_first', 'low_first', 'worst_first');
  const play = fc.property(fc.array(bar, { minLength: 1, maxLength: 5 }), path, (drawn, way) => {
    const bars = drawn.map(([a, b, up, down, volume]): Bar => {
      const [open, close] = [100 + a, 100 + b];
      return [open, Math.max(open, close) + up, Math.min(open, close) - down, close, volume];
    });
    const { priceTicks, qty, tsUs, rows } = barTape(barsOf(bars), way);
    expect(rows).toBe(4 * bars.length);
    bars.forEach(([open, high, low, close, volume], i) => {
      const prices = priceTicks.slice(4 * i, 4 * i + 4);
      expect([prices[0], Math.max(...prices), Math.min(...prices), prices[3]]).toEqual([
        open,
        high,
        low,
        close,
      ]);
      expect(qty.slice(4 * i, 4 * i + 4).reduce((sum, each) => sum + each, 0)).toBe(volume);
      expect(tsUs[4 * i + 3]).toBeLessThan((i + 1) * MINUTE);
    });
  });
  fc.assert(play, { numRuns: 50 });
});
