/** What is known of the days ahead, from the calendar that the daemon ships with and from others. */
import { describe, expect, it } from 'vitest';
import { calendarChanges, calendarEnd, calendarView } from '../../../src/daemon/inspect/calendar-view.ts';
import { addDays, tradingDay } from '../../../src/domain/civil-date.ts';
import { CALENDAR } from '../../support/engine-world.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';

describe('the days ahead', () => {
  it('are sessions, holidays and expiries, one of which a holiday has moved', () => {
    const view = calendarView(MARKET_CALENDAR, ['VN30'], tradingDay('2026-02-12'));
    expect(view.sessions.slice(0, 4)).toEqual(['2026-02-12', '2026-02-13', '2026-02-23', '2026-02-24']);
    expect(view.holidays[0]).toBe('2026-02-16');
    expect(view.expiries.map(({ contract, day }) => `${contract} ${day}`)).toEqual([
      '41I1G2000 2026-02-13',
      '41I1G3000 2026-03-19',
      '41I1G6000 2026-06-18',
      '41I1G9000 2026-09-17',
    ]);
  });

  it('end where the calendar does, and an expiry after that may move', () => {
    const view = calendarView(CALENDAR, ['VN30', 'BTC'], tradingDay('2026-12-29'));
    expect(view.sessions).toEqual(['2026-12-29', '2026-12-30', '2026-12-31']);
    expect(view.expiries.every(({ isKnown }) => !isKnown)).toBe(true);
    expect(calendarView(CALENDAR, [], tradingDay('2027-01-01'))).toMatchObject({
      sessions: [],
      daysKnown: -1,
    });
  });
});

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
