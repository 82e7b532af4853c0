import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { TriggerReport } from '../../../src/venue/venue-event.ts';
import type { Venue } from '../../../src/venue/venue.ts';
import { ALICE, at, BOB, codeOf, FRONT, openVenue, placed, print, WEDNESDAY } from '../venue-fixture.ts';

/** Alice enters with exits 20 ticks below and 40 above for a buy. */
const enter = (venue: Venue, side: Side, qty: number, price: number, stopLoss: number, takeProfit: number) =>
  venue.place({
    accountId: ALICE,
    orderCode: FRONT,
    side,
    qty,
    limitPrice: priceTicks(price),
    refId: null,
    bracket: { is: 'prices', stopLoss, takeProfit },
  });

const bought = (qty = 5): Venue => {
  const venue = openVenue();
  enter(venue, 'buy', qty, 13_000, 12_980, 13_040);
  return venue;
};
const sold = (venue: Venue, qty: number): void => void placed(venue, 'sell', qty, 13_000, BOB);
const halves = (venue: Venue): readonly TriggerReport[] => venue.triggers(ALICE);
const children = (venue: Venue) => venue.orders(ALICE).filter(({ origin }) => origin === 'exit');

describe('a bracket', () => {
  it('does not take the trade that made it for one that triggers it', () => {
    const venue = openVenue();
    placed(venue, 'sell', 1, 12_970, BOB);
    // Filled at 12,970, below its stop-loss: looked at from the next trade on.
    enter(venue, 'buy', 1, 13_000, 12_980, 13_040);
    expect(halves(venue)).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
    print(venue, 12_979);
    expect(halves(venue)).toMatchObject([{ status: 'activated' }, { status: 'canceled' }]);
  });

  it('gives what fills after an exit was sent exits of its own', () => {
    const venue = bought();
    sold(venue, 2);
    print(venue, 13_040);
    expect(children(venue)).toMatchObject([{ qty: 2 }]);
    sold(venue, 1);
    sold(venue, 2);
    expect(halves(venue)).toMatchObject([
      { half: 'stop_loss', status: 'canceled', qty: 2 },
      { half: 'take_profit', status: 'activated', qty: 2 },
      { half: 'stop_loss', status: 'pending', qty: 3, triggerPrice: 12_980 },
      { half: 'take_profit', status: 'pending', qty: 3, triggerPrice: 13_040 },
    ]);
  });

  it.each([
    ['a stop-loss above the price of a buy', 'buy', 13_000, 13_040, -6021],
    ['a take-profit at the price', 'buy', 12_980, 13_000, -6021],
    ['the two the wrong way round for a sell', 'sell', 12_980, 13_040, -6021],
    ['a take-profit above the ceiling', 'buy', 12_980, 13_911, -6035],
    ['a sound one', 'sell', 13_020, 12_960, 'accepted'],
  ] as const)('with %s', (_what, side, stopLoss, takeProfit, expected) => {
    expect(codeOf(enter(openVenue(), side, 1, 13_000, stopLoss, takeProfit))).toBe(expected);
  });

  it('never asks for a price outside the band', () => {
    const venue = openVenue();
    enter(venue, 'buy', 1, 12_110, 12_095, 12_200);
    placed(venue, 'sell', 1, 12_110, BOB);
    print(venue, 12_095);
    expect(children(venue)).toMatchObject([{ limitPrice: 12_090 }]);
  });

  it('ends with the day', () => {
    const venue = bought();
    sold(venue, 2);
    venue.advance(at(WEDNESDAY, 15));
    expect(halves(venue)).toMatchObject([{ expired: true }, { expired: true }]);
  });
});
