/** The calendar's end is alerted in time, and not each hour. */
import { expect, it } from 'vitest';
import { checkCalendar } from '../../src/daemon/inspect/calendar-view.ts';
import { addDays, momentOf, tradingDay } from '../../src/domain/civil-date.ts';
import { US_PER_HOUR } from '../../src/domain/units.ts';
import { CALENDAR } from '../support/engine-world.ts';

/** A check every hour, from so many days before the end to so many after it; the counters outlive the process. */
function alerts(
  fromDays: number,
  toDays: number,
  validTo = CALENDAR.validTo,
  kept = new Map<string, number>(),
) {
  const alerts: string[] = [];
  for (let left = fromDays; left >= toDays; left -= 1)
    for (let hour = 0; hour < 24; hour += 1)
      checkCalendar({
        calendar: { ...CALENDAR, validTo },
        clock: { nowUs: () => momentOf(addDays(CALENDAR.validTo, -left), hour * US_PER_HOUR, 420) },
        counters: {
          counter: (name, day) => kept.get(name + day) ?? 0,
          setCounterOrReport: (name, day, value) => void kept.set(name + day, value),
        },
        alert: (severity, code) => alerts.push(`${left} ${severity} ${code}`),
      });
  return alerts;
}

it('once from 30 days before, each day from a week before, and as critical after it', () => {
  const weekdays = [7, 6, 5, 4, 3, 2, 1, 0].map((left) => `${left} warning calendar_ends`);
  expect(alerts(40, -2)).toEqual([
    '30 warning calendar_ends',
    ...weekdays,
    '-1 critical calendar_ended',
    '-2 critical calendar_ended',
  ]);
});

it('once more where a start finds less than 30 days, and not again after a restart', () => {
  const kept = new Map<string, number>();
  expect(alerts(20, 19, CALENDAR.validTo, kept)).toEqual(['20 warning calendar_ends']);
  expect(alerts(18, 10, CALENDAR.validTo, kept)).toEqual([]);
});

it('no more for a calendar that goes on', () => {
  expect(alerts(5, -5, tradingDay('2027-12-31'))).toEqual([]);
});
