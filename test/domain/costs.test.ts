import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { type CostSchedule, initialMargin, orderCosts, rateOn, taxOn } from '../../src/domain/costs.ts';
import type { Side } from '../../src/domain/order.ts';
import { InvariantError } from '../../src/domain/assert.ts';

const START = tradingDay('2017-08-10');
const TODAY = tradingDay('2026-03-04');
const from = (day: string, value: number) => ({ from: tradingDay(day), value });

/** Of an order that has filled so much. */
const costsOf = (schedule: CostSchedule, filledQty: number, filledValue: number, side: Side = 'buy') =>
  orderCosts(schedule, TODAY, { side, filledQty, filledValue });

const COSTS: CostSchedule = {
  exchangeFee: [from('2017-08-10', 3_000), from('2020-03-19', 2_700)],
  clearingFee: [from('2017-08-10', 2_550)],
  brokerFee: [from('2017-08-10', 0)],
  taxPpm: [from('2017-08-10', 1_000)],
  marginBps: [from('2017-08-10', 1_000), from('2018-07-18', 1_300), from('2022-12-15', 1_700)],
};

test('one side at 1,300.0 with 17 % costs 16,300 VND', () => {
  expect(costsOf(COSTS, 1, 130_000_000)).toEqual({ fee: 5_250, tax: 11_050 });
});

test.each([
  ['2018-07-17', 1_000, 3_000],
  ['2018-07-18', 1_300, 3_000],
  ['2020-03-18', 1_300, 3_000],
  ['2020-03-19', 1_300, 2_700],
  ['2022-12-14', 1_300, 2_700],
  ['2022-12-15', 1_700, 2_700],
])('on %s the margin rate is %d and the exchange fee %d', (day, margin, fee) => {
  expect(rateOn(COSTS.marginBps, tradingDay(day))).toBe(margin);
  expect(rateOn(COSTS.exchangeFee, tradingDay(day))).toBe(fee);
});

test('a day before the first row has no rate', () => {
  expect(() => rateOn(COSTS.taxPpm, tradingDay('2017-08-09'))).toThrow('the first row starts on 2017-08-10');
  expect(() => rateOn([], START)).toThrow('no rate');
});

test.each([
  // 0.1 % x 8.5 % is 85 in a million: half a VND at 5,882 (0.49997) and 5,883 (0.500055).
  [0, 0],
  [5_882, 0],
  [5_883, 1],
  [130_000_000, 11_050],
  [130_010_000, 11_051], // 11,050.85
])('the tax on %d is %d', (value, tax) => {
  expect(taxOn(COSTS, TODAY, value)).toBe(tax);
});

describe('whatever is traded', () => {
  const anyFill = fc.record({
    qty: fc.integer({ min: 1, max: 500 }),
    ticks: fc.integer({ min: 1, max: 50_000 }),
  });

  test('tax is the exact share, half a VND and more up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000_000_000_000 }), (value) => {
        const tax = BigInt(taxOn(COSTS, TODAY, value));
        const twice = 2n * BigInt(value) * 85n;
        expect(twice >= (2n * tax - 1n) * 1_000_000n && twice < (2n * tax + 1n) * 1_000_000n).toBe(true);
      }),
    );
  });

  test('the number of parts changes nothing: their costs are differences of one total', () => {
    fc.assert(
      fc.property(fc.array(anyFill, { minLength: 1, maxLength: 20 }), (fills) => {
        let [qty, value, fee, tax] = [0, 0, 0, 0];
        for (const fill of fills) {
          const before = costsOf(COSTS, qty, value);
          qty += fill.qty;
          value += fill.qty * fill.ticks * 10_000;
          const after = costsOf(COSTS, qty, value);
          expect(after.tax).toBeGreaterThanOrEqual(before.tax);
          fee += after.fee - before.fee;
          tax += after.tax - before.tax;
        }
        expect({ fee, tax }).toEqual(costsOf(COSTS, qty, value));
      }),
    );
  });

  test('margin is rounded up, never below its share, for either direction', () => {
    fc.assert(
      fc.property(fc.integer({ min: -4_000_000_000_000, max: 4_000_000_000_000 }), (value) => {
        const share = BigInt(Math.abs(value)) * 1_700n;
        const margin = BigInt(initialMargin(COSTS, TODAY, value, 1));
        expect(margin * 10_000n >= share && (margin - 1n) * 10_000n < share).toBe(true);
      }),
    );
  });
});

test('22,100,000 VND of margin for one contract at 1,300.0', () => {
  expect(initialMargin(COSTS, TODAY, 130_000_000, 1)).toBe(22_100_000);
});

test.each([
  [58_823_529, 10_000_000], // 9,999,999.93
  [3_999_999_999_999 + 7, 680_000_000_002], // 680,000,000,001.02: the rest is too small for a division
])('the margin of %d is %d', (value, margin) => {
  expect(initialMargin(COSTS, TODAY, value, 1)).toBe(margin);
});

test('a cumulative figure below zero is a fault', () => {
  expect(() => costsOf(COSTS, -1, 0)).toThrow(InvariantError);
  expect(() => costsOf(COSTS, 1, -1)).toThrow(InvariantError);
});

describe('costs of other markets', () => {
  // Money in cents. 0.1 % of the value, at least 1.00 an order; 0.002 % on what is sold.
  const SHARES: CostSchedule = {
    exchangeFee: [from('1970-01-01', 0)],
    clearingFee: [from('1970-01-01', 0)],
    brokerFee: [from('1970-01-01', 0)],
    taxPpm: [from('1970-01-01', 0)],
    marginBps: [from('1970-01-01', 10_000)],
    valueFee: [{ from: tradingDay('1970-01-01'), value: { taker: 10_000_000, maker: 10_000_000 } }],
    orderFeeMin: [from('1970-01-01', 100)],
    sellTax: [from('1970-01-01', 200_000)],
  };

  test.each([
    // 100 shares at 5.00: 0.1 % is 0.50, the least fee is 1.00.
    ['buy', 100, 50_000, 100, 0],
    ['sell', 100, 50_000, 100, 1],
    // 1,000 shares at 23.45: 23.45 of fee; 0.469 of tax on a sale.
    ['buy', 1_000, 2_345_000, 2_345, 0],
    ['sell', 1_000, 2_345_000, 2_345, 47],
    // Nothing filled, nothing paid.
    ['buy', 0, 0, 0, 0],
  ] as const)('a %s of %d for %d cents pays %d and %d', (side, qty, value, fee, tax) => {
    expect(costsOf(SHARES, qty, value, side)).toEqual({ fee, tax });
  });

  test('the least fee holds for fees on contracts and value together', () => {
    const both: CostSchedule = { ...SHARES, brokerFee: [from('1970-01-01', 3)] };
    expect(costsOf(both, 10, 50_000)).toEqual({ fee: 100, tax: 0 });
  });

  test('products beyond 2^53 stay exact', () => {
    const value = 8_999_999_999_999_999; // x 1,000 / 1,000,000 = 8,999,999,999,999.999
    expect(costsOf(SHARES, 1, value).fee).toBe(9_000_000_000_000);
    expect(initialMargin({ ...SHARES, marginBps: [from('1970-01-01', 3_333)] }, TODAY, value, 1)).toBe(
      2_999_700_000_000_000,
    );
  });
});
