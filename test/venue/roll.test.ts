import { describe, expect, it } from 'vitest';
import { priceHundredths, priceTicks, qty } from '../../src/domain/units.ts';
import { Venue } from '../../src/venue/venue.ts';
import { stop } from './triggers/trigger-fixture.ts';
import { ALICE, at, BOB, codeOf, FRONT, openVenue, options, place, placed, print } from './venue-fixture.ts';

const codes = (venue: Venue): string[] => venue.contracts().map(({ orderCode }) => orderCode);
const AFTER = ['VN30F2604', 'VN30F2605', 'VN30F2606', 'VN30F2609'];

describe('rolling the contract now', () => {
  it('settles the front month in cash at its mark, ends what works in it, and lists the month behind', () => {
    const venue = openVenue();
    placed(venue, 'sell', 2, 13_000, BOB);
    placed(venue, 'buy', 2, 13_000);
    print(venue, 13_040);
    const resting = placed(venue, 'buy', 1, 12_900);
    stop(venue, 'sell', 'at_or_below', 12_950);
    const { cash = 0 } = venue.account(ALICE) ?? {};
    const outcome = venue.rollNow();
    expect(outcome.status).toBe('accepted');
    expect(outcome.events.map(({ kind }) => kind)).toEqual([
      'order',
      'settlement_price',
      'trigger',
      'cash',
      'cash',
      'contract_expired',
      'book',
      'listings_changed',
    ]);
    expect(outcome.events.find(({ kind }) => kind === 'settlement_price')).toMatchObject({
      orderCode: FRONT,
      price: 130_400,
      final: true,
    });
    expect(venue.order(ALICE, resting)).toMatchObject({
      status: 'canceled',
      expired: true,
      reason: 'Contract at maturity',
    });
    expect(venue.triggers(ALICE)).toMatchObject([{ status: 'canceled', expired: true }]);
    expect(venue.account(ALICE)?.cash).toBe(cash + 2 * 400_000);
    expect(venue.positions(ALICE)).toEqual([]);
    expect(codes(venue)).toEqual(AFTER);
    expect(venue.contracts().map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(venue.board(FRONT)).toBeUndefined();
    expect(codeOf(place(venue, 'buy', 1, 13_000))).toBe(-6033);
  });

  it('lasts: the next day, and after a restart, the old code is gone', () => {
    const venue = openVenue();
    venue.rollNow();
    const again = new Venue(options({ startUs: venue.nowUs }), venue.exportState());
    expect(codes(again)).toEqual(AFTER);
    expect(codeOf(place(again, 'buy', 1, 13_000))).toBe(-6033);
    again.advance(at('2026-03-05', 10));
    expect(codes(again)).toEqual(AFTER);
    // The calendar catches up: nothing is rolled twice.
    again.advance(at('2026-03-20', 10));
    expect(codes(again)).toEqual(AFTER);
    expect(again.exportState().rolledThrough).toBe('2026-03-19');
  });

  it('a feed may go on with the old code: nobody trades it here', () => {
    const venue = new Venue(options({ market: { kind: 'feed', startPrice: priceTicks(13_000) } }));
    const trade = { tsUs: venue.nowUs, price: priceTicks(13_010), qty: qty(1), aggressor: null };
    expect(venue.print({ ...trade, orderCode: FRONT }).map(({ kind }) => kind)).toContain('trade');
    venue.rollNow();
    expect(venue.print({ ...trade, orderCode: FRONT })).toEqual([]);
  });

  it('is refused on a recording, which has one contract', () => {
    const venue = openVenue({
      market: { kind: 'tape', orderCode: FRONT, reference: priceHundredths(130_000) },
    });
    expect(codeOf(venue.rollNow())).toBe(-6024);
    expect(codes(venue)).toEqual([FRONT]);
  });
});
