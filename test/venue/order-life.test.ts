import { describe, expect, it } from 'vitest';
import { accountId, brokerOrderNo, orderCode } from '../../src/domain/ids.ts';
import { milliseconds, priceTicks } from '../../src/domain/units.ts';
import type { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  AT_ONCE,
  BOB,
  codeOf,
  DELAYED,
  fillsIn,
  FRONT,
  later,
  openVenue,
  place,
  placed,
  statusesIn,
  tradesIn,
} from './venue-fixture.ts';

const DELAY = milliseconds(30);

const change = (venue: Venue, orderNo: string, price: number, qty: number, account = ALICE) =>
  venue.change({
    accountId: account,
    orderNo: brokerOrderNo(orderNo),
    limitPrice: priceTicks(price),
    qty,
  });

const cancel = (venue: Venue, orderNo: string, account = ALICE) =>
  venue.cancel({ accountId: account, orderNo: brokerOrderNo(orderNo) });

describe('placing', () => {
  it('numbers orders from 1 a day and gives each a key of seven digits', () => {
    const venue = openVenue();
    const first = place(venue, 'buy', 1, 12_990);
    const second = place(venue, 'buy', 1, 12_990, BOB);
    expect(first).toMatchObject({ status: 'accepted', order: { orderNo: '1', orderKey: '7000000' } });
    expect(second).toMatchObject({ status: 'accepted', order: { orderNo: '2', orderKey: '7000001' } });
    expect(venue.orders(ALICE).map(({ orderNo }) => orderNo)).toEqual(['1']);
    expect(venue.order(ALICE, brokerOrderNo('2'))).toBeUndefined();
  });

  it('is queued at the gateway, rests when the exchange has it, and is matched', () => {
    const venue = openVenue({ rules: DELAYED });
    const sell = placed(venue, 'sell', 3, 13_001, BOB);
    venue.advance(later(venue.nowUs, DELAY));
    const outcome = place(venue, 'buy', 5, 13_005);
    expect(outcome).toMatchObject({ order: { status: 'queued', canCancel: true, canModify: false } });
    expect(venue.nextDueUs()).toBe(later(venue.nowUs, DELAY));
    const events = venue.advance(later(venue.nowUs, DELAY));
    expect(tradesIn(events)).toEqual(['3@13001']);
    expect(fillsIn(events)).toEqual(['bob sell 3@13001', 'alice buy 3@13001']);
    expect(statusesIn(events, '2')).toEqual(['resting', 'matched']);
    expect(venue.order(BOB, sell)).toMatchObject({ status: 'matched', filledQty: 3, canCancel: false });
    expect(venue.order(ALICE, brokerOrderNo('2'))).toMatchObject({
      status: 'matched',
      filledQty: 3,
      qty: 5,
      canCancel: true,
      filledValue: 3 * 13_001 * 10_000,
    });
  });

  it.each([
    ['an unknown account', 1, 13_000, -6001, accountId('105C999999'), FRONT],
    ['an unknown contract', 1, 13_000, -6003, ALICE, orderCode('VN30F9912')],
    ['no quantity', 0, 13_000, -6019, ALICE, FRONT],
    ['a part of a contract', 1.5, 13_000, -6019, ALICE, FRONT],
    ['more than 500', 501, 13_000, -6034, ALICE, FRONT],
    ['a price above the ceiling', 1, 13_911, -6035, ALICE, FRONT],
    ['a price below the floor', 1, 12_089, -6035, ALICE, FRONT],
    ['the ceiling itself', 1, 13_910, 'accepted', ALICE, FRONT],
    ['the floor itself', 1, 12_090, 'accepted', ALICE, FRONT],
    ['500', 500, 13_000, 'accepted', ALICE, FRONT],
  ] as const)('answers %s', (_, qty, price, expected, account, code) => {
    expect(codeOf(place(openVenue(), 'buy', qty, price, account, code))).toBe(expected);
  });

  it('takes a repeated reference twice, or refuses it when told to', () => {
    const command = {
      accountId: ALICE,
      orderCode: FRONT,
      side: 'buy',
      limitPrice: priceTicks(13_000),
      qty: 1,
      refId: null,
    } as const;
    const strict = openVenue({ rules: { ...AT_ONCE, repeatedRefId: 'refuse' } });
    const first = place(strict, 'buy', 1, 13_000);
    const refId = first.status === 'accepted' ? first.order.refId : null;
    expect(codeOf(strict.place({ ...command, refId }))).toBe(-6004);
    expect(codeOf(strict.place({ ...command, accountId: BOB, refId }))).toBe('accepted');
    expect(codeOf(strict.place(command))).toBe('accepted');
    expect(codeOf(strict.place(command))).toBe('accepted');
  });
});

describe('cancelling', () => {
  it('goes from pending to cancelled, and to matched-cancelled when a part was filled', () => {
    const venue = openVenue({ rules: DELAYED });
    const untouched = placed(venue, 'buy', 2, 12_990);
    const partly = placed(venue, 'buy', 5, 13_000);
    placed(venue, 'sell', 2, 13_000, BOB);
    venue.advance(later(venue.nowUs, DELAY));
    expect(cancel(venue, untouched)).toMatchObject({
      status: 'accepted',
      order: { status: 'cancel_pending' },
    });
    expect(cancel(venue, partly)).toMatchObject({
      order: { status: 'matched_cancel_pending', canCancel: false },
    });
    expect(codeOf(cancel(venue, partly))).toBe(-6014);
    const events = venue.advance(later(venue.nowUs, DELAY));
    expect(statusesIn(events, untouched)).toEqual(['canceled']);
    expect(statusesIn(events, partly)).toEqual(['matched_canceled']);
    expect(venue.order(ALICE, partly)).toMatchObject({ filledQty: 2, qty: 5, expired: false });
    expect(venue.board(FRONT)?.bids).toEqual([]);
  });

  it('loses against a fill that was on its way before', () => {
    const venue = openVenue({ rules: DELAYED });
    const bid = placed(venue, 'buy', 1, 13_000);
    venue.advance(later(venue.nowUs, DELAY));
    placed(venue, 'sell', 1, 13_000, BOB);
    expect(cancel(venue, bid)).toMatchObject({ order: { status: 'cancel_pending' } });
    const events = venue.advance(later(venue.nowUs, DELAY));
    expect(statusesIn(events, bid)).toEqual(['matched']);
    expect(venue.order(ALICE, bid)).toMatchObject({
      status: 'matched',
      reason: 'Order already fully matched',
    });
    expect(codeOf(cancel(venue, bid))).toBe(-8004);
  });

  it('takes an order out of the gateway queue before the exchange sees it', () => {
    const venue = openVenue({ rules: DELAYED });
    const bid = placed(venue, 'buy', 1, 13_000);
    expect(cancel(venue, bid)).toMatchObject({ order: { status: 'canceled' } });
    expect(venue.advance(later(venue.nowUs, DELAY))).toEqual([]);
    expect(codeOf(cancel(venue, bid))).toBe(-6014);
  });

  it('belongs to the account that placed', () => {
    const venue = openVenue();
    const bid = placed(venue, 'buy', 1, 13_000);
    expect(codeOf(cancel(venue, bid, BOB))).toBe(-6003);
    expect(codeOf(cancel(venue, '17'))).toBe(-6003);
  });
});

describe('changing', () => {
  /** Alice's order of 5 stands in front of Bob's of 5; the change is Alice's. Who is filled by 3? */
  it.each([
    ['a decrease keeps its place', 13_000, 4, 'alice'],
    ['an increase loses it', 13_000, 6, 'bob'],
    ['another price loses it', 13_001, 5, 'alice'],
  ] as const)('%s', (_, price, qty, first) => {
    const venue = openVenue();
    const mine = placed(venue, 'buy', 5, 13_000);
    placed(venue, 'buy', 5, 13_000, BOB);
    expect(codeOf(change(venue, mine, price, qty))).toBe('accepted');
    expect(venue.order(ALICE, mine)).toMatchObject({ status: 'modified', qty, limitPrice: price });
    const third = place(venue, 'sell', 3, 13_000, BOB);
    expect(fillsIn(third.events)[0]).toContain(first);
  });

  it('loses its place by going away and coming back', () => {
    const venue = openVenue();
    const mine = placed(venue, 'buy', 5, 13_000);
    placed(venue, 'buy', 5, 13_000, BOB);
    change(venue, mine, 12_999, 5);
    change(venue, mine, 13_000, 5);
    expect(fillsIn(place(venue, 'sell', 3, 13_000, ALICE).events)[0]).toContain('bob');
  });

  it('trades when the new price meets the other side', () => {
    const venue = openVenue();
    placed(venue, 'sell', 2, 13_002, BOB);
    const mine = placed(venue, 'buy', 3, 13_000);
    const outcome = change(venue, mine, 13_002, 3);
    expect(tradesIn(outcome.events)).toEqual(['2@13002']);
    expect(statusesIn(outcome.events, mine)).toEqual(['modify_pending', 'modified', 'matched']);
  });

  it.each([
    ['both at once', 13_001, 6, -6048],
    ['nothing', 13_000, 5, -6015],
    ['to less than was filled', 13_000, 2, -6019],
    ['to exactly what was filled', 13_000, 3, -6019],
    ['to a price outside the band', 14_000, 5, -6035],
    ['to more than 500', 13_000, 501, -6034],
    ['to nothing', 13_000, 0, -6019],
  ] as const)('refuses a change of %s', (_, price, qty, code) => {
    const venue = openVenue();
    const mine = placed(venue, 'buy', 5, 13_000);
    placed(venue, 'sell', 3, 13_000, BOB);
    expect(codeOf(change(venue, mine, price, qty))).toBe(code);
    expect(venue.order(ALICE, mine)).toMatchObject({ qty: 5, limitPrice: 13_000, status: 'matched' });
  });

  it('replaces both at once when the switch says so', () => {
    const venue = openVenue({ rules: { ...AT_ONCE, changeOfBoth: 'replace' } });
    const mine = placed(venue, 'buy', 5, 13_000);
    expect(codeOf(change(venue, mine, 13_001, 6))).toBe('accepted');
    expect(venue.order(ALICE, mine)).toMatchObject({ qty: 6, limitPrice: 13_001, status: 'modified' });
    expect(venue.board(FRONT)?.bids).toEqual([{ price: 13_001, qty: 6 }]);
  });

  it('comes too late for an order filled on the way, and is refused for one that waits', () => {
    const venue = openVenue({ rules: DELAYED });
    const mine = placed(venue, 'buy', 5, 13_000);
    expect(codeOf(change(venue, mine, 13_000, 4))).toBe(-6015);
    venue.advance(later(venue.nowUs, DELAY));
    placed(venue, 'sell', 4, 13_000, BOB);
    expect(change(venue, mine, 13_000, 4)).toMatchObject({
      order: { status: 'modify_pending', canModify: false },
    });
    const events = venue.advance(later(venue.nowUs, DELAY));
    // Four are filled when the change to four arrives: the fifth stays.
    expect(statusesIn(events, mine)).toEqual(['modify_pending', 'matched']);
    expect(venue.order(ALICE, mine)).toMatchObject({ filledQty: 4, qty: 5, reason: 'Invalid volume' });
    expect(codeOf(cancel(venue, mine))).toBe('accepted');
  });
});
