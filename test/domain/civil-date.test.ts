import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  civilFromDays,
  dayAt,
  dayFromNumber,
  daysFromCivil,
  formatTime,
  isTradingDay,
  momentOf,
  timeOfDayUs,
  tradingDay,
  weekdayOf,
} from '../../src/domain/civil-date.ts';
import { InvariantError } from '../../src/domain/assert.ts';
import { tsUs, US_PER_DAY } from '../../src/domain/units.ts';

const VIETNAM = 420;
/** From 1900-01-01 to 2199-12-31. */
const anyDay = fc.integer({ min: -25_567, max: 84_005 });
const anyMoment = fc.integer({ min: 0, max: 4_000_000_000_000_000 }).map(tsUs);

test.each([
  '2026-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-04-31',
  '2026-4-1',
  '04/03/2026',
  '',
  '2026-03-04 ',
])('"%s" is no date', (text) => {
  expect(isTradingDay(text)).toBe(false);
  expect(() => tradingDay(text)).toThrow(InvariantError);
});

describe('whatever the day', () => {
  test('number and date are two names of it, and agree with the runtime', () => {
    fc.assert(
      fc.property(anyDay, (days) => {
        expect(daysFromCivil(civilFromDays(days))).toBe(days);
        const reference = new Date(days * 86_400_000);
        expect(dayFromNumber(days)).toBe(reference.toISOString().slice(0, 10));
        expect(weekdayOf(dayFromNumber(days))).toBe(reference.getUTCDay());
      }),
    );
  });

  test('days sort as text', () => {
    fc.assert(
      fc.property(anyDay, fc.integer({ min: 1, max: 4_000 }), (days, ahead) => {
        const day = dayFromNumber(days);
        expect(addDays(day, ahead) > day).toBe(true);
        expect(addDays(addDays(day, ahead), -ahead)).toBe(day);
      }),
    );
  });

  test('a moment is its day and the time of the day, in any zone', () => {
    fc.assert(
      fc.property(anyMoment, fc.integer({ min: -720, max: 840 }), (at, offset) => {
        const time = timeOfDayUs(at, offset);
        expect(time).toBeGreaterThanOrEqual(0);
        expect(time).toBeLessThan(US_PER_DAY);
        expect(momentOf(dayAt(at, offset), time, offset)).toBe(at);
      }),
    );
  });
});

test('midnight in Vietnam belongs to the new day', () => {
  const midnight = momentOf(tradingDay('2026-03-04'), 0, VIETNAM);
  expect(dayAt(midnight, VIETNAM)).toBe('2026-03-04');
  expect(dayAt(tsUs(midnight - 1), VIETNAM)).toBe('2026-03-03');
  expect(formatTime(tsUs(midnight - 1), VIETNAM)).toBe('23:59:59.999');
  expect(formatTime(midnight, VIETNAM)).toBe('00:00:00.000');
});
