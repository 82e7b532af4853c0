import { describe, expect, it } from 'vitest';
import { priceTicks } from '../../src/domain/units.ts';
import type { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  AT_ONCE,
  BOB,
  codeOf,
  FRONT,
  NEXT,
  openVenue,
  options,
  place,
  placed,
} from './venue-fixture.ts';

/** Alice has 200 million VND: at 22.1 million a contract and a ratio of 80 %, room for seven. */
const CASH = 200_000_000;
const poor = (): Venue =>
  openVenue({
    accounts: [
      { accountId: ALICE, subAccountId: `${ALICE}A`, cash: CASH },
      ...options().accounts.filter(({ accountId }) => accountId === BOB),
    ],
  });

/** Alice trades with Bob. */
function trade(venue: Venue, side: 'buy' | 'sell', qty: number, price: number, code = FRONT): void {
  placed(venue, side === 'buy' ? 'sell' : 'buy', qty, price, BOB, code);
  placed(venue, side, qty, price, ALICE, code);
}

const figures = (venue: Venue, id = ALICE) => {
  const found = venue.account(id);
  if (found === undefined) throw new Error('no such account');
  return found;
};

describe('margin', () => {
  it('does not lower the requirement by an open profit', () => {
    const venue = poor();
    trade(venue, 'buy', 1, 12_950);
    trade(venue, 'buy', 1, 13_000);
    const { requiredMargin, initialMargin, uncollected, dayProfit } = figures(venue);
    expect(dayProfit).toBe(500_000);
    expect(requiredMargin).toBe(initialMargin + uncollected);
  });

  it('refuses the order that is one contract too large, working orders counted', () => {
    const venue = poor();
    expect(codeOf(place(venue, 'buy', 8, 13_000))).toBe(-6012);
    const { buyingPower } = figures(venue);
    expect(codeOf(place(venue, 'buy', 5, 12_990))).toBe('accepted');
    expect(buyingPower - figures(venue).buyingPower).toBe(5 * 22_100_000);
    expect(codeOf(place(venue, 'buy', 3, 12_990))).toBe(-6012);
    // The other direction needs no more than the larger of the two.
    expect(codeOf(place(venue, 'sell', 5, 13_010))).toBe('accepted');
    expect(codeOf(place(venue, 'buy', 2, 12_990))).toBe('accepted');
    expect(codeOf(place(venue, 'buy', 1, 12_990, ALICE, NEXT))).toBe(-6012);
  });

  it('holds margin for a change on its way', () => {
    const venue = poor();
    const number = placed(venue, 'buy', 7, 12_990);
    const more = venue.change({ accountId: ALICE, orderNo: number, limitPrice: priceTicks(12_990), qty: 8 });
    expect(codeOf(more)).toBe(-6012);
  });

  it('never refuses what closes, also above the ratio', () => {
    const venue = poor();
    trade(venue, 'buy', 7, 13_000);
    // 1,300 to 1,280: a loss of 14 million lifts the usage over 80 %.
    placed(venue, 'sell', 1, 12_800, BOB, FRONT);
    placed(venue, 'buy', 1, 12_800, BOB, FRONT);
    expect(figures(venue).usageBps).toBeGreaterThan(8_000);
    expect(codeOf(place(venue, 'buy', 1, 12_800))).toBe(-6032);
    expect(codeOf(place(venue, 'sell', 7, 12_800))).toBe('accepted');
    expect(codeOf(place(venue, 'sell', 1, 12_800))).toBe('accepted');
    // That one was the eighth: together they would turn the position, which is within its size.
    expect(codeOf(place(venue, 'sell', 7, 12_800))).toBe(-6032);
  });

  it('knows the position limit over all contracts', () => {
    const venue = openVenue({ rules: { ...AT_ONCE, positionMax: 10 } });
    expect(codeOf(place(venue, 'buy', 6, 12_990))).toBe('accepted');
    expect(codeOf(place(venue, 'sell', 5, 13_010, ALICE, NEXT))).toBe(-6038);
    expect(codeOf(place(venue, 'sell', 4, 13_010, ALICE, NEXT))).toBe('accepted');
    expect(codeOf(place(venue, 'sell', 6, 13_010))).toBe('accepted');
  });
});
