/**
 * The life of an order as one table: status x event -> status. A row that should not happen carries its reason, which is
 * alerted; a pair that is not in the table is a fault: the status stays, and a person hears of it. Orders that wait at the
 * broker have a table of their own (`conditions/condition-table.ts`).
 */
import type { OrderStatus } from '../../domain/order.ts';

export const ORDER_EVENTS = [
  'place_accepted',
  'place_rejected',
  'place_unknown',
  'place_not_sent',
  'modify_sent',
  'modify_accepted',
  'modify_rejected',
  'modify_unknown',
  'modify_not_sent',
  'modify_confirmed',
  'modify_lost',
  'cancel_sent',
  'cancel_accepted',
  'cancel_rejected',
  'cancel_unknown',
  'cancel_not_sent',
  'cancel_lost',
  'seen_working',
  'seen_canceled',
  'part_filled',
  'filled',
  'absent',
  'resolved_absent',
  'resolved_live',
  'day_ended',
  'day_ended_unproven',
] as const;

export type OrderEvent = (typeof ORDER_EVENTS)[number];

/** `=` keeps the status; `<` goes back to the one before the call that failed. */
type Target = OrderStatus | '=' | '<';
/** With a reason: it happens, and it is told. */
type Cell = Target | readonly [Target, string];
export type LifeRow<Event extends string> = Partial<Record<Event, Cell>>;
export type LifeTable<Event extends string> = Readonly<Record<OrderStatus, LifeRow<Event>>>;
type Row = LifeRow<OrderEvent>;

/** Answers that come when the book has already told more; what the book showed stands. */
export const LATE_ANSWERS = {
  place_accepted: '=',
  place_unknown: '=',
  place_rejected: ['=', 'refused by the answer, yet the book shows it'],
  place_not_sent: ['=', 'not sent, yet the book shows it'],
  modify_accepted: '=',
  modify_rejected: '=',
  modify_unknown: '=',
  modify_not_sent: '=',
  cancel_accepted: '=',
  cancel_rejected: '=',
  cancel_unknown: '=',
  cancel_not_sent: '=',
} as const satisfies Row;

/** What the book may show of an order whose place had no answer that can be trusted. */
const FOUND: Row = {
  place_accepted: 'accepted',
  place_rejected: 'rejected',
  place_not_sent: 'not_sent',
  modify_confirmed: '=', // found with other terms than we sent
  seen_working: 'accepted',
  seen_canceled: 'canceled',
  part_filled: 'partially_filled',
  filled: 'filled',
  day_ended: 'expired_unproven',
  day_ended_unproven: 'expired_unproven',
};

const WORKING: Row = {
  ...LATE_ANSWERS,
  modify_sent: 'pending_modify',
  modify_confirmed: '=', // somebody else changed it, or a change we held for lost
  cancel_sent: 'pending_cancel',
  seen_working: '=',
  seen_canceled: 'canceled', // by somebody else, by the broker, or by the kill path
  part_filled: 'partially_filled',
  filled: 'filled',
  day_ended: 'expired',
  day_ended_unproven: 'expired_unproven',
};

/** Nothing reached the broker, as far as we were told; what the book shows is real all the same (failure cases, 3). */
const GIVEN_UP: Row = {
  place_accepted: ['accepted', 'accepted after it was given up'],
  modify_confirmed: '=',
  seen_working: ['accepted', 'working after it was given up'],
  part_filled: ['partially_filled', 'filled after it was given up'],
  filled: ['filled', 'filled after it was given up'],
};

const FINAL: Row = {
  ...LATE_ANSWERS,
  modify_confirmed: '=',
  seen_canceled: '=',
  day_ended: '=',
  day_ended_unproven: '=',
};

export const ORDER_TABLE: LifeTable<OrderEvent> = {
  submitting: { ...FOUND, place_unknown: 'unknown' },
  unknown: {
    ...FOUND,
    place_unknown: '=',
    absent: 'presumed_absent',
    resolved_absent: 'not_sent',
    resolved_live: 'accepted',
  },
  presumed_absent: {
    ...FOUND,
    place_unknown: '=',
    absent: '=',
    resolved_absent: 'not_sent',
    resolved_live: 'accepted',
  },
  accepted: WORKING,
  partially_filled: WORKING,
  pending_modify: {
    ...WORKING,
    modify_sent: ['=', 'changed while a change was open'],
    modify_rejected: '<',
    modify_not_sent: '<',
    modify_confirmed: '<',
    modify_lost: ['<', 'the book shows no trace of the change'],
    part_filled: '=', // PC can end resting or matched
  },
  pending_cancel: {
    ...WORKING,
    modify_sent: ['=', 'changed while a cancel was open'],
    modify_lost: '=',
    cancel_sent: ['=', 'cancelled while a cancel was open'],
    cancel_rejected: '<',
    cancel_not_sent: '<',
    cancel_lost: ['<', 'the book shows no trace of the cancel'],
    part_filled: '=', // PW can end as PM: filled first
  },
  denied: {}, // never left the house
  // Only orders in the conditional book get so far.
  pending_trigger: {},
  triggering: {},
  triggered: {},
  not_sent: {
    ...GIVEN_UP,
    place_not_sent: '=',
    seen_canceled: ['canceled', 'in the book after it was given up'],
  },
  rejected: { ...GIVEN_UP, place_rejected: '=', seen_canceled: '=', day_ended: '=', day_ended_unproven: '=' },
  filled: {
    ...FINAL,
    filled: '=',
    cancel_accepted: ['=', 'cancel confirmed for an order that is filled'],
    seen_working: ['=', 'shown as working after it was filled'],
  },
  canceled: {
    ...FINAL,
    seen_working: ['accepted', 'shown as working after it was cancelled'],
    part_filled: ['=', 'a fill crossed our cancel on the wire'],
    filled: ['filled', 'a fill crossed our cancel on the wire'],
  },
  expired: {
    ...FINAL,
    seen_working: '=', // letters of the last phase stay in the book after the close
    part_filled: ['=', 'filled after the day ended'],
    filled: ['filled', 'filled after the day ended'],
  },
  expired_unproven: {
    ...FINAL,
    resolved_absent: '=',
    seen_working: ['accepted', 'turned up after the day ended'],
    part_filled: ['partially_filled', 'turned up after the day ended'],
    filled: ['filled', 'turned up after the day ended'],
  },
};

export type Transition =
  | { readonly isFault: false; readonly to: OrderStatus; readonly oddity: string | null }
  | { readonly isFault: true };

/** `before` is the status that `<` leads back to. */
export function transition<Event extends string>(
  table: LifeTable<Event>,
  status: OrderStatus,
  event: Event,
  before: OrderStatus,
): Transition {
  const cell: Cell | undefined = table[status][event];
  if (cell === undefined) return { isFault: true };
  const target = typeof cell === 'string' ? cell : cell[0];
  const oddity = typeof cell === 'string' ? null : cell[1];
  const to = target === '=' ? status : target === '<' ? before : target;
  return { isFault: false, to, oddity };
}
