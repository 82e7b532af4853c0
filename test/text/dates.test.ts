import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  formatLocalTime,
  formatShownTime,
  formatTimeOfDay,
  formatUtc,
  formatUtcOffset,
  formatLocalSecond,
  parseTimeOfDay,
  parseUtcOffset,
} from '../../src/text/dates.ts';

it('writes moments as the system does', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e15 }), (us) => {
      expect(formatUtc(us)).toBe(new Date(Math.floor(us / 1_000)).toISOString());
    }),
  );
  expect(formatLocalSecond(1_772_589_601_999_999, 420)).toBe('2026-03-04 09:00:01');
  expect(formatLocalTime(1_772_589_601_250_000, 420)).toBe('2026-03-04T09:00:01.250');
  // Of a moment of the same day, and of one after midnight.
  const now = [1_772_639_999_000_000, 1_772_643_601_000_000];
  expect(now.map((us) => formatShownTime(1_772_589_601_000_000, us, 420))).toEqual([
    '09:00:01',
    '2026-03-04 09:00:01',
  ]);
});

it('reads the times of day that it writes, and no other text', () => {
  for (let minute = 0; minute < 1_440; minute += 1) {
    expect(parseTimeOfDay(formatTimeOfDay(minute * 60_000_000))).toBe(minute * 60_000_000);
  }
  expect(['24:00', '9:00', '09:60', '', '09:00:00'].map(parseTimeOfDay)).toEqual(Array(5).fill(undefined));
});

it('reads the offsets that it writes, and no other text', () => {
  for (let minutes = -899; minutes < 900; minutes += 1) {
    expect(parseUtcOffset(formatUtcOffset(minutes))).toBe(minutes);
  }
  expect(['7', '+7:00', '+15:00', '+07:60', 'UTC'].map(parseUtcOffset)).toEqual(Array(5).fill(undefined));
});
