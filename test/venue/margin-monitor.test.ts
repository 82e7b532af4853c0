import { describe, expect, it } from 'vitest';
import { priceHundredths, priceTicks } from '../../src/domain/units.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  at,
  AT_ONCE,
  BOB,
  DELAYED,
  FRONT,
  later,
  NEXT,
  openVenue,
  options,
  placed,
  print,
  WEDNESDAY,
} from './venue-fixture.ts';

/** At 22.1 million a contract, seven are 79 %. Near 1,230.0 they are 100 %. */
const CASH = 195_000_000;
const poor = (changes: Parameters<typeof openVenue>[0] = {}): Venue =>
  openVenue({
    accounts: [{ accountId: ALICE, subAccountId: `${ALICE}A`, cash: CASH }, ...options().accounts.slice(1)],
    ...changes,
  });

/** Alice is long seven at 1,300.0. */
function long(changes: Parameters<typeof openVenue>[0] = {}): Venue {
  const venue = poor(changes);
  placed(venue, 'sell', 7, 13_000, BOB);
  placed(venue, 'buy', 7, 13_000);
  venue.advance(later(venue.nowUs, 2_000_000));
  return venue;
}

const levels = (events: readonly VenueEvent[]): string[] =>
  events.flatMap((event) => (event.kind === 'margin_level' ? [`${event.accountId} ${event.level}`] : []));
const second = (venue: Venue): readonly VenueEvent[] => venue.advance(later(venue.nowUs, 1_000_000));
const forced = (venue: Venue) => venue.orders(ALICE).filter(({ source }) => source === 'forced');

describe('levels of margin', () => {
  it('are said once, within a second of the trade that changed them', () => {
    const venue = long();
    expect(venue.account(ALICE)).toMatchObject({ level: 'sound' });
    // 7 x 17 % of 1,287.0 and a loss of 9.1 million: 83 %.
    print(venue, 12_870);
    expect(venue.account(ALICE)).toMatchObject({ level: 'no_entry' });
    expect(levels(second(venue))).toEqual([`${ALICE} no_entry`]);
    print(venue, 12_871);
    expect(levels(second(venue))).toEqual([]);
    print(venue, 12_450);
    expect(levels(second(venue))).toEqual([`${ALICE} warned`]);
    expect(venue.account(ALICE)!.topUp).toBeGreaterThan(0);
    print(venue, 13_050);
    expect(levels(second(venue))).toEqual([`${ALICE} sound`]);
  });
});

describe('a forced close', () => {
  it('does not sell twice what is already on its way', () => {
    const venue = long({ rules: { ...DELAYED, carry: { interestBps: 0, dividendBps: 0 } } });
    venue.advance(later(venue.nowUs, 1_000_000));
    print(venue, 12_200);
    venue.advance(later(venue.nowUs, 10_000_000));
    // Nobody buys: the order rests at the floor and waits.
    expect(forced(venue)).toMatchObject([{ status: 'resting' }]);
    const before = forced(venue)[0]!.qty;
    print(venue, 12_199, NEXT);
    venue.advance(later(venue.nowUs, 5_000_000));
    expect(forced(venue)).toMatchObject([{ qty: before }]);
  });

  it('closes over all contracts, no order above 500, and everything when nothing else helps', () => {
    const venue = openVenue({
      accounts: [
        { accountId: ALICE, subAccountId: 'A', cash: 34_000_000_000 },
        ...options().accounts.slice(1),
      ],
      // The loss alone is above this.
      rules: { ...options().rules, warnBps: 3_000 },
    });
    for (const [code, size] of [
      [undefined, 500],
      [undefined, 300],
      [NEXT, 400],
    ] as const) {
      placed(venue, 'sell', size, 13_000, BOB, code);
      placed(venue, 'buy', size, 13_000, ALICE, code);
    }
    second(venue);
    print(venue, 12_100);
    print(venue, 12_100, NEXT);
    second(venue);
    const sizes = forced(venue).map(({ orderCode, qty }) => `${orderCode} ${qty}`);
    expect(sizes).toEqual(['VN30F2603 500', 'VN30F2603 300', 'VN30F2604 400']);
  });

  it('comes a second after a fill on a tape, without a trade of the market', () => {
    const market = { kind: 'tape', orderCode: FRONT, reference: priceHundredths(130_000) } as const;
    const venue = poor({
      market,
      startUs: at(WEDNESDAY, 10),
      rules: { ...AT_ONCE, entryBps: 20_000 },
    });
    for (const aggressor of ['sell', 'buy'] as const) {
      const price = priceTicks(aggressor === 'sell' ? 13_000 : 13_001);
      venue.print({ tsUs: venue.nowUs, orderCode: FRONT, price, qty: 1, aggressor });
    }
    second(venue);
    placed(venue, 'buy', 9, 13_001);
    // Nine at 22.1 million each need more than there is.
    expect(venue.account(ALICE)).toMatchObject({ level: 'forced_close' });
    second(venue);
    expect(forced(venue)).toMatchObject([{ side: 'sell', qty: 2 }]);
  });

  it('waits for continuous trading', () => {
    const venue = long({ startUs: at(WEDNESDAY, 14, 29) });
    venue.advance(at(WEDNESDAY, 14, 31));
    placed(venue, 'sell', 1, 12_200, BOB);
    placed(venue, 'buy', 1, 12_200, BOB);
    const evening = venue.advance(at(WEDNESDAY, 15));
    expect(levels(evening)).toEqual([`${ALICE} forced_close`]);
    const morning = venue.advance(at('2026-03-05', 8, 59));
    expect(forced(venue)).toEqual([]);
    // The loss was paid out of cash at night: it is still too little.
    expect(levels(morning)).toEqual([]);
    venue.advance(at('2026-03-05', 9, 0, 2));
    expect(forced(venue)).toHaveLength(1);
  });

  it('goes on after a restart in the middle of it', () => {
    const venue = long({ rules: { ...AT_ONCE, carry: { interestBps: 0, dividendBps: 0 } } });
    placed(venue, 'sell', 1, 13_200);
    print(venue, 12_200);
    second(venue);
    const again = new Venue(options({ startUs: venue.nowUs }), venue.exportState());
    expect(levels(again.startEvents())).toEqual([]);
    expect(levels(second(again))).toEqual([]);
    expect(forced(again)).toHaveLength(1);
  });
});
