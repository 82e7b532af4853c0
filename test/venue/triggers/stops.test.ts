import { describe, expect, it } from 'vitest';
import { clientOrderId } from '../../../src/domain/ids.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { rowOf, stop, waiting } from './trigger-fixture.ts';
import { ALICE, AT_ONCE, BOB, codeOf, NEXT, openVenue, placed, print } from '../venue-fixture.ts';

describe('a stop', () => {
  it('hears of its own contract alone', () => {
    const venue = openVenue();
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    print(venue, 12_900, NEXT);
    expect(rowOf(venue, row).status).toBe('pending');
  });

  it('sets off others: what one sends trades, and triggers the next', () => {
    const venue = openVenue();
    placed(venue, 'buy', 1, 12_940, BOB);
    placed(venue, 'buy', 1, 12_930, BOB);
    const first = waiting(stop(venue, 'sell', 'at_or_below', 12_950, { limitPrice: priceTicks(12_930) }));
    const second = waiting(stop(venue, 'sell', 'at_or_below', 12_940, { limitPrice: priceTicks(12_930) }));
    print(venue, 12_950);
    expect([rowOf(venue, first).status, rowOf(venue, second).status]).toEqual(['activated', 'activated']);
    expect(venue.positions(ALICE)).toMatchObject([{ net: -2 }]);
  });

  it('refuses a reference it has seen, and more than may wait', () => {
    const venue = openVenue({ rules: { ...AT_ONCE, triggersMax: 2 } });
    const refId = clientOrderId('H.1');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950, { refId }))).toBe('accepted');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950, { refId }))).toBe(-6004);
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe('accepted');
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe(-6038);
  });
});
