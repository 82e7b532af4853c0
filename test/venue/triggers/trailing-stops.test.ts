import { describe, expect, it } from 'vitest';
import { move, rowOf, trail, waiting } from './trigger-fixture.ts';
import { ALICE, BOB, codeOf, openVenue, placed, print } from '../venue-fixture.ts';

describe('a trailing stop', () => {
  it('starts at its activation price, follows in favour only, and sends when the market comes back', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_050));
    expect(row).toMatchObject({ triggerPrice: null, triggerWhen: 'at_or_below' });
    // Falls before it is activated: nothing.
    print(venue, 12_800);
    expect(rowOf(venue, row)).toMatchObject({ status: 'pending', triggerPrice: null });
    print(venue, 13_050);
    expect(rowOf(venue, row)).toMatchObject({ triggerPrice: 13_040 });
    print(venue, 13_070);
    print(venue, 13_061);
    expect(rowOf(venue, row)).toMatchObject({ status: 'pending', triggerPrice: 13_060 });
    print(venue, 13_060);
    expect(rowOf(venue, row)).toMatchObject({ status: 'activated', sentQty: 2 });
    expect(venue.orders(ALICE)).toMatchObject([
      { origin: 'trailing_stop', side: 'sell', limitPrice: 12_500 },
    ]);
  });

  it('is the mirror for a buy', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'buy', 12_950));
    print(venue, 13_200);
    print(venue, 12_940);
    expect(rowOf(venue, row)).toMatchObject({ triggerPrice: 12_950, triggerWhen: 'at_or_above' });
    print(venue, 12_900);
    print(venue, 12_909);
    expect(rowOf(venue, row).status).toBe('pending');
    print(venue, 12_910);
    expect(rowOf(venue, row).status).toBe('activated');
  });

  it('sees every trade of one sweep: up and down again within one match', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_020, { offset: 3 }));
    for (const price of [13_000, 13_020, 13_040]) placed(venue, 'sell', 1, price, BOB);
    placed(venue, 'buy', 3, 13_040, BOB);
    expect(rowOf(venue, row)).toMatchObject({ status: 'pending', triggerPrice: 13_037 });
  });

  it('moves its activation price until it is activated', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_050));
    expect(move(venue, row, 13_020)).toMatchObject({ trigger: { trailing: { activationPrice: 13_020 } } });
    print(venue, 13_020);
    expect(rowOf(venue, row)).toMatchObject({ triggerPrice: 13_010 });
    expect(codeOf(move(venue, row, 13_050))).toBe(-6015);
  });

  it.each([0, -1, 1.5, NaN, 1_821, Number.MAX_SAFE_INTEGER])('refuses a step of %d ticks', (offset) => {
    expect(codeOf(trail(openVenue(), 'sell', 13_050, { offset }))).toBe(-6021);
  });
});
