import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/domain/assert.ts';
import * as ids from '../../src/domain/ids.ts';
import { notParsed, shown } from '../../src/domain/parsed.ts';
import * as units from '../../src/domain/units.ts';

const ANY_SIGN = [units.priceTicks, units.priceHundredths, units.signedQty, units.money, units.tsUs] as const;
const NO_SIGN = [units.qty, units.durationUs, units.seq, units.instrumentIndex] as const;

describe('a number of the trade', () => {
  test.each([...ANY_SIGN, ...NO_SIGN, units.strategyIndex])('%o takes whole numbers only', (mint) => {
    expect(mint(0)).toBe(0);
    expect(mint(7)).toBe(7);
    for (const wrong of [0.5, Number.NaN, Infinity, -Infinity, 2 ** 53])
      expect(() => mint(wrong)).toThrow(InvariantError);
  });

  test.each(ANY_SIGN)('%o may be below zero', (mint) => {
    expect(mint(-1)).toBe(-1);
  });

  test.each(NO_SIGN)('%o is zero or more', (mint) => {
    expect(() => mint(-1)).toThrow(InvariantError);
  });

  test('the operator is the only index below zero', () => {
    expect(units.strategyIndex(-1)).toBe(units.OPERATOR_INDEX);
    expect(() => units.strategyIndex(-2)).toThrow(InvariantError);
  });

  test('there is one zero', () => {
    expect(Object.is(units.money(-0), 0)).toBe(true);
    expect(Object.is(units.signedQty(-0), 0)).toBe(true);
  });

  test('spans are whole microseconds', () => {
    expect(units.milliseconds(1.5)).toBe(1_500);
    expect(units.seconds(0.25)).toBe(250_000);
    expect(units.minutes(2)).toBe(120_000_000);
    expect(units.addUs(units.tsUs(5), -3)).toBe(2);
    expect(() => units.seconds(-1)).toThrow(InvariantError);
  });
});

const MINTS = [
  ids.clientOrderId,
  ids.brokerOrderNo,
  ids.brokerOrderKey,
  ids.accountId,
  ids.subAccountId,
  ids.orderCode,
  ids.streamCode,
] as const;

test.each(MINTS)('%o is a name: not empty, no blanks at its ends', (mint) => {
  expect(mint('a1')).toBe('a1');
  for (const wrong of ['', ' ', ' a', 'a\n']) expect(() => mint(wrong)).toThrow(InvariantError);
});

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  ['text', '"text"'],
  [{ a: 1 }, '{"a":1}'],
  [Symbol('odd'), 'symbol'],
])('%o is shown as %s', (value, text) => {
  expect(shown(value)).toBe(text);
  expect(notParsed('here', 'a price', value)).toEqual({
    ok: false,
    issues: [{ path: 'here', expected: 'a price', received: text }],
  });
});
