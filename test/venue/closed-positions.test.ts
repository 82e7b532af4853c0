import { describe, expect, it } from 'vitest';
import { Venue } from '../../src/venue/venue.ts';
import { ALICE, at, BOB, codeOf, FRONT, openVenue, options, placed } from './venue-fixture.ts';
import { accountId, orderCode } from '../../src/domain/ids.ts';

/** Alice trades with Bob. */
function trade(venue: Venue, side: 'buy' | 'sell', qty: number, price: number, code = FRONT): void {
  placed(venue, side === 'buy' ? 'sell' : 'buy', qty, price, BOB, code);
  placed(venue, side, qty, price, ALICE, code);
}

describe('closed positions', () => {
  it('keeps a turn from long to short apart: one side closed, the other opened', () => {
    const venue = openVenue();
    trade(venue, 'buy', 1, 13_000);
    trade(venue, 'sell', 3, 13_010);
    trade(venue, 'buy', 2, 13_020);
    const rows = venue.closedPositions(ALICE);
    expect(rows).toMatchObject([
      { side: 'buy', closedQty: 1, totalQty: 1, closedProfit: 100_000, openProfit: 0, fee: 2 * 5_250 },
      { side: 'sell', closedQty: 2, totalQty: 2, closedProfit: -200_000, openProfit: 0, fee: 4 * 5_250 },
    ]);
    const { uncollected } = venue.account(ALICE)!;
    expect(rows.reduce((sum, { fee, tax }) => sum + fee + tax, 0)).toBe(uncollected);
  });

  it('counts against the entry also what was carried over night, and begins again each day', () => {
    const venue = openVenue();
    trade(venue, 'buy', 2, 13_000);
    trade(venue, 'sell', 1, 13_000);
    venue.advance(at('2026-03-05', 9, 30));
    expect(venue.closedPositions(ALICE)).toEqual([]);
    const again = new Venue(options({ startUs: venue.nowUs }), venue.exportState());
    trade(again, 'sell', 1, 13_050);
    const resumed = new Venue(options({ startUs: again.nowUs }), again.exportState());
    expect(resumed.closedPositions(ALICE)).toMatchObject([
      { closedQty: 1, totalQty: 1, closedProfit: 500_000 },
    ]);
  });
});

describe('a position from another channel', () => {
  it.each([
    ['an account nobody has', accountId('105C999999'), FRONT, 1, -6001],
    ['a contract nobody knows', ALICE, orderCode('XYZ'), 1, -6003],
    ['nothing', ALICE, FRONT, 0, -6019],
    ['half a contract', ALICE, FRONT, 0.5, -6019],
    ['more than an account may hold', ALICE, FRONT, 5_001, -6019],
  ])('is refused for %s', (_what, id, code, net, expected) => {
    expect(codeOf(openVenue().injectPosition(id, code, net))).toBe(expected);
  });
});

describe('an order from another channel', () => {
  it('shows a contract that was settled at its expiry, until the next day', () => {
    const venue = openVenue({ startUs: at('2026-03-19', 10) });
    trade(venue, 'buy', 2, 13_000);
    venue.advance(at('2026-03-20', 10));
    const [row, ...others] = venue.closedPositions(ALICE);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ orderCode: FRONT, side: 'buy', closedQty: 2, totalQty: 2, openProfit: 0 });
    expect(venue.positions(ALICE)).toEqual([]);
    const state = JSON.parse(JSON.stringify(venue.exportState()));
    expect(new Venue(options({ startUs: venue.nowUs }), state).closedPositions(ALICE)).toEqual([row]);
    venue.advance(at('2026-03-23', 10));
    expect(venue.closedPositions(ALICE)).toEqual([]);
  });
});
