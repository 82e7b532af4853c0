import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/domain/order.ts';
import { priceHundredths, priceTicks, type TsUs } from '../../../src/domain/units.ts';
import type { VenueEvent } from '../../../src/venue/venue-event.ts';
import { Venue, type VenueState } from '../../../src/venue/venue.ts';
import { at, BOB, fillsIn, FRONT, openVenue, options, placed, WEDNESDAY } from '../venue-fixture.ts';

const open = (startUs = at(WEDNESDAY, 10)): Venue =>
  openVenue({ startUs, market: { kind: 'tape', orderCode: FRONT, reference: priceHundredths(130_000) } });

function print(
  venue: Venue,
  aggressor: Side | null,
  qty: number,
  price: number,
  tsUs: TsUs = venue.nowUs,
): readonly VenueEvent[] {
  return venue.print({ tsUs, orderCode: FRONT, price: priceTicks(price), qty, aggressor });
}

/** Bid 13,000 with ten inferred to rest there, ask 13,001 with five. */
function quoted(): Venue {
  const venue = open();
  print(venue, 'sell', 10, 13_000);
  print(venue, 'buy', 5, 13_001);
  return venue;
}

describe('one print', () => {
  it('never fills more than it has, over both sides and all accounts', () => {
    const venue = quoted();
    print(venue, 'buy', 1, 13_005);
    // Behind nobody, inside the spread: a print at 13,002 goes through the one and reaches the other.
    placed(venue, 'sell', 4, 13_003, BOB);
    placed(venue, 'buy', 4, 13_002);
    expect(fillsIn(print(venue, 'sell', 5, 13_002))).toEqual(['alice buy 4@13002']);
    placed(venue, 'buy', 4, 13_002);
    expect(fillsIn(print(venue, 'buy', 6, 13_003))).toEqual(['bob sell 4@13003']);
  });

  it('through orders of both sides goes first to the side that was hit', () => {
    const venue = open(at(WEDNESDAY, 8, 50));
    print(venue, null, 1, 13_001, at(WEDNESDAY, 9));
    // Both take what the book shows once it is known, and want more.
    placed(venue, 'buy', 14, 13_002);
    placed(venue, 'sell', 14, 13_000, BOB);
    const met = print(venue, 'sell', 1, 13_001, at(WEDNESDAY, 9));
    expect(fillsIn(met)).toEqual(['alice buy 10@13002', 'bob sell 9@13001']);
    expect(fillsIn(print(venue, 'sell', 3, 13_001))).toEqual(['bob sell 3@13001']);
    expect(fillsIn(print(venue, 'buy', 3, 13_001))).toEqual(['alice buy 3@13001']);
  });
});

describe('auctions', () => {
  it('give nothing of their cross to an order that came after their end', () => {
    const venue = open(at(WEDNESDAY, 8, 50));
    placed(venue, 'buy', 2, 13_005);
    const nine = at(WEDNESDAY, 9);
    expect(fillsIn(print(venue, null, 1, 13_000, nine))).toEqual(['alice buy 1@13000']);
    placed(venue, 'buy', 5, 13_010, BOB);
    expect(fillsIn(print(venue, null, 9, 13_000, nine))).toEqual(['alice buy 1@13000']);
    // The book is known again: now the late order meets it.
    expect(fillsIn(print(venue, 'buy', 4, 13_001, nine))).toEqual(['bob buy 5@13001']);
  });
});

/** 09:00:00 is the end of the opening auction; its prints carry that second. */
it('a restart between two prints of an uncross keeps who was in the auction', () => {
  const venue = open(at(WEDNESDAY, 8, 50));
  const carried = placed(venue, 'buy', 5, 13_010);
  const opening = at(WEDNESDAY, 9);
  print(venue, null, 2, 13_000, opening);
  const late = placed(venue, 'buy', 3, 13_010, BOB);
  const market = { kind: 'tape', orderCode: FRONT, reference: priceHundredths(130_000) } as const;
  const again = new Venue(options({ startUs: venue.nowUs, market }), throughJson(venue.exportState()));
  for (const each of [venue, again]) {
    const events = print(each, null, 9, 13_000, opening);
    expect(events.filter(({ kind }) => kind === 'fill')).toMatchObject([
      { orderNo: carried, qty: 3, clause: 'uncross' },
    ]);
    expect(each.order(BOB, late)).toMatchObject({ filledQty: 0 });
  }
});

const throughJson = (state: VenueState): VenueState => JSON.parse(JSON.stringify(state));
