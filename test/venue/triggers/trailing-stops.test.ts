import { describe, expect, it } from 'vitest';
import { rowOf, trail, waiting } from './trigger-fixture.ts';
import { BOB, codeOf, openVenue, placed } from '../venue-fixture.ts';

describe('a trailing stop', () => {
  it('sees every trade of one sweep: up and down again within one match', () => {
    const venue = openVenue();
    const row = waiting(trail(venue, 'sell', 13_020, { offset: 3 }));
    for (const price of [13_000, 13_020, 13_040]) placed(venue, 'sell', 1, price, BOB);
    placed(venue, 'buy', 3, 13_040, BOB);
    expect(rowOf(venue, row)).toMatchObject({ status: 'pending', triggerPrice: 13_037 });
  });

  it.each([0, -1, 1.5, NaN, 1_821, Number.MAX_SAFE_INTEGER])('refuses a step of %d ticks', (offset) => {
    expect(codeOf(trail(openVenue(), 'sell', 13_050, { offset }))).toBe(-6021);
  });
});
