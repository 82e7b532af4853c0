import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSession } from '../../src/domain/calendar.ts';
import { tradingDay, weekdayOf } from '../../src/domain/civil-date.ts';
import {
  codedForm,
  aliasesOf,
  aliasOf,
  contractMonthOf,
  underlyingOf,
  UNDERLYINGS,
  expiryOf,
  legacyCode,
  listedMonths,
  withAliases,
} from '../../src/domain/contract-code.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';

test.each([
  ['VN30F2504', '41I1F4000', 'VN30', 2025, 4],
  ['VN30F2511', '41I1FB000', 'VN30', 2025, 11],
  ['VN30F2512', '41I1FC000', 'VN30', 2025, 12],
  ['VN30F2602', '41I1G2000', 'VN30', 2026, 2],
  ['VN30F2604', '41I1G4000', 'VN30', 2026, 4],
  ['VN30F2610', '41I1GA000', 'VN30', 2026, 10],
  ['VN30F1901', '41I191000', 'VN30', 2019, 1],
  ['VN30F2001', '41I1A1000', 'VN30', 2020, 1],
  ['VN30F2412', '41I1EC000', 'VN30', 2024, 12],
  ['VN30F2701', '41I1H1000', 'VN30', 2027, 1],
  ['VN30F2801', '41I1J1000', 'VN30', 2028, 1],
  ['VN30F3201', '41I1N1000', 'VN30', 2032, 1],
  ['VN30F3301', '41I1P1000', 'VN30', 2033, 1],
  ['VN30F3901', '41I1W1000', 'VN30', 2039, 1],
  ['VN100F2511', '41I2FB000', 'VN100', 2025, 11],
] as const)('%s and %s are one contract', (legacy, coded, underlying, year, month) => {
  const named = { underlying, year, month };
  expect(contractMonthOf(legacy)).toEqual(named);
  expect(contractMonthOf(coded)).toEqual(named);
  expect(legacyCode(named)).toBe(legacy);
  expect(codedForm(named)).toBe(coded);
});

test.each(['41I1FB0002', '41I2FB0001', '41I2G30006'])('%s is read with its check digit', (code) => {
  expect(contractMonthOf(code)).toEqual(contractMonthOf(code.slice(0, 9)));
  expect(contractMonthOf(code)).toBeDefined();
});

test.each([
  ['', 'nothing'],
  ['VN30F1M', 'an alias names no month'],
  ['VN30F2513', 'no thirteenth month'],
  ['VN30F2500', 'no month zero'],
  ['VN30F25111', 'too long'],
  ['41I1IB000', 'I is no year'],
  ['41I1FD000', 'D is no month'],
  ['41I1F0000', '0 is no month'],
  ['41B5FC000', 'bonds are not ours'],
  ['42I1FB000', 'a spread is not a contract'],
  ['41I1FB00012', 'too long'],
  ['vn30f2511', 'codes are upper case'],
])('"%s" names no month (%s)', (code) => {
  expect(contractMonthOf(code)).toBeUndefined();
});

test.each([
  ['VN30F2511', '2025-11-20', 'third Thursday'],
  ['VN30F2601', '2026-01-15', 'the month begins on a Thursday'],
  ['VN30F2602', '2026-02-13', 'third Thursday is Tet: the session before'],
  ['VN30F2603', '2026-03-19', 'third Thursday'],
  ['VN30F2404', '2024-04-17', "third Thursday is the kings' day: the session before"],
])('%s is last traded on %s (%s)', (code, expiry) => {
  expect(expiryOf(MARKET_CALENDAR, contractMonthOf(code)!)).toBe(expiry);
});

test.each([
  // The board that was published on this day.
  ['2025-10-30', '41I1FB000 41I1FC000 41I1G3000 41I1G6000'],
  ['2026-04-01', '41I1G4000 41I1G5000 41I1G6000 41I1G9000'],
  ['2026-02-13', '41I1G2000 41I1G3000 41I1G6000 41I1G9000'], // the last day still counts
  ['2026-02-23', '41I1G3000 41I1G4000 41I1G6000 41I1G9000'],
  ['2026-12-18', '41I1H1000 41I1H2000 41I1H3000 41I1H6000'],
])('on %s the board shows %s', (day, codes) => {
  const listed = listedMonths(MARKET_CALENDAR, 'VN30', tradingDay(day));
  expect(listed.map(codedForm).join(' ')).toBe(codes);
});

describe('whatever the month', () => {
  const anyMonth = fc.record({
    underlying: fc.constantFrom('VN30' as const, 'VN100' as const),
    year: fc.integer({ min: 2019, max: 2039 }),
    month: fc.integer({ min: 1, max: 12 }),
  });

  test('both forms read back what was written', () => {
    fc.assert(
      fc.property(anyMonth, (named) => {
        expect(contractMonthOf(legacyCode(named))).toEqual(named);
        expect(contractMonthOf(codedForm(named))).toEqual(named);
      }),
    );
  });

  test('expiry is a session, the third Thursday or the last session before it', () => {
    fc.assert(
      fc.property(anyMonth, (named) => {
        const expiry = expiryOf(MARKET_CALENDAR, named);
        const dayOfMonth = Number(expiry.slice(8));
        expect(isSession(MARKET_CALENDAR, expiry)).toBe(true);
        expect(dayOfMonth).toBeLessThanOrEqual(21);
        const isThirdThursday = weekdayOf(expiry) === 4 && dayOfMonth >= 15;
        expect(isThirdThursday || named.year <= 2026).toBe(true);
      }),
    );
  });

  test('four contracts are listed on any day, in order, none of them expired', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_900 }), (offset) => {
        const day = tradingDay(new Date(1_546_300_800_000 + offset * 86_400_000).toISOString().slice(0, 10));
        const expiries = listedMonths(MARKET_CALENDAR, 'VN30', day).map((each) =>
          expiryOf(MARKET_CALENDAR, each),
        );
        expect(expiries).toHaveLength(4);
        expect(expiries.toSorted()).toEqual(expiries);
        expect(new Set(expiries).size).toBe(4);
        expect(expiries[0]! >= day).toBe(true);
      }),
    );
  });
});

test('an alias names a place among the months of its index', () => {
  expect(aliasesOf(UNDERLYINGS).map(aliasOf)).toEqual(
    UNDERLYINGS.flatMap((underlying) => [0, 1, 2, 3].map((place) => ({ underlying, place }))),
  );
  for (const other of ['VN30', 'VN30F3M', 'VN30F2603', 'vn30f1m', 'F1M', 'XF1M', '41I1G3000', ''])
    expect(aliasOf(other)).toBeUndefined();
});

test.each([
  ['VN30F1M', 'VN30'],
  ['VN100F2Q', 'VN100'],
  ['VN30F2603', 'VN30'],
  ['41I2G3000', 'VN100'],
  ['VN30', undefined],
])('%s is a contract of %s', (symbol, underlying) => {
  expect(underlyingOf(symbol)).toBe(underlying);
});

test.each([
  ['2026-03-04', '+2 41I1G3000, -1 VN30F2604', '+2 VN30F1M (41I1G3000), -1 VN30F2M (VN30F2604)'],
  ['2026-03-04', 'buy 1 41I2G60001 at 1302.4', 'buy 1 VN100F1Q (41I2G60001) at 1302.4'],
  [
    '2026-03-20',
    '41I1G3000 has expired, 41I1G4000 is next',
    '41I1G3000 has expired, VN30F1M (41I1G4000) is next',
  ],
  ['2026-03-04', 'VN30F1M (41I1G3000) once', 'VN30F1M (41I1G3000) once'],
  ['2026-03-04', 'BTC and VN30F1M are no codes', 'BTC and VN30F1M are no codes'],
])('on %s a person reads %s as %s', (day, text, named) => {
  expect(withAliases(text, MARKET_CALENDAR, tradingDay(day))).toBe(named);
});
