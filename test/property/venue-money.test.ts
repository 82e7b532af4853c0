import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hundredthsOf, valueAtHundredths } from '../../src/domain/contract.ts';
import { taxOn } from '../../src/domain/costs.ts';
import { tradingDay } from '../../src/domain/civil-date.ts';
import { accountId } from '../../src/domain/ids.ts';
import { tsUs } from '../../src/domain/units.ts';
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
  place,
  VN30,
  WEDNESDAY,
} from '../venue/venue-fixture.ts';
import { conditionStepOf, type ConditionStep, runCondition } from './condition-flow.ts';

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

const CAROL = accountId('105C000003');

/** Alice and Bob trade with each other at the last price. */
const meeting = fc.record({
  kind: fc.constant('meet' as const),
  buyer: fc.boolean(),
  qty: fc.integer({ min: 1, max: 2 }),
});

type Trouble =
  | ConditionStep
  | { readonly kind: 'meet'; readonly buyer: boolean; readonly qty: number }
  | { readonly kind: 'jump'; readonly by: number }
  | { readonly kind: 'cash'; readonly amount: number }
  | { readonly kind: 'roll' };

function troubled(venue: Venue, step: Trouble): readonly (readonly VenueEvent[])[] {
  const front = venue.contracts()[0]!.orderCode;
  const board = venue.board(front)!;
  const last = board.lastPrice ?? Math.round(board.band.reference / 10);
  switch (step.kind) {
    case 'roll':
      return [venue.rollNow().events];
    case 'cash': {
      const { amount } = step;
      return [(amount < 0 ? venue.withdraw(ALICE, -amount) : venue.deposit(ALICE, amount)).events];
    }
    case 'meet': {
      const [buyer, seller] = step.buyer ? [ALICE, BOB] : [BOB, ALICE];
      const sold = place(venue, 'sell', step.qty, last, seller, front).events;
      return [sold, place(venue, 'buy', step.qty, last, buyer, front).events];
    }
    case 'jump': {
      const sold = place(venue, 'sell', 1, last + step.by, CAROL, front).events;
      return [sold, place(venue, 'buy', 1, last + step.by, CAROL, front).events];
    }
    case 'wait':
    case 'place':
    case 'bracket':
    case 'change':
    case 'cancel':
    case 'stop':
    case 'trail':
    case 'spread':
    case 'move':
    case 'drop':
      return [runCondition(venue, step, last)];
  }
}

/** Whatever happens, no margin is below zero, and the overview's figures hang together. */
function expectSound(venue: Venue): void {
  for (const id of [ALICE, BOB]) {
    const shown = venue.account(id)!;
    const { collateral, dayProfit, initialMargin, requiredMargin, uncollected } = shown;
    const least = Math.min(initialMargin, requiredMargin, shown.buyingPower, uncollected);
    expect(Math.min(least, shown.withdrawable, shown.topUp, shown.usageBps)).toBeGreaterThanOrEqual(0);
    expect(requiredMargin).toBe(
      initialMargin + Math.max(0, 0 - dayProfit) + shown.deliveryMargin + uncollected,
    );
    expect(shown.netAssetValue).toBe(shown.cash + dayProfit - uncollected);
    const usage =
      collateral > 0 ? Math.ceil((requiredMargin / collateral) * 10_000) : requiredMargin * 10_000_000;
    expect(shown.usageBps).toBe(Math.min(10_000_000, usage));
    const rows = venue.positions(id);
    const sum = (of: (row: (typeof rows)[number]) => number): number =>
      rows.reduce((total, row) => total + of(row), 0);
    expect(sum((row) => row.initialMargin)).toBe(initialMargin);
    expect(sum((row) => row.dayProfit)).toBe(dayProfit);
    for (const row of rows)
      expect(Math.min(row.initialMargin, row.requiredMargin, row.closableQty)).toBeGreaterThanOrEqual(0);
    expect(shown.brokerFee + shown.exchangeFee + shown.clearingFee + shown.tax).toBe(uncollected);
  }
}

describe('money', () => {
  it('equals the fills, fees and tax of the day, for each account, to the VND', () => {
    fc.assert(
      fc.property(fc.array(conditionStepOf(MINUTE), { maxLength: 80, size: 'max' }), (steps) => {
        const venue = openVenue({ rules: { ...options().rules, ...DELAYED } });
        const events = steps.flatMap((step) => runCondition(venue, step, 13_000));
        expectSound(venue);
        for (const id of [ALICE, BOB]) {
          const fills = fillsOf(events, id);
          const shown = venue.account(id)!;
          expect(shown.uncollected).toBe(costsOf(fills));
          expect(shown.dayProfit).toBe(worthOf(venue, fills));
        }
        // Between themselves the accounts win what they lose.
        expect(venue.account(ALICE)!.dayProfit + venue.account(BOB)!.dayProfit).toBe(0);
      }),
    );
  });

  it('of what was closed today adds up: profit with what is open, costs with the overview', () => {
    fc.assert(
      fc.property(fc.array(conditionStepOf(MINUTE), { maxLength: 80, size: 'max' }), (steps) => {
        const venue = openVenue();
        for (const step of steps) runCondition(venue, step, 13_000);
        for (const id of [ALICE, BOB]) {
          const rows = venue.closedPositions(id);
          for (const row of rows) {
            const sign = row.side === 'buy' ? 1 : -1;
            expect(row.closedProfit).toBe(sign * (row.closeValue - row.openValue) + 0);
            expect(row.totalQty).toBeGreaterThanOrEqual(row.closedQty);
          }
          const closed = rows.reduce((sum, row) => sum + row.closedProfit, 0);
          const open = venue.positions(id).reduce((sum, row) => sum + row.openProfit, 0);
          expect(closed + open).toBe(venue.account(id)!.dayProfit);
          expect(rows.reduce((sum, row) => sum + row.fee + row.tax, 0)).toBeLessThanOrEqual(
            venue.account(id)!.uncollected,
          );
        }
      }),
    );
  });

  it('is conserved over nights, expiries, rolls and a broker without patience: profits, fees and tax sum to nothing', () => {
    // Alice and Bob have little cash, Carol makes prices far away: somebody is always in trouble.
    const cash = 60_000_000;
    const accounts = [ALICE, BOB, CAROL].map((id) => ({
      accountId: id,
      subAccountId: `${id}A`,
      cash: id === CAROL ? 10_000 * cash : cash,
    }));
    const step = fc.oneof(
      { weight: 30, arbitrary: conditionStepOf(60 * MINUTE) },
      { weight: 8, arbitrary: meeting },
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('jump' as const), by: fc.integer({ min: -800, max: 800 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('cash' as const),
          amount: fc.integer({ min: -2e7, max: 2e7 }),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'roll' as const }) },
    );
    // A broker without patience: closes are frequent.
    const rules = { ...options().rules, warnBps: 8_200, forceBps: 8_400 };
    fc.assert(
      fc.property(
        fc.constantFrom(HNX, ALWAYS_OPEN),
        fc.array(step, {
          minLength: 20,
          maxLength: 120,
          size: 'max',
        }),
        (calendar, steps) => {
          const venue = openVenue({ calendar, accounts, startUs: at('2026-03-16', 10), rules });
          const total = (): number =>
            accounts.reduce((sum, { accountId: id }) => sum + venue.account(id)!.cash, 0);
          const before = total();
          const moves = { daily_profit: 0, final_settlement: 0, fee: 0, tax: 0, deposit: 0, withdrawal: 0 };
          let contracts = 0;
          const count = (events: readonly VenueEvent[]): void => {
            for (const event of events) {
              if (event.kind === 'cash') moves[event.reason] += event.amount;
              if (event.kind === 'fill') contracts += event.qty;
            }
          };
          for (const each of steps) {
            for (const events of troubled(venue, each)) count(events);
            expectSound(venue);
          }
          count(venue.advance(tsUs(Math.max(venue.nowUs, at('2026-05-04', 9)))));
          // Every contract that changed hands in profit did so in loss.
          expect(moves.daily_profit + moves.final_settlement).toBe(0);
          expect(moves.fee + 5_250 * contracts).toBe(0);
          const { deposit, withdrawal, fee, tax } = moves;
          expect(total()).toBe(before + deposit + withdrawal + fee + tax);
        },
      ),
      { numRuns: 60 },
    );
  });
});
