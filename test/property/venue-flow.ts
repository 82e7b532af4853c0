/** Random but valid-looking clients of the venue: commands and spans of time, as data. */
import fc from 'fast-check';
import type { AccountId, OrderCode } from '../../src/domain/ids.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import type { Venue } from '../../src/venue/venue.ts';
import { ALICE, BOB, FRONT, later, NEXT } from '../venue/venue-fixture.ts';

export type Step =
  | { readonly kind: 'wait'; readonly us: number }
  | {
      readonly kind: 'place';
      readonly account: AccountId;
      readonly code: typeof FRONT;
      readonly side: 'buy' | 'sell';
      readonly offset: number;
      readonly qty: number;
    }
  | {
      readonly kind: 'change';
      readonly account: AccountId;
      readonly pick: number;
      readonly offset: number;
      readonly qty: number | null;
    }
  | { readonly kind: 'cancel'; readonly account: AccountId; readonly pick: number };

const account = fc.constantFrom(ALICE, BOB);
const offset = fc.integer({ min: -6, max: 6 });
const qty = fc.integer({ min: 1, max: 12 });
const pick = fc.nat(50);

export const stepOf = (waitUsMax: number): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        us: fc.integer({ min: 0, max: waitUsMax }),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('place' as const),
        account,
        code: fc.constantFrom(FRONT, FRONT, NEXT),
        side: fc.constantFrom('buy' as const, 'sell' as const),
        offset,
        qty,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('change' as const),
        account,
        pick,
        offset,
        qty: fc.option(qty, { nil: null }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), account, pick }) },
  );

/** `FRONT` and `NEXT` mean the first and the second of the list, whatever was rolled or has expired. */
export const listed = (venue: Venue, code: OrderCode): OrderCode =>
  venue.contracts()[code === FRONT ? 0 : 1]?.orderCode ?? code;

/** Does one step around `center`, in ticks; a change edits one field. */
export function run(venue: Venue, step: Step, center: number): readonly VenueEvent[] {
  if (step.kind === 'wait') return venue.advance(later(venue.nowUs, step.us));
  if (step.kind === 'place') {
    const { account: accountId, side, offset: ticks, qty: size } = step;
    const limitPrice = priceTicks(center + ticks);
    const code = listed(venue, step.code);
    return venue.place({ accountId, orderCode: code, side, limitPrice, qty: size, refId: null }).events;
  }
  const orders = venue.orders(step.account);
  const order = orders[step.pick % Math.max(1, orders.length)];
  if (order === undefined) return [];
  const { accountId, orderNo } = order;
  if (step.kind === 'cancel') return venue.cancel({ accountId, orderNo }).events;
  const limitPrice = step.qty === null ? priceTicks(center + step.offset) : order.limitPrice;
  return venue.change({ accountId, orderNo, limitPrice, qty: step.qty ?? order.qty }).events;
}
