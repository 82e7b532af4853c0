import { describe, expect, it } from 'vitest';
import { priceHundredths, priceTicks } from '../../src/domain/units.ts';
import { currentState, type StoredVenueState } from '../../src/venue/venue-state.ts';
import { Venue } from '../../src/venue/venue.ts';
import { ALICE, BOB, FRONT, openVenue, options, placed, print } from './venue-fixture.ts';

/** The state as the first version wrote it. */
function firstVersion(venue: Venue): StoredVenueState {
  const state = JSON.parse(JSON.stringify(venue.exportState()));
  state.version = 1;
  for (const key of ['conditions', 'conditionNoNext', 'rolledThrough']) delete state[key];
  for (const { order } of state.orders) for (const key of ['origin', 'bracket']) delete order[key];
  for (const account of state.accounts) {
    delete account.level;
    for (const row of account.positions) for (const key of ['closedLong', 'closedShort']) delete row[key];
  }
  return state as StoredVenueState;
}

describe('a state of the first version', () => {
  const venue = openVenue();
  placed(venue, 'buy', 3, 13_000);
  placed(venue, 'sell', 1, 13_000, BOB);
  const old = firstVersion(venue);

  it('is carried on from: orders are the client’s, positions stand', () => {
    const again = new Venue(options({ startUs: venue.nowUs }), old);
    expect(again.orders(ALICE)).toEqual(venue.orders(ALICE));
    expect(again.positions(ALICE)).toEqual(venue.positions(ALICE));
    expect(again.account(ALICE)).toEqual(venue.account(ALICE));
    placed(again, 'sell', 2, 13_000, BOB);
    expect(again.positions(ALICE)).toMatchObject([{ net: 3 }]);
    print(again, 13_000);
  });

  it('becomes what is written today', () => {
    const fresh = openVenue();
    placed(fresh, 'buy', 3, 13_000);
    expect(currentState(firstVersion(fresh))).toEqual(fresh.exportState());
  });

  it('knows nothing of the costs of what was closed before', () => {
    const [account] = currentState(old).accounts;
    expect(account?.positions[0]).toMatchObject({ closedLong: { qty: 0, fee: 0 }, closedShort: { qty: 0 } });
  });

  it('may hold rows that were written again since', () => {
    const mixed = { ...old, orders: venue.exportState().orders } as StoredVenueState;
    expect(currentState(mixed).orders).toEqual(venue.exportState().orders);
  });
});

/** The second version shared an uncross with every order that stood. */
it('a tape of the second version goes on', () => {
  const venue = openVenue({
    market: { kind: 'tape', orderCode: FRONT, reference: priceHundredths(130_000) },
  });
  const head = { tsUs: venue.nowUs, orderCode: FRONT };
  venue.print({ ...head, price: priceTicks(13_000), qty: 1, aggressor: 'sell' });
  placed(venue, 'buy', 3, 13_000);
  const second = JSON.parse(JSON.stringify(venue.exportState()));
  second.version = 2;
  for (const { tape } of second.contracts) {
    delete tape.isSettled;
    for (const place of tape.queue) delete place.isCarried;
  }
  expect(currentState(second as StoredVenueState)).toEqual(venue.exportState());
});
