import { expect, test } from 'vitest';
import { alwaysOpen } from '../../src/domain/calendar.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { minutes } from '../../src/domain/units.ts';
import {
  auctionStarts,
  continuousEnd,
  dayClose,
  expiryFlatFrom,
  flatFrom,
  rollsFrom,
  lastSession,
} from '../../src/domain/day-plan.ts';
import { MARKET_CALENDAR } from '../support/market-calendar.ts';
import { at, contract } from '../support/strategy-fixtures.ts';

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
