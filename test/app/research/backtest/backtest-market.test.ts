/** Ticks of any size, lots below one and any currency become whole numbers, and back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { moneyDecimals, specOf } from '../../../../src/app/research/backtest/backtest-market.ts';
import { formatPoints, pointsOf, valueOf } from '../../../../src/domain/contract.ts';
import { priceTicks } from '../../../../src/domain/units.ts';

const terms = (tick: number, lot = 1, pointValue = 1) => ({
  tick,
  lot,
  pointValue,
  orderQtyMax: 1_000,
  bandPercent: null,
});

test.each([
  ['ES', terms(0.25, 1, 50), 22_001, 2, '5500.25', 550_025],
  ['AAPL', terms(0.01), 18_762, 100, '187.62', 18_762],
  ['BTCUSDT', terms(0.01, 0.001), 6_512_345, 1_500, '65123.45', 97_685.175],
  ['EURUSD', terms(0.00001, 1_000), 108_123, 3, '1.08123', 3_243.69],
  ['ZN', terms(0.015625, 1, 1_000), 7_105, 1, '111.015625', 111_015.625],
  ['VN30', terms(0.1, 1, 100_000), 19_502, 1, '1950.2', 195_020_000],
])('%s: price, points and value agree to the last digit', (symbol, each, ticks, lots, points, money) => {
  const scale = 10 ** moneyDecimals([each]);
  const spec = specOf(symbol, each, scale);
  expect(formatPoints(spec, priceTicks(ticks))).toBe(points);
  expect(valueOf(spec, priceTicks(ticks), lots) / scale).toBe(money);
});

test('a tick of a lot is always whole money', () => {
  const decimal = fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 4 }))
    .map(([whole, digits]) => Number(`${whole}e-${digits}`));
  fc.assert(
    fc.property(
      decimal,
      fc.integer({ min: 1, max: 500 }),
      fc.integer({ min: 1, max: 1_000 }),
      (tick, pointValue, ticks) => {
        const each = terms(tick, 1, pointValue);
        const spec = specOf('X', each, 10 ** moneyDecimals([each]));
        expect(
          Number.isSafeInteger(spec.hundredthsPerTick) && Number.isSafeInteger(spec.moneyPerHundredth),
        ).toBe(true);
        expect(pointsOf(spec, priceTicks(ticks))).toBeCloseTo(ticks * tick, 9);
      },
    ),
    { numRuns: 100 },
  );
});
