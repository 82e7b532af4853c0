/** Random clients in a living market: what must hold whatever they do. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phaseAt } from '../../src/domain/calendar.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import { priceTicks, tsUs } from '../../src/domain/units.ts';
import type { VenueEvent } from '../../src/venue/venue-event.ts';
import { ALICE, at, BOB, DELAYED, FRONT, HNX, openVenue, WEDNESDAY } from '../venue/venue-fixture.ts';
import { run, stepOf } from './venue-flow.ts';

const MINUTE = 60_000_000;
const START = 13_000;
const STATUSES = new Set([
  'queued',
  'resting',
  'modify_pending',
  'modified',
  'cancel_pending',
  'canceled',
  'matched',
  'matched_cancel_pending',
  'matched_canceled',
]);

/** What no flow of commands may bring about, as text. */
function violations(events: readonly VenueEvent[], ceiling: number, floor: number): string[] {
  const volumes = new Map<string, number>();
  const filled = new Map<string, number>();
  return events.flatMap((event) => {
    const problems: string[] = [];
    if (event.kind === 'trade') {
      const total = (volumes.get(event.orderCode) ?? 0) + event.qty;
      if (event.totalVolume !== total) problems.push(`volume ${event.totalVolume} after ${total}`);
      volumes.set(event.orderCode, total);
    }
    if (event.kind === 'fill') {
      const total = (filled.get(event.orderKey) ?? 0) + event.qty;
      if (event.filledQty !== total) problems.push(`filled ${event.filledQty}, events say ${total}`);
      filled.set(event.orderKey, total);
      if (event.price > ceiling || event.price < floor) problems.push(`filled at ${event.price}`);
      // An auction fills at the moment it ends; so a moment before, something was open.
      if (['closed', 'break'].includes(phaseAt(HNX, tsUs(event.tsUs - 1))))
        problems.push('filled while closed');
    }
    if (event.kind === 'order') {
      const { order } = event;
      if (!STATUSES.has(order.status)) problems.push(order.status);
      if (order.filledQty > order.qty || order.filledQty !== (filled.get(order.orderKey) ?? 0))
        problems.push('filled');
    }
    if (event.kind === 'book' && event.auctionPrice === null && event.bids[0] && event.asks[0]) {
      if (event.bids[0].price >= event.asks[0].price) problems.push('crossed');
    }
    return problems;
  });
}

const wealth = (accounts: readonly AccountId[], venue: ReturnType<typeof openVenue>): boolean[] =>
  accounts.map((id) => {
    const { netAssetValue, cash, dayProfit, uncollected, initialMargin } = venue.account(id)!;
    return netAssetValue === cash + dayProfit - uncollected && initialMargin >= 0;
  });

describe('a living market', () => {
  it.each([
    ['through the opening', at(WEDNESDAY, 8, 58)],
    ['into the break', at(WEDNESDAY, 11, 28)],
    ['through the close', at(WEDNESDAY, 14, 28)],
  ])('keeps its promises %s', (_, startUs) => {
    fc.assert(
      fc.property(fc.array(stepOf(MINUTE), { minLength: 5, maxLength: 40 }), fc.integer(), (steps, seed) => {
        const market = { kind: 'synthetic', seed, startPrice: priceTicks(START) } as const;
        const venue = openVenue({ startUs, market, rules: DELAYED });
        const { ceiling, floor } = venue.board(FRONT)!.band;
        const events = steps.flatMap((step) => run(venue, step, venue.board(FRONT)?.lastPrice ?? START));
        expect(violations(events, ceiling + 100, floor - 100)).toEqual([]);
        expect(wealth([ALICE, BOB], venue)).toEqual([true, true]);
      }),
      { numRuns: 12 },
    );
  });

  it('gives users the same answers however time is split between their commands', () => {
    fc.assert(
      fc.property(
        fc.array(stepOf(2_000_000), { minLength: 5, maxLength: 20 }),
        fc.integer({ min: 1_000, max: 300_000 }),
        (steps, slice) => {
          const market = { kind: 'synthetic', seed: 1, startPrice: priceTicks(START) } as const;
          const [whole, sliced] = [
            openVenue({ market, rules: DELAYED }),
            openVenue({ market, rules: DELAYED }),
          ];
          for (const step of steps) {
            const events = run(whole, step, START);
            const again: VenueEvent[] = [];
            while (sliced.nowUs < whole.nowUs) {
              again.push(...sliced.advance(tsUs(Math.min(whole.nowUs, sliced.nowUs + slice))));
            }
            if (step.kind !== 'wait') again.push(...run(sliced, step, START));
            expect(again).toEqual(events);
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});
