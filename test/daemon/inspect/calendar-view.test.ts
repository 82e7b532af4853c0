/** What is known of the days ahead, from the calendar that the daemon ships with and from others. */
import { describe, expect, it } from 'vitest';
import { calendarChanges, calendarEnd } from '../../../src/daemon/inspect/calendar-view.ts';
import { addDays, tradingDay } from '../../../src/domain/civil-date.ts';
import { CALENDAR } from '../../support/engine-world.ts';

describe('the end', () => {
  it.each([
    [31, 'nothing'],
    [30, 'ends on 2026-12-31, in 30 days'],
    [0, 'ends on 2026-12-31, today'],
    [-1, 'ended on 2026-12-31: entries are denied'],
  ])('is said %d days before it', (left, text) => {
    const said = calendarEnd(CALENDAR, addDays(CALENDAR.validTo, -left));
    expect(said ?? 'nothing').toContain(text);
  });
});

const closed = (...days: string[]) => ({ ...CALENDAR, closures: new Set(days.map(tradingDay)) });

it('names each day that another calendar changes, from today on', () => {
  const today = tradingDay('2026-03-04');
  const after = { ...closed('2026-03-03', '2026-04-30'), validTo: tradingDay('2027-12-31') };
  expect(calendarChanges(closed('2026-04-27'), after, today)).toEqual([
    '2026-04-30 is no session any more',
    '2026-04-27 is a session now',
    'known until 2027-12-31, before until 2026-12-31',
  ]);
});
