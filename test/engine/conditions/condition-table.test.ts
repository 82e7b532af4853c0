/** The life of an order that waits at the broker, as its table says it. */
import { describe, expect, it } from 'vitest';
import { type OrderStatus, TERMINAL_STATUSES } from '../../../src/domain/order.ts';
import {
  CONDITION_EVENTS,
  CONDITION_TABLE,
  type ConditionEvent,
} from '../../../src/engine/conditions/condition-table.ts';
import { transition } from '../../../src/engine/orders/order-table.ts';

const after = (status: OrderStatus, ...events: readonly ConditionEvent[]): string => {
  let at: OrderStatus = status;
  for (const event of events) {
    const step = transition(CONDITION_TABLE, at, event, 'pending_trigger');
    if (step.isFault) return `fault at ${event}`;
    at = step.to;
  }
  return at;
};

describe('a life', () => {
  it.each<readonly [string, readonly ConditionEvent[], string]>([
    [
      'accepted, seen, triggered',
      ['place_accepted', 'seen_waiting', 'seen_triggering', 'triggered'],
      'triggered',
    ],
    ['unknown, then found', ['place_unknown', 'seen_waiting'], 'pending_trigger'],
    ['unknown, absent, resolved', ['place_unknown', 'absent', 'resolved_absent'], 'not_sent'],
    ['absent, then there all the same', ['place_unknown', 'absent', 'seen_waiting'], 'pending_trigger'],
    ['triggered before its answer came', ['seen_triggering', 'place_accepted', 'triggered'], 'triggered'],
    ['cancelled', ['place_accepted', 'cancel_sent', 'cancel_accepted', 'seen_canceled'], 'canceled'],
    [
      'a cancel that came too late',
      ['place_accepted', 'cancel_sent', 'seen_triggering', 'cancel_rejected', 'triggered'],
      'triggered',
    ],
    ['a cancel that was refused', ['place_accepted', 'cancel_sent', 'cancel_rejected'], 'pending_trigger'],
    [
      'a move, confirmed',
      ['place_accepted', 'modify_sent', 'modify_accepted', 'modify_confirmed'],
      'pending_trigger',
    ],
    ['a trigger after its cancel was seen', ['place_accepted', 'seen_canceled', 'triggered'], 'triggered'],
    ['refused when it triggered', ['place_accepted', 'seen_refused'], 'rejected'],
    ['not in the book of the next day', ['place_accepted', 'seen_gone'], 'expired'],
    ['the day ends while it waits', ['place_accepted', 'day_ended_unproven'], 'pending_trigger'],
    [
      'the day ends while its order is missing',
      ['seen_triggering', 'day_ended_unproven'],
      'expired_unproven',
    ],
  ])('%s', (_, events, end) => {
    expect(after('submitting', ...events)).toBe(end);
  });
});

it('no row leads to a status of the other book', () => {
  const ofTheOther: readonly string[] = ['accepted', 'partially_filled', 'filled', 'submitting', 'denied'];
  for (const [status, row] of Object.entries(CONDITION_TABLE))
    for (const cell of Object.values(row))
      expect(ofTheOther, status).not.toContain(typeof cell === 'string' ? cell : cell[0]);
});

it('what is over comes back only with a reason', () => {
  for (const status of TERMINAL_STATUSES)
    for (const event of CONDITION_EVENTS) {
      const step = transition(CONDITION_TABLE, status, event, 'pending_trigger');
      if (step.isFault || step.to === status || TERMINAL_STATUSES.has(step.to)) continue;
      expect(step.oddity, `${status} ${event}`).not.toBeNull();
    }
});
