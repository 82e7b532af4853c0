import { describe, expect, it } from 'vitest';
import { brokerOrderNo } from '../../src/domain/ids.ts';
import { milliseconds, priceTicks } from '../../src/domain/units.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { ALICE, BOB, codeOf, DELAYED, later, openVenue, placed, statusesIn } from './venue-fixture.ts';

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

describe('cancelling', () => {
  it('takes an order out of the gateway queue before the exchange sees it', () => {
    const venue = openVenue({ rules: DELAYED });
    const bid = placed(venue, 'buy', 1, 13_000);
    expect(cancel(venue, bid)).toMatchObject({ order: { status: 'canceled' } });
    expect(venue.advance(later(venue.nowUs, DELAY))).toEqual([]);
    expect(codeOf(cancel(venue, bid))).toBe(-6014);
  });
});

describe('changing', () => {
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
