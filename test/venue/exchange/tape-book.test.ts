import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/domain/order.ts';
import { priceHundredths, priceTicks, type TsUs } from '../../../src/domain/units.ts';
import type { VenueEvent } from '../../../src/venue/venue-event.ts';
import type { VenueState } from '../../../src/venue/venue-state.ts';
import { Venue } from '../../../src/venue/venue.ts';
import {
  ALICE,
  at,
  BOB,
  fillsIn,
  FRONT,
  later,
  openVenue,
  options,
  place,
  placed,
  tradesIn,
  WEDNESDAY,
} from '../venue-fixture.ts';

const SECOND = 1_000_000;
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

/** Bid 13,000 with ten inferred to stand there, ask 13,001 with five. */
function quoted(): Venue {
  const venue = open();
  print(venue, 'sell', 10, 13_000);
  print(venue, 'buy', 5, 13_001);
  return venue;
}

describe('a resting order', () => {
  it('waits for the quantity ahead of it, then shares what is printed', () => {
    const venue = quoted();
    placed(venue, 'buy', 4, 13_000);
    expect(fillsIn(print(venue, 'sell', 6, 13_000))).toEqual([]);
    // Ten were ahead: four still are, two of six come to us.
    expect(fillsIn(print(venue, 'sell', 6, 13_000))).toEqual(['alice buy 2@13000']);
    expect(fillsIn(print(venue, 'buy', 50, 13_001))).toEqual([]);
    expect(fillsIn(print(venue, 'sell', 100, 13_000))).toEqual(['alice buy 2@13000']);
  });

  it('has nobody ahead inside the spread', () => {
    const venue = quoted();
    print(venue, 'buy', 1, 13_005);
    placed(venue, 'sell', 3, 13_003);
    expect(fillsIn(print(venue, 'buy', 2, 13_003))).toEqual(['alice sell 2@13003']);
  });

  it('shares one print with others by price, then time', () => {
    const venue = quoted();
    placed(venue, 'buy', 2, 12_999, BOB);
    placed(venue, 'buy', 2, 13_000);
    placed(venue, 'buy', 2, 13_000, BOB);
    expect(fillsIn(print(venue, 'sell', 5, 12_998))).toEqual([
      'alice buy 2@13000',
      'bob buy 2@13000',
      'bob buy 1@12999',
    ]);
  });

  it('keeps its place when decreased and goes to the back when moved', () => {
    const venue = quoted();
    const orderNo = placed(venue, 'buy', 4, 13_000);
    print(venue, 'sell', 10, 13_000);
    const change = { accountId: ALICE, orderNo, limitPrice: priceTicks(13_000) };
    venue.change({ ...change, qty: 3 });
    expect(fillsIn(print(venue, 'sell', 1, 13_000))).toEqual(['alice buy 1@13000']);
    venue.change({ ...change, qty: 5 });
    expect(fillsIn(print(venue, 'sell', 1, 13_000))).toEqual([]);
  });
});

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

describe('an aggressive order', () => {
  it('takes the touch, no deeper, then what prints inside its limit, never better than the tape', () => {
    const venue = quoted();
    expect(fillsIn(place(venue, 'buy', 9, 13_005).events)).toEqual(['alice buy 5@13001']);
    expect(fillsIn(print(venue, 'buy', 2, 13_003))).toEqual(['alice buy 2@13003']);
    expect(fillsIn(print(venue, 'sell', 9, 13_000))).toEqual([]);
    // The market leaves it behind and comes back: it goes on taking beside other buyers.
    expect(fillsIn(print(venue, 'buy', 9, 13_006))).toEqual([]);
    expect(fillsIn(print(venue, 'sell', 1, 13_005))).toEqual([]);
    expect(fillsIn(print(venue, 'buy', 1, 13_005))).toEqual(['alice buy 1@13005']);
    expect(fillsIn(print(venue, 'buy', 9, 13_004))).toEqual(['alice buy 1@13004']);
  });

  it('finds nothing a second time where it has taken all', () => {
    const venue = quoted();
    placed(venue, 'buy', 5, 13_001);
    expect(venue.board(FRONT)?.asks).toEqual([]);
    expect(fillsIn(place(venue, 'buy', 1, 13_001).events)).toEqual([]);
    expect(fillsIn(print(venue, 'buy', 1, 13_001))).toEqual(['alice buy 1@13001']);
  });
});

describe('auctions', () => {
  it('fill better limits at the price of the cross, never beyond its volume, and nothing at the margin', () => {
    const venue = open(at(WEDNESDAY, 8, 50));
    placed(venue, 'buy', 4, 13_001);
    placed(venue, 'buy', 4, 13_000);
    placed(venue, 'sell', 3, 12_990, BOB);
    const nine = at(WEDNESDAY, 9);
    expect(fillsIn(print(venue, null, 3, 13_000, nine))).toEqual(['alice buy 3@13000']);
    const second = print(venue, null, 8, 13_000, nine);
    expect(fillsIn(second)).toEqual(['alice buy 1@13000', 'bob sell 3@13000']);
    expect(second.find(({ kind }) => kind === 'trade')).toMatchObject({ aggressor: null, totalVolume: 11 });
    // Another side: the cross is over, this is continuous trading.
    expect(print(venue, 'sell', 1, 12_999, nine).find(({ kind }) => kind === 'trade')).toMatchObject({
      aggressor: 'sell',
    });
  });

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

  it('close the day with the prints that carry its last second', () => {
    const venue = open(at(WEDNESDAY, 14, 29));
    print(venue, 'buy', 1, 13_000);
    venue.advance(at(WEDNESDAY, 14, 31));
    const carried = placed(venue, 'buy', 5, 13_010);
    const end = at(WEDNESDAY, 14, 45);
    expect(fillsIn(venue.advance(end))).toEqual([]);
    expect(fillsIn(print(venue, 'buy', 2, 13_007, end))).toEqual(['alice buy 2@13007']);
    const events = venue.advance(later(end, 5 * SECOND));
    expect(events.find((event) => event.kind === 'settlement_price')).toMatchObject({ price: 130_070 });
    expect(venue.order(ALICE, carried)).toMatchObject({
      status: 'matched_canceled',
      filledQty: 2,
      expired: true,
    });
  });

  it('let no order trade on prints outside continuous trading', () => {
    const venue = quoted();
    placed(venue, 'buy', 1, 13_000);
    const events = print(venue, 'sell', 50, 12_900, at(WEDNESDAY, 12));
    expect(tradesIn(events)).toEqual(['50@12900']);
    expect(fillsIn(events)).toEqual([]);
  });
});

/** 09:00:00 is the end of the opening auction; its prints carry that second. */
it('a restart between two prints of an uncross keeps who stood in the auction', () => {
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
