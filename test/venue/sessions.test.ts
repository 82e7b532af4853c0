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
