import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderReport, TriggerReport, VenueEvent } from '../../src/venue/venue-event.ts';
import { AT_ONCE, at, DELAYED, HNX, openVenue, options, WEDNESDAY } from '../venue/venue-fixture.ts';
import { ALWAYS_OPEN } from '../venue/venue-fixture.ts';
import { conditionStepOf, runCondition } from './condition-flow.ts';

const MINUTE = 60_000_000;

/** From each status of the broker's table (notes, 3) to those that may follow it; itself always may. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  new: ['queued'],
  // Taken out of the gateway's queue, or refused by the exchange when it arrived.
  queued: ['resting', 'canceled'],
  resting: ['modify_pending', 'cancel_pending', 'matched', 'canceled'],
  modified: ['modify_pending', 'cancel_pending', 'matched', 'canceled'],
  // Confirmed, refused, filled first, overtaken by a cancel, or the day ended.
  modify_pending: [
    'modified',
    'resting',
    'matched',
    'cancel_pending',
    'matched_cancel_pending',
    'canceled',
    'matched_canceled',
  ],
  cancel_pending: ['canceled', 'resting', 'modified', 'matched', 'matched_cancel_pending'],
  matched: ['modify_pending', 'matched_cancel_pending', 'matched_canceled'],
  matched_cancel_pending: ['matched_canceled', 'matched'],
  canceled: [],
  matched_canceled: [],
};
const CONDITION_MOVES: Readonly<Record<string, readonly string[]>> = {
  new: ['pending'],
  pending: ['activated', 'canceled', 'rejected'],
  activated: [],
  canceled: [],
  rejected: [],
};

const isOver = ({ status, filledQty, qty }: OrderReport): boolean =>
  status === 'canceled' || status === 'matched_canceled' || filledQty === qty;

class Watcher {
  readonly #orders = new Map<string, OrderReport>();
  readonly #conditions = new Map<string, TriggerReport>();
  readonly #filled = new Map<string, number>();

  /** What is wrong with the events, in words. */
  faults(events: readonly VenueEvent[]): string[] {
    return events.flatMap((event) => {
      if (event.kind === 'fill')
        this.#filled.set(event.orderKey, (this.#filled.get(event.orderKey) ?? 0) + event.qty);
      if (event.kind === 'order') return this.#orderFaults(event.order);
      return event.kind === 'trigger' ? this.#conditionFaults(event.trigger) : [];
    });
  }

  #orderFaults(order: OrderReport): string[] {
    const before = this.#orders.get(order.orderKey);
    this.#orders.set(order.orderKey, order);
    const from = before?.status ?? 'new';
    const { status, filledQty, qty, canCancel, canModify } = order;
    const facts: Readonly<Record<string, boolean>> = {
      [`${from} -> ${status}`]: from === status || MOVES[from]!.includes(status),
      'moves after its end': before === undefined || !isOver(before),
      'matched more than its volume, or fewer than before':
        filledQty <= qty && filledQty >= (before?.filledQty ?? 0),
      'matched volume is not what was filled': filledQty === (this.#filled.get(order.orderKey) ?? 0),
      'matched and not filled': filledQty > 0 === status.startsWith('matched') || status === 'modify_pending',
      'over, and can be changed': !isOver(order) || (!canCancel && !canModify),
      'canceled and no time of it': (order.canceledUs !== null) === status.endsWith('canceled'),
      'money without a fill': order.filledValue > 0 === filledQty > 0 && order.fee === 5_250 * filledQty,
    };
    return Object.entries(facts).flatMap(([fault, holds]) => (holds ? [] : [`${order.orderNo}: ${fault}`]));
  }

  #conditionFaults(row: TriggerReport): string[] {
    const before = this.#conditions.get(row.orderKey);
    this.#conditions.set(row.orderKey, row);
    const from = before?.status ?? 'new';
    const facts: Readonly<Record<string, boolean>> = {
      [`condition ${from} -> ${row.status}`]:
        from === row.status ? from === 'pending' : CONDITION_MOVES[from]!.includes(row.status),
      'sent more than its volume': row.sentQty <= row.qty,
      'sent and nothing to show': row.sentQty > 0 === row.children.length > 0,
      'over, and can be canceled': row.status === 'pending' || !row.canCancel,
      'rejected without a reason': row.status !== 'rejected' || row.reason !== '',
    };
    return Object.entries(facts).flatMap(([fault, holds]) =>
      holds ? [] : [`condition ${row.orderNo}: ${fault}`],
    );
  }
}

describe('status', () => {
  it.each([
    ['hours of the exchange', HNX, DELAYED],
    ['hours of the exchange, at once', HNX, AT_ONCE],
    ['around the clock', ALWAYS_OPEN, DELAYED],
  ])('moves as the table of the notes allows, whatever is asked for: %s', (_name, calendar, delay) => {
    // Short waits meet commands on their way, long ones the edges of the session.
    const step = fc.oneof(conditionStepOf(60_000), conditionStepOf(40 * MINUTE));
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 100, size: 'max' }),
        fc.constantFrom('refuse' as const, 'replace' as const),
        fc.constantFrom('day' as const, 'contract' as const),
        fc.constantFrom(at(WEDNESDAY, 8, 50), at(WEDNESDAY, 10), at(WEDNESDAY, 14, 25)),
        (steps, changeOfBoth, triggerLife, startUs) => {
          const rules = { ...options().rules, ...delay, changeOfBoth, triggerLife };
          const venue = openVenue({ calendar, startUs, rules });
          const watcher = new Watcher();
          for (const each of steps) expect(watcher.faults(runCondition(venue, each, 13_000))).toEqual([]);
          expect(watcher.faults(venue.advance(at('2026-03-20', 9)))).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
