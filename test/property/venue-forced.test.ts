import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountId } from '../../src/domain/ids.ts';
import type { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  AT_ONCE,
  BOB,
  DELAYED,
  FRONT,
  later,
  NEXT,
  openVenue,
  options,
  place,
} from '../venue/venue-fixture.ts';

const CAROL = accountId('105C000003');
const SECOND = 1_000_000;
const CASH = 1_000_000_000;

/** Alice holds 30 to 36 contracts in two months where 36 is all her cash allows, and the market moves. */
const trouble = fc.record({
  held: fc.integer({ min: 30, max: 36 }),
  inFront: fc.integer({ min: 0, max: 36 }),
  long: fc.boolean(),
  /** What rests on the other side, where her broker closes. */
  depth: fc.integer({ min: 0, max: 40 }),
  jump: fc.integer({ min: 0, max: 890 }),
  rises: fc.boolean(),
  ownOrder: fc.integer({ min: -18, max: 18 }),
  delay: fc.constantFrom(AT_ONCE, DELAYED),
});

function trade(venue: Venue, net: number, code: typeof FRONT): void {
  const [own, other] = net > 0 ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
  place(venue, other, Math.abs(net), 13_000, BOB, code);
  venue.advance(later(venue.nowUs, SECOND));
  place(venue, own, Math.abs(net), 13_000, ALICE, code);
  venue.advance(later(venue.nowUs, SECOND));
}

const netOf = (venue: Venue, code: string): number =>
  venue.positions(ALICE).find(({ orderCode }) => orderCode === code)?.net ?? 0;

const sizeOf = (nets: readonly number[]): number => nets.reduce((sum, net) => sum + Math.abs(net), 0);

describe('a forced close', () => {
  it('shrinks positions, turns none, stops where the requirement is met again, and moves no money of its own', () => {
    let closed = 0;
    fc.assert(
      fc.property(trouble, ({ held, inFront, long, depth, jump, rises, ownOrder, delay }) => {
        const accounts = [
          { accountId: ALICE, subAccountId: 'A', cash: CASH },
          { accountId: CAROL, subAccountId: 'C', cash: 1_000 * CASH },
          ...options().accounts.slice(1),
        ];
        const venue = openVenue({ accounts, rules: { ...options().rules, ...delay } });
        const sign = long ? 1 : -1;
        const inMonths = [Math.min(held, inFront), Math.max(0, held - inFront)];
        for (const [i, qty] of inMonths.entries())
          if (qty > 0) trade(venue, sign * qty, i === 0 ? FRONT : NEXT);
        const price = rises ? 13_000 + jump : 13_000 - jump;
        if (ownOrder !== 0) place(venue, ownOrder > 0 ? 'buy' : 'sell', Math.abs(ownOrder), 13_000, ALICE);
        for (const code of [FRONT, NEXT]) {
          for (const side of ['sell', 'buy'] as const) place(venue, side, 1, price, CAROL, code);
          venue.advance(later(venue.nowUs, SECOND / 10));
          if (depth > 0) place(venue, rises ? 'sell' : 'buy', depth, price, BOB, code);
        }
        const before = [netOf(venue, FRONT), netOf(venue, NEXT)];
        venue.advance(later(venue.nowUs, 10 * SECOND));
        const after = [netOf(venue, FRONT), netOf(venue, NEXT)];
        const forced = venue.orders(ALICE).filter(({ source }) => source === 'forced');
        for (const [i, net] of after.entries()) {
          expect(Math.abs(net)).toBeLessThanOrEqual(Math.abs(before[i]!));
          expect(net * before[i]!).toBeGreaterThanOrEqual(0);
        }
        const asked = forced.reduce((sum, { qty }) => sum + qty, 0);
        const filled = forced.reduce((sum, { filledQty }) => sum + filledQty, 0);
        expect(filled).toBe(sizeOf(before) - sizeOf(after));
        expect(asked).toBeLessThanOrEqual(sizeOf(before));
        closed += filled;
        const { level } = venue.account(ALICE)!;
        const open = forced.some(({ canCancel }) => canCancel);
        expect(level !== 'forced_close' || open || sizeOf(after) === 0).toBe(true);
        const ids = [ALICE, BOB, CAROL];
        expect(ids.reduce((sum, id) => sum + venue.account(id)!.dayProfit, 0)).toBe(0);
      }),
      { numRuns: 200 },
    );
    expect(closed).toBeGreaterThan(0);
  });
});
