import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CEILING_NONE,
  type ContractSpec,
  formatPoints,
  hundredthsOf,
  NO_BAND_BPS,
  parsePoints,
  pointDecimals,
  pointsOf,
  priceBand,
  valueAtHundredths,
  valueOf,
} from '../../src/domain/contract.ts';
import { priceHundredths, priceTicks } from '../../src/domain/units.ts';
import { contract } from '../support/strategy-fixtures.ts';

const { spec } = contract(0);

test.each([
  // reference, floor, ceiling (points)
  [1178.0, 1095.6, 1260.4], // 2025-04-10: to the nearest tick would be 1095.5 and 1260.5, which never traded
  [1300.0, 1209.0, 1391.0], // exact: nothing to round
  [1834.5, 1706.1, 1962.9],
  [1305.25, 1213.9, 1396.6], // a reference between two ticks
  [0.5, 0.4, 0.6], // the band is the reference: one tick on either side
])('the band of %d is %d to %d', (reference, floor, ceiling) => {
  const band = priceBand(spec, priceHundredths(Math.round(reference * 100)));
  expect([pointsOf(spec, band.floor), pointsOf(spec, band.ceiling)]).toEqual([floor, ceiling]);
});

describe('whatever the reference', () => {
  test('the band never widens by rounding, and the reference is inside', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20_000, max: 400_000 }), (reference) => {
        const { ceiling, floor } = priceBand(spec, priceHundredths(reference));
        const tick = spec.hundredthsPerTick;
        expect(ceiling * tick * 100).toBeLessThanOrEqual(reference * 107);
        expect((ceiling + 1) * tick * 100).toBeGreaterThan(reference * 107);
        expect(floor * tick * 100).toBeGreaterThanOrEqual(reference * 93);
        expect((floor - 1) * tick * 100).toBeLessThan(reference * 93);
      }),
    );
  });
});

describe('prices', () => {
  test.each([
    [1305.2, 13_052],
    [1305, 13_050],
    [0.1, 1],
    [1260.3999999999999, 12_604], // a decimal that binary cannot hold
  ])('%d points are %d ticks', (points, ticks) => {
    expect(parsePoints(spec, points, 'price')).toEqual({ ok: true, value: ticks });
  });

  test.each([[1305.25], [1305.01], [Number.NaN], [Number.POSITIVE_INFINITY], [1e300]])(
    '%d is off the grid: an error, not a rounding',
    (points) => {
      const read = parsePoints(spec, points, 'price');
      expect(read).toMatchObject({ ok: false, issues: [{ path: 'price' }] });
    },
  );

  test('every tick is written and read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (ticks) => {
        const text = formatPoints(spec, priceTicks(ticks));
        expect(text).toMatch(/^\d+\.\d$/);
        expect(parsePoints(spec, Number(text), 'price')).toEqual({ ok: true, value: ticks });
      }),
    );
  });

  test('money is whole: 100,000 a point', () => {
    expect(valueOf(spec, priceTicks(13_000), 1)).toBe(130_000_000);
    expect(valueOf(spec, priceTicks(13_001), 500)).toBe(65_005_000_000);
    expect(valueAtHundredths(spec, priceHundredths(130_025), 2)).toBe(260_050_000);
    expect(hundredthsOf(spec, priceTicks(13_052))).toBe(130_520);
  });
});

/** One-minute bars of real sessions, where they are at hand; they are not part of this repository. */
const BARS = join(
  import.meta.dirname,
  '../../../shared/data/vn30f/vn30f1m_1min_2025-01-13_2026-03-17.csv.gz',
);

function daysOf(path: string): readonly { high: number; low: number; close: number }[] {
  const days = new Map<string, { high: number; low: number; close: number }>();
  for (const line of gunzipSync(readFileSync(path)).toString().trim().split('\n').slice(1)) {
    const [time = '', , high, low, close] = line.split(',');
    const day = days.get(time.slice(0, 10)) ?? { high: -Infinity, low: Infinity, close: 0 };
    day.high = Math.max(day.high, Number(high));
    day.low = Math.min(day.low, Number(low));
    day.close = Number(close);
    days.set(time.slice(0, 10), day);
  }
  return [...days.values()];
}

test('real limit days stop exactly at the limit', (context) => {
  context.skip(!existsSync(BARS), `no price files at ${BARS}`);
  const days = daysOf(BARS);
  const touched: string[] = [];
  let outside = 0;
  days.slice(1).forEach((day, i) => {
    const { ceiling, floor } = priceBand(spec, priceHundredths(Math.round(days[i]!.close * 100)));
    const [high, low] = [Math.round(day.high * 10), Math.round(day.low * 10)];
    if (high > ceiling || low < floor) outside += 1;
    if (high === ceiling || low === floor) touched.push(`${low} ${high}`);
  });
  expect(outside).toBe(0);
  expect(touched).toHaveLength(5);
});

const market = (hundredthsPerTick: number, partsPerPoint?: number): ContractSpec => ({
  underlying: 'X',
  hundredthsPerTick,
  moneyPerHundredth: 1,
  orderQtyMax: 1,
  bandBps: NO_BAND_BPS,
  ...(partsPerPoint === undefined ? {} : { partsPerPoint }),
});

describe('ticks of other markets', () => {
  test.each([
    // hundredths (or parts) a tick, parts a point, price in ticks, as people write it
    [10, undefined, 13_052, '1305.2'],
    [25, undefined, 20_001, '5000.25'],
    [100, undefined, 70, '70'],
    [10, 1_000_000, 112_345, '1.12345'],
    [1, 10, 7, '0.7'],
  ])('%d of %s parts: %d ticks are %s points', (parts, perPoint, ticks, text) => {
    const spec = market(parts, perPoint);
    expect(formatPoints(spec, priceTicks(ticks))).toBe(text);
    expect(parsePoints(spec, Number(text), 'price')).toEqual({ ok: true, value: ticks });
    expect(pointDecimals(spec)).toBe(text.split('.')[1]?.length ?? 0);
  });

  test('every price and every move comes back from its points and from its text', () => {
    const markets = [market(25), market(1), market(1, 100_000), market(1, 100_000_000)];
    const any = fc.integer({ min: -CEILING_NONE, max: CEILING_NONE });
    fc.assert(
      fc.property(fc.constantFrom(...markets), any, (spec, ticks) => {
        const price = priceTicks(ticks);
        for (const points of [pointsOf(spec, price), Number(formatPoints(spec, price))])
          expect(parsePoints(spec, points, 'price')).toMatchObject({ ok: true, value: ticks });
      }),
    );
  });

  test('between two ticks of 0.00001 there is no price', () => {
    expect(parsePoints(market(10, 1_000_000), 1.123455, 'price')).toMatchObject({ ok: false });
  });

  test('a market without a band has a floor of one tick and a ceiling that nothing reaches', () => {
    expect(priceBand(market(10), priceHundredths(100))).toEqual({
      floor: 1,
      ceiling: CEILING_NONE,
      reference: 100,
    });
  });
});
