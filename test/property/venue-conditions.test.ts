import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PriceTicks } from '../../src/domain/units.ts';
import { Venue } from '../../src/venue/venue.ts';
import type { TriggerReport } from '../../src/venue/venue-event.ts';
import {
  ALICE,
  AT_ONCE,
  BOB,
  DELAYED,
  FRONT,
  NEXT,
  openVenue,
  options,
  print,
} from '../venue/venue-fixture.ts';
import { conditionStepOf, type ConditionStep, runCondition } from './condition-flow.ts';
import { NaiveConditions, type NaiveLeg, type NaiveRow, triggerOf } from './naive-triggers.ts';

const CENTER = 13_000;

/** What both must agree on. */
const shown = ({ kind, half, side, qty, status, sentQty, triggerPrice }: TriggerReport) => ({
  kind,
  half,
  side,
  qty,
  status,
  sentQty,
  triggerPrice,
});
const expected = (row: NaiveRow) => ({
  kind: row.kind,
  half: row.half,
  side: row.side,
  qty: row.qty,
  status: row.status,
  sentQty: row.sent,
  triggerPrice: triggerOf(row),
});

/** Books and averages are streamed again after a restart. */
const eventsOf = (venue: Venue, step: ConditionStep) =>
  runCondition(venue, step, CENTER).filter(({ kind }) => kind !== 'book' && kind !== 'summary');

const isQueued = ({ order }: NaiveLeg) => order.status === 'queued' && order.filledQty === 0;

/** Tells the naive book of a command the venue accepted. */
function command(naive: NaiveConditions, step: ConditionStep): void {
  switch (step.kind) {
    case 'stop':
    case 'trail': {
      const { account, code, side, qty } = step;
      const head = { account, code, side, qty };
      if (step.kind === 'stop')
        naive.add({ ...head, kind: 'stop', when: step.when, price: CENTER + step.trigger });
      else naive.add({ ...head, kind: 'trailing_stop', offset: step.step, price: CENTER + step.activation });
      return;
    }
    case 'move':
    case 'drop': {
      const rows = naive.of(step.account);
      const row = rows[step.pick % Math.max(1, rows.length)];
      if (row === undefined || row.status !== 'pending') return;
      if (step.kind === 'drop') row.status = 'canceled';
      else if (row.kind !== 'trailing_stop' || triggerOf(row) === null) {
        row.price = CENTER + step.offset;
        row.seen = [];
      }
      return;
    }
    case 'wait':
    case 'place':
    case 'bracket':
    case 'spread':
    case 'change':
    case 'cancel':
  }
}

describe('conditional orders', () => {
  it.each([
    ['at once', AT_ONCE],
    ['through the gateway', DELAYED],
  ])('do what a walk over all trades says, %s', (_name, delay) => {
    fc.assert(
      fc.property(fc.array(conditionStepOf(100_000), { maxLength: 90, size: 'max' }), (steps) => {
        const venue = openVenue({ rules: { ...options().rules, ...delay } });
        const naive = new NaiveConditions();
        for (const step of steps) {
          command(naive, step);
          naive.hear(runCondition(venue, step, CENTER));
          for (const id of [ALICE, BOB]) {
            expect(venue.triggers(id).map(shown)).toEqual(naive.of(id).map(expected));
          }
          const legs = [...naive.legs.values()].filter(({ order }) => order.canceledUs === null);
          const early = legs.filter((leg) => !leg.isSent && !isQueued(leg));
          const late = legs.filter((leg) => leg.isSent && delay === AT_ONCE && isQueued(leg));
          expect([early, late]).toEqual([[], []]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('send what they say they sent, once, and show it as theirs', () => {
    fc.assert(
      fc.property(fc.array(conditionStepOf(100_000), { maxLength: 90, size: 'max' }), (steps) => {
        const venue = openVenue({ rules: { ...options().rules, ...DELAYED } });
        for (const step of steps) runCondition(venue, step, CENTER);
        for (const id of [ALICE, BOB]) {
          const orders = new Map(venue.orders(id).map((order) => [order.orderNo, order]));
          const claimed = venue.triggers(id).flatMap(({ children }) => children);
          expect(new Set(claimed).size).toBe(claimed.length);
          for (const row of venue.triggers(id)) {
            const children = row.children.map((orderNo) => orders.get(orderNo)!);
            expect(children.every(({ origin, source }) => origin === row.kind && source === 'system')).toBe(
              true,
            );
            expect(row.sentQty).toBeLessThanOrEqual(row.qty);
            expect(row.children.length > 0).toBe(row.sentQty > 0);
          }
          const ownless = [...orders.values()].filter(({ source }) => source === 'system');
          expect(ownless.map(({ orderNo }) => orderNo).toSorted()).toEqual([...claimed].toSorted());
        }
      }),
    );
  });

  it('go on after a restart as if nothing had happened', () => {
    const steps = fc.array(conditionStepOf(200_000), { maxLength: 50, size: 'max' });
    fc.assert(
      fc.property(
        steps,
        steps,
        fc.constantFrom('day' as const, 'contract' as const),
        (before, after, triggerLife) => {
          const settings = { rules: { ...options().rules, ...DELAYED, triggerLife } };
          const venue = openVenue(settings);
          for (const step of before) runCondition(venue, step, CENTER);
          const state = JSON.parse(JSON.stringify(venue.exportState()));
          const again = new Venue(options({ ...settings, startUs: venue.nowUs }), state);
          again.startEvents();
          expect(again.exportState()).toEqual(state);
          for (const step of after) expect(eventsOf(again, step)).toEqual(eventsOf(venue, step));
          expect(again.exportState()).toEqual(venue.exportState());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('take or refuse whatever numbers come in, and fall over nothing', () => {
    const odd = fc.oneof(
      fc.double(),
      fc.maxSafeInteger(),
      fc.integer({ min: 12_000, max: 14_000 }),
      fc.constantFrom(NaN, -0, 13_000),
    );
    const price = odd.map((value) => value as PriceTicks);
    const head = {
      orderCode: fc.constantFrom(FRONT, NEXT),
      side: fc.constantFrom('buy' as const, 'sell' as const),
    };
    const numbers = fc.record({ ...head, qty: fc.oneof(odd, fc.constant(1)), a: price, b: price, c: odd });
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 20, size: 'max' }), (calls) => {
        const venue = openVenue();
        for (const { a, b, c, ...call } of calls) {
          const command = { ...call, accountId: ALICE, limitPrice: a, refId: null };
          const triggerWhen = 'at_or_above' as const;
          const outcomes = [
            venue.placeTrigger({ kind: 'stop', ...command, triggerPrice: b, triggerWhen }),
            venue.placeTrigger({ kind: 'trailing_stop', ...command, activationPrice: b, offset: c }),
            venue.place({ ...command, bracket: { is: 'prices', stopLoss: b, takeProfit: c } }),
            venue.deposit(ALICE, c),
            venue.withdraw(ALICE, c),
            venue.injectPosition(ALICE, FRONT, c),
          ];
          for (const { status } of outcomes) expect(['accepted', 'refused']).toContain(status);
          for (const { orderKey } of venue.triggers(ALICE)) {
            venue.changeTrigger({ accountId: ALICE, orderKey, triggerPrice: b });
          }
          print(venue, 13_000);
        }
        for (const row of venue.triggers(ALICE)) expect(Number.isSafeInteger(row.qty)).toBe(true);
        expect(Number.isSafeInteger(venue.account(ALICE)!.netAssetValue)).toBe(true);
      }),
    );
  });
});
