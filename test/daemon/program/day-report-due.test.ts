/** The report of a day is sent once: not before it has the fills of the last auction, unless they do not come. */
import { expect, it } from 'vitest';
import { isDayRead } from '../../../src/daemon/program/run-daemon.ts';
import type { OrderStatus } from '../../../src/domain/order.ts';
import { tradingDay } from '../../../src/domain/civil-date.ts';
import { MARKET_CALENDAR } from '../../support/market-calendar.ts';
import { at } from '../../support/strategy-fixtures.ts';

const DAY = tradingDay('2026-03-04');
const time = (text: string) => at(text, DAY);
const moment = (text: string | undefined) => (text === undefined ? null : time(text));

type Facts = Partial<Record<'positions' | 'fill' | 'money', string>> & { readonly order?: OrderStatus };

function isDue(now: string, { positions, fill, money, order }: Facts, isMoneyOff = false): boolean {
  return isDayRead({
    sessionDay: DAY,
    clock: { nowUs: () => time(now) },
    config: { calendar: MARKET_CALENDAR },
    lastView: {
      phase: 'closed',
      positionsReadUs: moment(positions),
      lastFillUs: moment(fill),
      orders: order === undefined ? [] : [{ status: order }],
      money: { state: isMoneyOff ? 'off' : 'agreed', figures: [], comparedUs: moment(money) },
    },
  });
}

it.each<[string, string, Facts, boolean]>([
  ['before the open', '08:30', {}, true],
  ['at the close, with reads of before', '14:45:01', { positions: '14:44', money: '14:44' }, false],
  ['while money is older than the close', '14:46', { positions: '14:45:02', money: '14:44' }, false],
  ['with both of after the close', '14:50', { positions: '14:45:02', money: '14:49' }, true],
  [
    'while a fill of the auction is younger',
    '14:50',
    { positions: '14:45:02', money: '14:49', fill: '14:49:30' },
    false,
  ],
  [
    'while an order of the auction may have filled',
    '14:46',
    { positions: '14:45:02', money: '14:45:02', order: 'accepted' },
    false,
  ],
  [
    'while a stop waits for another day',
    '14:46',
    { positions: '14:45:02', money: '14:45:02', order: 'pending_trigger' },
    true,
  ],
  ['with nothing read for long', '15:00', { positions: '14:44', order: 'accepted' }, true],
])('%s (%s)', (_, now, facts, due) => {
  expect(isDue(now, facts)).toBe(due);
});

it('waits for no money that is not compared', () => {
  expect(isDue('14:46', { positions: '14:45:02' }, true)).toBe(true);
});
