import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/domain/assert.ts';
import { applyFill, FLAT_POSITION, openProfit, partOf } from '../../src/domain/position.ts';
import { money, signedQty } from '../../src/domain/units.ts';

const UNIT = 10_000;
/** Fills as contracts and ticks; then quantity, open value and what was realised, in ticks. */
test.each([
  ['opens long', '2@13000', 2, 26_000, 0],
  ['opens short', '-2@13000', -2, 26_000, 0],
  ['adds', '1@13000 1@13010', 2, 26_010, 0],
  ['closes in part', '2@13000 -1@13020', 1, 13_000, 20],
  ['closes whole', '2@13000 -2@13020', 0, 0, 40],
  ['closes short with a loss', '-1@13000 1@13030', 0, 0, -30],
  ['reverses', '1@13000 -3@13020', -2, 26_040, 20],
  ['reverses back', '-1@13000 2@12990', 1, 12_990, 10],
])('%s: %s', (_, fills, qty, openTicks, realisedTicks) => {
  let position = FLAT_POSITION;
  for (const fill of fills.split(' ')) {
    const [change = 0, ticks = 0] = fill.split('@').map(Number);
    position = applyFill(position, change, Math.abs(change) * ticks * UNIT);
  }
  expect(position).toEqual({ qty, openValue: openTicks * UNIT, realised: realisedTicks * UNIT });
});

const anyFill = fc.record({
  change: fc.integer({ min: -500, max: 500 }).filter((change) => change !== 0),
  /** Averages make values that no whole price explains. */
  value: fc.integer({ min: 0, max: 100_000_000_000 }),
});

describe('whatever is filled', () => {
  test('no money appears or disappears: realised - open is what was paid and received', () => {
    fc.assert(
      fc.property(fc.array(anyFill, { maxLength: 40 }), (fills) => {
        let position = FLAT_POSITION;
        let [qty, cash] = [0, 0];
        for (const { change, value } of fills) {
          position = applyFill(position, change, value);
          qty += change;
          cash -= Math.sign(change) * value;
          expect(position.qty).toBe(qty);
          expect(position.openValue).toBeGreaterThanOrEqual(0);
          expect(position.realised - Math.sign(qty) * position.openValue).toBe(cash === 0 ? 0 : cash);
        }
      }),
    );
  });

  test('flat is worth what was realised, at any price', () => {
    fc.assert(
      fc.property(
        fc.array(anyFill, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 500_000_000 }),
        (fills, unit) => {
          const open = fills.reduce(
            (position, { change, value }) => applyFill(position, change, value),
            FLAT_POSITION,
          );
          const closing = open.qty === 0 ? open : applyFill(open, 0 - open.qty, Math.abs(open.qty) * unit);
          expect(closing.qty).toBe(0);
          expect(closing.openValue).toBe(0);
          expect(closing.realised).toBe(open.realised + openProfit(open, unit));
        },
      ),
    );
  });
});

test.each([
  [2, 260_000_000, 130_100_000, 200_000],
  [-2, 260_000_000, 130_100_000, -200_000],
  [0, 0, 130_100_000, 0],
])('a position of %d entered for %d, at %d each, is worth %d', (qty, openValue, unit, profit) => {
  expect(openProfit({ qty: signedQty(qty), openValue: money(openValue), realised: money(7) }, unit)).toBe(
    profit,
  );
});

test.each([
  [0, 1],
  [1.5, 1],
  [Number.NaN, 1],
  [1, -1],
  [1, 0.5],
])('a fill of %d for %d is a fault', (change, value) => {
  expect(() => applyFill(FLAT_POSITION, change, value)).toThrow(InvariantError);
});

test('a part of an amount is exact however large their product is, half and more up', () => {
  expect([5, -5, 4, -4].map((amount) => partOf(amount, 1, 2))).toEqual([3, -2, 2, -2]);
  // (2 x 9,007,199,254,740,991 x 500,000 + 1,000,001) / 2,000,002, rounded down.
  expect(partOf(Number.MAX_SAFE_INTEGER, 500_000, 1_000_001)).toBe(4_503_595_123_775_372);
  expect(partOf(-8_866_795_673_863_175, 1, 834_968_098_202_049)).toBe(-11);
  const amount = fc.integer({ min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  const size = fc.integer({ min: 1, max: 1_000_000_000 });
  fc.assert(
    fc.property(amount, size, size, (whole, a, b) => {
      const [part, all] = [Math.min(a, b), Math.max(a, b)];
      const product = BigInt(whole) * BigInt(part);
      const error = 2n * (BigInt(partOf(whole, part, all)) * BigInt(all) - product);
      expect(error > -BigInt(all) && error <= BigInt(all)).toBe(true);
      expect(partOf(whole, part, all) + partOf(whole, all - part, all) - whole).toBeLessThanOrEqual(1);
    }),
  );
});
