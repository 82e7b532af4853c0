/**
 * The life of an order in the conditional book, from the wish to the order that it sends: status x event -> status, read
 * like the table of normal orders. A trigger crosses our calls on the wire as a fill does there.
 */
import { LATE_ANSWERS, type LifeRow, type LifeTable } from '../orders/order-table.ts';

export const CONDITION_EVENTS = [
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
  /** The conditional book shows it waiting, activated, canceled, or refused when it triggered. */
  'seen_waiting',
  'seen_triggering',
  'seen_canceled',
  'seen_refused',
  /** Left over from an earlier day, and in no complete walk of today. */
  'seen_gone',
  /** All it was to send is known as orders of their own. */
  'triggered',
  'absent',
  'resolved_absent',
  'resolved_live',
  'day_ended_unproven',
] as const;

export type ConditionEvent = (typeof CONDITION_EVENTS)[number];
type Row = LifeRow<ConditionEvent>;

/** What the book may show of an order whose place had no answer that can be trusted. */
const FOUND: Row = {
  place_accepted: 'pending_trigger',
  place_rejected: 'rejected',
  place_not_sent: 'not_sent',
  modify_confirmed: '=',
  seen_waiting: 'pending_trigger',
  seen_triggering: 'triggering',
  seen_canceled: 'canceled',
  seen_refused: 'rejected',
  triggered: 'triggered',
  day_ended_unproven: 'expired_unproven',
};

const LOST: Row = {
  ...FOUND,
  place_unknown: '=',
  resolved_absent: 'not_sent',
  resolved_live: 'pending_trigger',
};

const IN_BOOK: Row = {
  ...LATE_ANSWERS,
  modify_confirmed: '=',
  seen_waiting: '=',
  seen_triggering: 'triggering',
  seen_canceled: 'canceled', // by somebody else, by the broker, by the kill path, or with its other half
  seen_refused: 'rejected',
  seen_gone: 'expired',
  triggered: 'triggered',
  day_ended_unproven: '=', // it may outlive the day: the book of the next one says so
};

const OVER: Row = {
  ...LATE_ANSWERS,
  modify_confirmed: '=',
  seen_waiting: ['pending_trigger', 'waiting after it was over'],
  seen_triggering: ['triggering', 'triggered after it was over'],
  seen_canceled: '=',
  seen_refused: '=',
  seen_gone: '=',
  triggered: ['triggered', 'triggered after it was over'],
  day_ended_unproven: '=',
};

/** Nothing reached the broker, as far as we were told; what the book shows is real all the same (failure cases, 3). */
const GIVEN_UP: Row = {
  place_accepted: ['pending_trigger', 'accepted after it was given up'],
  modify_confirmed: '=',
  seen_waiting: ['pending_trigger', 'waiting after it was given up'],
  seen_triggering: ['triggering', 'triggered after it was given up'],
  triggered: ['triggered', 'triggered after it was given up'],
  day_ended_unproven: '=',
};

export const CONDITION_TABLE: LifeTable<ConditionEvent> = {
  submitting: { ...FOUND, place_unknown: 'unknown' },
  unknown: { ...LOST, absent: 'presumed_absent' },
  presumed_absent: { ...LOST, absent: '=' },
  pending_trigger: { ...IN_BOOK, modify_sent: 'pending_modify', cancel_sent: 'pending_cancel' },
  pending_modify: {
    ...IN_BOOK,
    modify_sent: ['=', 'changed while a change was open'],
    modify_rejected: '<',
    modify_not_sent: '<',
    modify_confirmed: '<',
    modify_lost: ['<', 'the book shows no trace of the change'],
    cancel_sent: 'pending_cancel',
  },
  pending_cancel: {
    ...IN_BOOK,
    modify_sent: ['=', 'changed while a cancel was open'],
    modify_lost: '=',
    cancel_sent: ['=', 'cancelled while a cancel was open'],
    cancel_rejected: '<',
    cancel_not_sent: '<',
    cancel_lost: ['<', 'the book shows no trace of the cancel'],
  },
  triggering: {
    ...IN_BOOK,
    modify_lost: '=',
    cancel_lost: '=',
    seen_waiting: ['=', 'shown as waiting after it triggered'],
    seen_triggering: '=',
    seen_canceled: ['=', 'cancelled after it triggered'],
    seen_gone: '=', // its order is still to come, and counts until a person resolves it
    resolved_absent: 'canceled',
    resolved_live: '=',
    day_ended_unproven: 'expired_unproven',
  },
  triggered: {
    ...OVER,
    cancel_accepted: ['=', 'cancel confirmed for an order that has triggered'],
    seen_triggering: '=',
    triggered: '=',
  },
  denied: {}, // never left the house
  not_sent: {
    ...GIVEN_UP,
    place_not_sent: '=',
    seen_canceled: ['canceled', 'in the book after it was given up'],
  },
  rejected: { ...GIVEN_UP, place_rejected: '=', seen_canceled: '=', seen_refused: '=' },
  canceled: {
    ...OVER,
    seen_triggering: ['triggering', 'a trigger crossed our cancel on the wire'],
    triggered: ['triggered', 'a trigger crossed our cancel on the wire'],
  },
  expired: OVER,
  expired_unproven: { ...OVER, resolved_absent: '=' },
  // Only normal orders get so far.
  accepted: {},
  partially_filled: {},
  filled: {},
};
