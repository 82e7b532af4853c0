import { expect, test } from 'vitest';
import { decimalsOf, momentText, moneyText, numberLabels } from '../../../src/page/charts/axis-text.ts';

const VIETNAM = 420;
/** Seconds since 1970 of a moment in Vietnam. */
const at = (text: string): number => Date.parse(`${text}+07:00`) / 1_000;

test.each([
  [[0, 1_000_000, 2_000_000], '', ['0', '1 m', '2 m']],
  [[-2_500_000, 0, 2_500_000], '', ['-2.5 m', '0.0', '2.5 m']],
  [[1_998_000_000, 1_999_000_000, 2_000_000_000], '', ['1,998 m', '1,999 m', '2,000 m']],
  [[0, 20_000_000_000], '', ['0', '20 bn']],
  [[-5_000, 0, 5_000], '', ['-5,000', '0', '5,000']],
  [[0, 0.25, 0.5], '%', ['0.00', '0.25 %', '0.50 %']],
])('labels %j %s by one unit', (splits, unit, labels) => {
  expect(numberLabels(splits, unit)).toEqual(labels);
});

test.each([
  [852.4, 2, '852.40'],
  [-330, 2, '-330.00'],
  [7_734.8, 4, '7,734.80'],
  [0.0123, 4, '0.0123'],
  [-0, 2, '0.00'],
  [0.01234567, 8, '0.01234567'],
  [1_998_123_254.4, 2, '1,998,123,254'],
  [-33_333.3, 0, '-33,333'],
])('shows the money %d with %d decimals', (value, digits, text) => {
  expect(moneyText(value, digits)).toBe(text);
});

test.each([
  [0.1, 1],
  [0.25, 2],
  [0.5, 1],
  [1, 0],
  [0.01, 2],
])('prices with a tick of %d show %d decimals', (tick, decimals) => {
  expect(decimalsOf(tick)).toBe(decimals);
});

test('says a moment by the clock at the exchange', () => {
  expect(momentText(at('2026-03-04T10:15:00'), VIETNAM)).toBe('4 Mar 2026 10:15');
  expect(momentText(at('2026-03-04T00:00:00'), VIETNAM)).toBe('4 Mar 2026');
  expect(momentText(at('2026-03-04T23:59:59'), VIETNAM)).toBe('4 Mar 2026');
});
