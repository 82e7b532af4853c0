import { describe, expect, it } from 'vitest';
import { rowOf, stop, waiting } from './trigger-fixture.ts';
import {
  ALICE,
  at,
  BOB,
  codeOf,
  NEXT,
  openVenue,
  options,
  placed,
  print,
  WEDNESDAY,
} from '../venue-fixture.ts';

describe('the day of what waits', () => {
  it('may be entered before the opening and in the break, not after the close', () => {
    const venue = openVenue({ startUs: at(WEDNESDAY, 8) });
    for (const hour of [8, 12]) {
      venue.advance(at(WEDNESDAY, hour));
      expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe('accepted');
    }
    venue.advance(at(WEDNESDAY, 15));
    expect(codeOf(stop(venue, 'sell', 'at_or_below', 12_950))).toBe(-6022);
  });

  it('triggers at the price of the opening auction', () => {
    const venue = openVenue({ startUs: at(WEDNESDAY, 8, 50) });
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    placed(venue, 'sell', 1, 12_900, BOB);
    placed(venue, 'buy', 1, 12_900, BOB);
    venue.advance(at(WEDNESDAY, 9));
    expect(rowOf(venue, row)).toMatchObject({ status: 'activated', activatedUs: at(WEDNESDAY, 9) });
  });

  it('lives until its contract expires where the broker says so, and is not lost at a closing price', () => {
    const venue = openVenue({
      startUs: at('2026-03-18', 14, 20),
      rules: { ...options().rules, triggerLife: 'contract' },
    });
    const row = waiting(stop(venue, 'sell', 'at_or_below', 12_950));
    const other = waiting(stop(venue, 'sell', 'at_or_below', 12_900, { orderCode: NEXT }));
    venue.advance(at('2026-03-18', 14, 40));
    placed(venue, 'sell', 1, 12_940, BOB);
    placed(venue, 'buy', 1, 12_940, BOB);
    venue.advance(at('2026-03-19', 10));
    // The closing price touched it when nothing could be sent any more.
    expect(rowOf(venue, row).status).toBe('pending');
    const events = venue.advance(at('2026-03-20', 10));
    expect(events.filter((event) => event.kind === 'trigger')).toMatchObject([
      {
        trigger: {
          orderKey: row.orderKey,
          status: 'canceled',
          expired: true,
          reason: 'Contract at maturity',
        },
      },
    ]);
    expect(venue.triggers(ALICE)).toMatchObject([{ orderKey: other.orderKey, status: 'pending' }]);
    print(venue, 12_900, NEXT);
    expect(rowOf(venue, other).status).toBe('activated');
  });
});
