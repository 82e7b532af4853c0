import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecimalReader, FinestStep, isStep, wholeOf } from '../../src/text/decimals.ts';

function read(step: string, text: string): number {
  const bytes = Buffer.from(`,${text},`);
  return new DecimalReader(step).read(bytes, 1, bytes.length - 1);
}

it('gives back every whole number of steps, however many zeros follow it', () => {
  const decimals = fc.integer({ min: 0, max: 4 });
  fc.assert(
    fc.property(decimals, fc.integer({ min: 0, max: 2 ** 40 }), decimals, (places, value, zeros) => {
      const step = places === 0 ? '1' : `0.${'1'.padStart(places, '0')}`;
      const digits = String(value).padStart(places + 1, '0');
      const whole = digits.slice(0, digits.length - places);
      const fraction = digits.slice(digits.length - places) + '0'.repeat(zeros);
      expect(read(step, fraction === '' ? whole : `${whole}.${fraction}`)).toBe(value);
    }),
  );
});

it.each([
  ['0.1', '1950.1', 19_501],
  ['0.1', '2018', 20_180],
  ['0.1', '2021.0', 20_210],
  ['0.1', '1956.00', 19_560],
  ['0.10', '1956.1', 19_561],
  ['1', '2.0', 2],
  ['0.25', '4500.75', 18_003],
  ['0.0005', '1.2345', 2_469],
  ['5', '1235', 247],
  ['1000', '52000', 52],
  ['0.1', '1950.1000000001', 19_501],
  ['0.1', '1950.0999999999999', 19_501],
  ['0.00001', '1e-05', 1],
  ['0.1', '+5.5', 55],
  ['0.1', '-5.5', -55],
  ['0.1', '.5', 5],
  ['0.1', '5.', 50],
  ['1', '123456789012345', 123_456_789_012_345],
])('in steps of %s, %s is %d', (step, text, steps) => {
  expect(read(step, text)).toBe(steps);
});

describe('is no number of steps', () => {
  it.each([
    ['0.1', '1950.05'],
    ['0.25', '4500.8'],
    ['1', '1.5'],
    ['5', '1234'],
    ['1', ''],
    ['1', '.'],
    ['1', '-'],
    ['1', '1,000'],
    ['1', '1 000'],
    ['1', '1.2.3'],
    ['1', 'n/a'],
    ['1', 'NaN'],
    ['1', 'Infinity'],
    ['1', '0x10'],
    ['1', '１２'],
    ['0.1', '1e400'],
    ['1', '99999999999999999999'],
  ])('in steps of %s: %s', (step, text) => {
    expect(read(step, text)).toBeNaN();
  });
});

it('knows what is a step', () => {
  expect(['1', '0.1', '0.25', '1000', '0.000000001'].every(isStep)).toBe(true);
  expect(['0', '0.0', '-1', '1e-3', '', 'x', '.1'].some(isStep)).toBe(false);
});

it.each([
  [1.25, 2, 125],
  [0.1 + 0.2, 1, 3],
  [2.255, 2, undefined],
  [0.00001, 4, undefined],
])('%d with %d digits is %s', (value, digits, whole) => {
  expect(wholeOf(value, digits)).toBe(whole);
});

it.each([
  ['0.1', '1950,1', 19_501],
  ['0.1', '1950', 19_500],
  ['0.25', '-4500,75', -18_003],
  ['0.1', '1950.1', NaN],
  ['0.1', '1.950,1', NaN],
  ['0.1', '1,950,1', NaN],
])('in steps of %s, with a comma, %s is %s', (step, text, steps) => {
  const bytes = Buffer.from(text);
  expect(new DecimalReader(step, { hasComma: true }).read(bytes, 0, bytes.length)).toBe(steps);
});

it('knows the finest step of numbers and the line that has it first', () => {
  const finest = new FinestStep('0.05');
  const seen: (string | null)[] = [finest.text];
  for (const [line, steps] of [40, 20, 60, 21, 22].entries()) {
    finest.add(steps, line + 2);
    seen.push(finest.text);
  }
  finest.addFiner('1.125', 9);
  finest.addFiner('1,0250', 10);
  seen.push(finest.text);
  expect(seen).toEqual([
    null,
    '2 (line 2)',
    '1 (line 3)',
    '1 (line 3)',
    '0.05 (line 5)',
    '0.05 (line 5)',
    '0.025 (line 9)',
  ]);
});

it.each([
  [['0.25', '0.5', '0.75'], '0.25'],
  [['1.5', '2'], '0.5'],
  [['1e-3'], '0.001'],
  [['abc', '', '0', '-', '1950.00000000012345'], null],
])('the finest step of %j below a step of 1 is %s', (texts, step) => {
  const finest = new FinestStep('1');
  for (const text of texts) finest.addFiner(text, 2);
  expect([finest.isFiner, finest.text]).toEqual(step === null ? [false, null] : [true, `${step} (line 2)`]);
});
