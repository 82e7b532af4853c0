import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatAmount,
  formatAverage,
  formatCount,
  formatNumber,
  formatRate,
  formatSigned,
  formatSignedAmount,
} from '../../src/text/numbers.ts';

test.each([
  [0, '0', '0'],
  [-0, '0', '0'],
  [7, '7', '+7'],
  [999, '999', '+999'],
  [1_000, '1,000', '+1,000'],
  [1_234_567, '1,234,567', '+1,234,567'],
  [-1_234_567, '-1,234,567', '-1,234,567'],
  [-999, '-999', '-999'],
])('%d is %s, with its sign %s', (value, plain, signed) => {
  expect(formatNumber(value)).toBe(plain);
  expect(formatSigned(value)).toBe(signed);
});

test.each([
  [1_295, '1295.0'],
  [1_295.1, '1295.1'],
  [1_295.25, '1295.250'],
  [1_295.2333333, '1295.233'],
  [1_295.00001, '1295.0'],
])('the average price %d is %s, on the grid of ticks and between two', (points, text) => {
  expect(formatAverage(points)).toBe(text);
});

test('separators change no digit', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (value) => {
      expect(formatNumber(value)).toMatch(/^-?\d{1,3}(?:,\d{3})*$/);
      expect(Number(formatNumber(value).replaceAll(',', ''))).toBe(value === 0 ? 0 : value);
    }),
  );
});

test.each([
  [0, '0'],
  [0.156, '0.16'],
  [9.4, '9.4'],
  [850.4, '850'],
  [12_340, '12.3 thousand'],
  [4_100_000, '4.1 million'],
])('%d a second is %s', (rate, text) => {
  expect(formatRate(rate)).toBe(text);
});

test.each([
  [-2_876_746, 1, '-2,876,746'],
  [343_315_000, 10_000, '34,331.50'],
  [12_345, 100, '123.45'],
  [25, 10_000, '0.0025'],
  [0, 10_000, '0.00'],
])('%d at %d to the unit is %s', (value, moneyScale, text) => {
  expect(formatAmount(value, { currency: 'X', moneyScale })).toBe(text);
});

test('a gain has its sign', () => {
  expect(formatSignedAmount(150, { currency: 'X', moneyScale: 100 })).toBe('+1.50');
});

test('one has no plural', () => {
  expect([formatCount(1, 'order'), formatCount(2_000, 'order')]).toEqual(['1 order', '2,000 orders']);
});
