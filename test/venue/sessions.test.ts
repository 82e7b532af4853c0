import { describe, expect, it } from 'vitest';
import { tradingDay } from '../../src/domain/civil-date.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  ALWAYS_OPEN,
  at,
  BOB,
  codeOf,
  FRONT,
  HNX,
  NEXT,
  openVenue,
  options,
  place,
  placed,
  WEDNESDAY,
} from './venue-fixture.ts';

const cashOf = (events: readonly VenueEvent[], reason: string): number[] =>
  events.flatMap((event) =>
    event.kind === 'cash' && event.reason === reason && event.accountId === ALICE ? [event.amount] : [],
  );

describe('phases', () => {
  it('says each phase once and sleeps over the weekend', () => {
    const venue = openVenue({ startUs: at('2026-03-06', 14) });
    const said = venue.advance(at('2026-03-09', 9)).flatMap((event) => {
      if (event.kind === 'phase') return [`${event.day} ${event.phase}`];
      return event.kind === 'day_started' ? [`start ${event.day}`] : [];
    });
    expect(said).toEqual([
      '2026-03-06 closing_auction',
      '2026-03-06 closed',
      'start 2026-03-09',
      '2026-03-09 opening_auction',
      '2026-03-09 continuous',
    ]);
  });
});

describe('days', () => {
  it('moves a contract nobody traded with the front month', () => {
    const venue = openVenue();
    placed(venue, 'sell', 1, 13_100, BOB);
    placed(venue, 'buy', 1, 13_100);
    const events = venue.advance(at(WEDNESDAY, 15));
    const prices = events.flatMap((event) => (event.kind === 'settlement_price' ? [event.price] : []));
    expect(prices).toEqual([131_000, 131_000, 131_000, 131_000]);
  });

  it('rolls at midnight where trading never ends, and settles there', () => {
    const venue = openVenue({ calendar: ALWAYS_OPEN, startUs: at(WEDNESDAY, 23) });
    placed(venue, 'sell', 1, 13_000, BOB);
    placed(venue, 'buy', 1, 13_000);
    const resting = placed(venue, 'buy', 1, 12_900);
    const events = venue.advance(at('2026-03-05', 0));
    expect(events.some((event) => event.kind === 'phase')).toBe(false);
    expect(
      events.flatMap((e) => (e.kind === 'order' && e.order.orderNo === resting ? [e.order.expired] : [])),
    ).toEqual([true]);
    expect(cashOf(events, 'fee')).toEqual([-5_250]);
    expect(venue.day).toBe('2026-03-05');
    expect(codeOf(place(venue, 'sell', 1, 13_000))).toBe('accepted');
    expect(venue.board(FRONT)?.asks).toEqual([{ price: 13_000, qty: 1 }]);
  });
});

describe('expiry', () => {
  it('settles in cash the day after the last day, and lists the next quarter month', () => {
    const venue = openVenue({ startUs: at('2026-03-19', 14) });
    expect(venue.contracts().map(({ orderCode: code }) => code)).toEqual([
      FRONT,
      NEXT,
      'VN30F2606',
      'VN30F2609',
    ]);
    placed(venue, 'sell', 2, 13_000, BOB);
    placed(venue, 'buy', 2, 13_000);
    venue.advance(at('2026-03-19', 14, 40));
    placed(venue, 'sell', 1, 13_020, BOB);
    placed(venue, 'buy', 1, 13_020);
    const { cash = 0 } = venue.account(ALICE) ?? {};
    const events = venue.advance(at('2026-03-20', 9));
    expect(events.filter((event) => event.kind === 'settlement_price')[0]).toMatchObject({
      final: true,
      price: 130_200,
    });
    expect(events.find((event) => event.kind === 'contract_expired')).toMatchObject({ orderCode: FRONT });
    expect(cashOf(events, 'final_settlement')).toEqual([2 * 200_000]);
    // Two orders (2 x 11,050 and 11,067) and the tax on three contracts at 1,302.0: 33,201.
    expect(cashOf(events, 'tax')).toEqual([-(22_100 + 11_067 + 33_201)]);
    expect(venue.account(ALICE)?.cash).toBe(cash + 400_000 - 15_750 - 66_368);
    expect(venue.positions(ALICE)).toEqual([]);
    expect(venue.contracts().map(({ orderCode: code }) => code)).toEqual([
      NEXT,
      'VN30F2605',
      'VN30F2606',
      'VN30F2609',
    ]);
    expect(codeOf(place(venue, 'buy', 1, 13_000))).toBe(-6033);
    expect(venue.board(FRONT)).toBeUndefined();
    expect(codeOf(place(venue, 'buy', 1, 13_000, ALICE, NEXT))).toBe('accepted');
  });
});

describe('restart', () => {
  it('settles a day that ended in between, on its own calendar', () => {
    const venue = openVenue();
    placed(venue, 'sell', 1, 13_000, BOB);
    placed(venue, 'buy', 1, 13_000);
    const resting = placed(venue, 'buy', 1, 12_900);
    const resumed = new Venue(options({ startUs: at('2026-03-09', 10) }), venue.exportState());
    expect(resumed.day).toBe('2026-03-09');
    const events = resumed.startEvents();
    expect(events.find((e) => e.kind === 'order' && e.order.orderNo === resting)).toMatchObject({
      order: { expired: true },
    });
    expect(cashOf(events, 'fee')).toEqual([-5_250]);
    expect(resumed.positions(ALICE)[0]).toMatchObject({ net: 1, dayProfit: 0 });
    expect(resumed.orders(ALICE)).toEqual([]);
    expect(resumed.board(FRONT)?.band.reference).toBe(130_000);
  });
});

describe('a day beyond the calendar', () => {
  it('takes no order, and says why', () => {
    const venue = openVenue({ calendar: { ...HNX, validTo: tradingDay('2026-03-03') } });
    const refused = place(venue, 'buy', 1, 13_000);
    const text = 'The calendar of trading days ends on 2026-03-03';
    expect(refused).toMatchObject({ status: 'refused', refusal: { code: -6022, text } });
  });
});
