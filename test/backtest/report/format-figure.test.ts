/** Money as people read it, whatever its smallest unit. */
import { expect, test } from 'vitest';
import { formatAmount, formatSignedAmount } from '../../../src/backtest/report/format-figure.ts';

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
