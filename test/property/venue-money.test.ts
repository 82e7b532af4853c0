import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hundredthsOf, valueAtHundredths } from '../../src/domain/contract.ts';
import { taxOn } from '../../src/domain/costs.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import type { FillMessage, VenueEvent } from '../../src/venue/venue-event.ts';
import type { Venue } from '../../src/venue/venue.ts';
import {
  ALICE,
  at,
  ALWAYS_OPEN,
  BOB,
  COSTS,
  DELAYED,
  HNX,
  openVenue,
  options,
  VN30,
  WEDNESDAY,
} from '../venue/venue-fixture.ts';
import { run, stepOf } from './venue-flow.ts';

const MINUTE = 60_000_000;

/** Fee and tax of one account's fills by the book: per order, on its cumulative figures. */
function costsOf(fills: readonly FillMessage[]): number {
  const lastOfOrder = new Map(fills.map((fill) => [fill.orderKey, fill]));
  let total = 0;
  for (const fill of lastOfOrder.values()) {
    total += 5_250 * fill.filledQty + taxOn(COSTS, tradingDay(WEDNESDAY), fill.filledValue);
  }
  return total;
}

/** Money of an account from its fills alone: what was sold less what was bought, and the open quantity at its mark. */
function worthOf(venue: Venue, fills: readonly FillMessage[]): number {
  let worth = 0;
  for (const { side, price, qty, orderCode } of fills) {
    const mark = venue
      .positions(ALICE)
      .concat(venue.positions(BOB))
      .find((row) => row.orderCode === orderCode)?.lastPrice;
    const gain =
      valueAtHundredths(VN30, mark!, qty) - valueAtHundredths(VN30, hundredthsOf(VN30, price), qty);
    worth += side === 'buy' ? gain : -gain;
  }
  return worth;
}

const fillsOf = (events: readonly VenueEvent[], id: string): FillMessage[] =>
  events.filter((event): event is FillMessage => event.kind === 'fill' && event.accountId === id);

describe('money', () => {
  it('equals the fills, fees and tax of the day, for each account, to the VND', () => {
    fc.assert(
      fc.property(fc.array(stepOf(MINUTE), { maxLength: 80 }), (steps) => {
        const venue = openVenue({ rules: { ...options().rules, ...DELAYED } });
        const events = steps.flatMap((step) => run(venue, step, 13_000));
        for (const id of [ALICE, BOB]) {
          const fills = fillsOf(events, id);
          const shown = venue.account(id)!;
          expect(shown.uncollected).toBe(costsOf(fills));
          expect(shown.dayProfit).toBe(worthOf(venue, fills));
          expect(shown.netAssetValue).toBe(shown.cash + shown.dayProfit - shown.uncollected);
          expect(shown.requiredMargin).toBe(
            shown.initialMargin + Math.max(0, 0 - shown.dayProfit) + shown.uncollected,
          );
          expect(
            Math.min(shown.initialMargin, shown.workingMargin, shown.buyingPower),
          ).toBeGreaterThanOrEqual(0);
        }
        // Between themselves the accounts win what they lose.
        expect(venue.account(ALICE)!.dayProfit + venue.account(BOB)!.dayProfit).toBe(0);
      }),
    );
  });

  it('is conserved over nights and expiries: cash moves by named amounts and sums to minus the costs', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(HNX, ALWAYS_OPEN),
        fc.array(stepOf(12 * 60 * MINUTE), { minLength: 10, maxLength: 60 }),
        (calendar, steps) => {
          const venue = openVenue({ calendar, startUs: at('2026-03-16', 10) });
          const before = [ALICE, BOB].map((id) => venue.account(id)!.cash);
          const events = steps.flatMap((step) => run(venue, step, 13_000));
          events.push(...venue.advance(at('2026-03-24', 9)));
          const moves = { daily_profit: 0, final_settlement: 0, fee: 0, tax: 0, deposit: 0, withdrawal: 0 };
          for (const event of events) if (event.kind === 'cash') moves[event.reason] += event.amount;
          // Every contract that changed hands in profit did so in loss.
          expect(moves.daily_profit + moves.final_settlement).toBe(0);
          const contracts = events.reduce((sum, event) => sum + (event.kind === 'fill' ? event.qty : 0), 0);
          expect(moves.fee + 5_250 * contracts).toBe(0);
          const after = [ALICE, BOB].map((id) => venue.account(id)!.cash);
          expect(after[0]! + after[1]!).toBe(before[0]! + before[1]! + moves.fee + moves.tax);
        },
      ),
      { numRuns: 60 },
    );
  });
});
