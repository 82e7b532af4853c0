import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/domain/assert.ts';
import {
  alwaysOpen,
  assertCalendar,
  auctionStarts,
  continuousEnd,
  dayClose,
  expiryFlatFrom,
  flatFrom,
  isSession,
  lastSession,
  nextPhaseChange,
  phaseAt,
  rollsFrom,
  sessionAfter,
  sessionOnOrBefore,
  tradingDayAt,
} from '../../src/domain/calendar.ts';
import { dayAt, momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import { addUs, minutes, tsUs, US_PER_DAY } from '../../src/domain/units.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { at, contract } from '../support/strategy-fixtures.ts';

const anyMoment = fc.integer({ min: 1_600_000_000_000_000, max: 1_798_700_000_000_000 }).map(tsUs);

test.each([
  ['00:00', 'closed'],
  ['08:44:59.999999', 'closed'],
  ['08:45', 'opening_auction'],
  ['08:47', 'opening_auction'],
  ['08:59:59.999999', 'opening_auction'],
  ['09:00', 'continuous'],
  ['11:29:59.999999', 'continuous'],
  ['11:30', 'break'],
  ['12:59:59.999999', 'break'],
  ['13:00', 'continuous'],
  ['14:29:59.999999', 'continuous'],
  ['14:30', 'closing_auction'],
  ['14:44:59.999999', 'closing_auction'],
  ['14:45', 'closed'],
  ['23:59:59', 'closed'],
])('at %s of a session the phase is %s', (time, phase) => {
  expect(phaseAt(MARKET_CALENDAR, at(time))).toBe(phase);
});

test('what a calendar leaves out between two phases is a break: the day is not over', () => {
  const calendar = {
    ...MARKET_CALENDAR,
    phases: MARKET_CALENDAR.phases.filter(({ phase }) => phase !== 'break'),
  };
  const phases = ['08:44', '11:29', '11:30', '12:59', '13:00', '14:45'].map((time) =>
    phaseAt(calendar, at(time)),
  );
  expect(phases).toEqual(['closed', 'continuous', 'break', 'break', 'continuous', 'closed']);
});

test.each([
  ['2026-03-04', true, 'a Wednesday'],
  ['2026-03-07', false, 'a Saturday'],
  ['2026-02-19', false, 'Tet'],
  ['2026-01-02', false, 'not announced, yet closed'],
  ['2024-05-04', false, 'a make-up Saturday is no session'],
  ['2024-04-29', false, 'announced two weeks ahead'],
])('%s is a session: %s (%s)', (day, expected) => {
  expect(isSession(MARKET_CALENDAR, tradingDay(day))).toBe(expected);
  const noon = momentOf(tradingDay(day), US_PER_DAY * 0.4, MARKET_CALENDAR.utcOffsetMinutes);
  expect(phaseAt(MARKET_CALENDAR, noon)).toBe(expected ? 'continuous' : 'closed');
});

test.each([
  ['08:00', '08:45'],
  ['08:45', '09:00'],
  ['08:47', '09:00'],
  ['09:00', '11:30'],
  ['11:30', '13:00'],
  ['14:29:59.999999', '14:30'],
  ['14:44', '14:45'],
  ['14:45', '24:00'],
])('after %s the next change is at %s', (time, next) => {
  expect(nextPhaseChange(MARKET_CALENDAR, at(time))).toBe(at(next));
});

describe('whatever the moment', () => {
  test('the phase holds until the next change, which is ahead and not after midnight', () => {
    fc.assert(
      fc.property(
        anyMoment,
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (moment, part) => {
          const next = nextPhaseChange(MARKET_CALENDAR, moment);
          expect(next).toBeGreaterThan(moment);
          const between = addUs(moment, Math.floor((next - moment) * part));
          expect(phaseAt(MARKET_CALENDAR, between)).toBe(phaseAt(MARKET_CALENDAR, moment));
          expect(tradingDayAt(MARKET_CALENDAR, between)).toBe(tradingDayAt(MARKET_CALENDAR, moment));
        },
      ),
    );
  });

  test('sessions before and after enclose every day', () => {
    fc.assert(
      fc.property(anyMoment, (moment) => {
        const day = dayAt(moment, MARKET_CALENDAR.utcOffsetMinutes);
        const before = sessionOnOrBefore(MARKET_CALENDAR, day);
        const after = sessionAfter(MARKET_CALENDAR, day);
        expect(before <= day && day < after).toBe(true);
        expect(isSession(MARKET_CALENDAR, before) && isSession(MARKET_CALENDAR, after)).toBe(true);
        expect(sessionAfter(MARKET_CALENDAR, before)).toBe(
          before === day ? after : sessionAfter(MARKET_CALENDAR, day),
        );
      }),
    );
  });

  test('an always-open calendar is never closed', () => {
    fc.assert(
      fc.property(anyMoment, (moment) => {
        expect(phaseAt(alwaysOpen(MARKET_CALENDAR), moment)).toBe('continuous');
      }),
    );
  });
});

test('the sessions before and after Tet', () => {
  expect(sessionAfter(MARKET_CALENDAR, tradingDay('2026-02-13'))).toBe('2026-02-23');
  expect(sessionOnOrBefore(MARKET_CALENDAR, tradingDay('2026-02-22'))).toBe('2026-02-13');
});

test('a calendar without sessions is said, not searched for ever', () => {
  const never = { ...MARKET_CALENDAR, weekdays: [] };
  expect(() => sessionAfter(never, tradingDay('2026-03-04'))).toThrow('no session within 60 days');
  expect(() => sessionOnOrBefore(never, tradingDay('2026-03-04'))).toThrow('no session within 60 days');
});

test.each([
  [
    'overlap',
    [
      [10, 20],
      [19, 30],
    ],
  ],
  [
    'are out of order',
    [
      [20, 30],
      [10, 20],
    ],
  ],
  ['are empty', [[10, 10]]],
  ['reach into the next day', [[10, US_PER_DAY + 1]]],
] as const)('phases that %s are a fault', (_, spans) => {
  const phases = spans.map(([fromUs, toUs]) => ({ phase: 'continuous' as const, fromUs, toUs }));
  expect(() => assertCalendar({ ...MARKET_CALENDAR, phases })).toThrow(InvariantError);
  expect(() => assertCalendar(MARKET_CALENDAR)).not.toThrow();
});

const FIVE = minutes(5);
const OPEN = alwaysOpen(MARKET_CALENDAR);
const expiring = (expiry: string) => ({ ...contract(0), expiry: tradingDay(expiry) });

test('a session ends in two steps, and has two auctions', () => {
  const day = tradingDay('2026-03-04');
  expect(continuousEnd(MARKET_CALENDAR, day)).toBe(at('14:30', day));
  expect(dayClose(MARKET_CALENDAR, day)).toBe(at('14:45', day));
  expect(auctionStarts(MARKET_CALENDAR, day)).toEqual([at('08:45', day), at('14:30', day)]);
  expect(flatFrom(MARKET_CALENDAR, day, FIVE)).toBe(at('14:25', day));
});

test.each(['2026-03-07', '2026-02-19'])('%s has no session, so it has no moments', (text) => {
  const day = tradingDay(text);
  expect(continuousEnd(MARKET_CALENDAR, day)).toBeUndefined();
  expect(dayClose(MARKET_CALENDAR, day)).toBeUndefined();
  expect(flatFrom(MARKET_CALENDAR, day, FIVE)).toBeUndefined();
  expect(auctionStarts(MARKET_CALENDAR, day)).toEqual([]);
});

test('where trading goes on through midnight there is no night, but contracts expire', () => {
  const day = tradingDay('2026-03-19');
  expect(flatFrom(OPEN, day, FIVE)).toBeUndefined();
  expect(expiryFlatFrom(OPEN, expiring('2026-03-19'), day, FIVE)).toBe(at('23:55', day));
});

test.each([
  ['2026-03-19', '2026-03-19', 'third Thursday'],
  ['2026-02-19', '2026-02-13', 'listed with the Thursday of Tet: the calendar knows better'],
  ['2026-02-13', '2026-02-13', 'listed with the day before Tet'],
])('a contract that expires on %s is last traded on %s (%s)', (expiry, last) => {
  expect(lastSession(MARKET_CALENDAR, expiring(expiry))).toBe(last);
  const day = tradingDay(last);
  expect(expiryFlatFrom(MARKET_CALENDAR, expiring(expiry), day, FIVE)).toBe(at('14:25', day));
  expect(expiryFlatFrom(MARKET_CALENDAR, expiring(expiry), tradingDay('2026-03-04'), FIVE)).toBeUndefined();
  expect(rollsFrom(MARKET_CALENDAR, expiring(expiry))).toBe(at('15:00:01', day));
});
