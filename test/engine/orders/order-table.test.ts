import { describe, expect, it } from 'vitest';
import {
  EXCHANGE_EVENTS,
  ORDER_EVENTS,
  type OrderEvent,
  transition,
  TRIGGER_EVENTS,
} from '../../../src/engine/orders/order-life.ts';
import type { OrderStatus } from '../../../src/domain/order.ts';

/**
 * The whole table, spelled out a second time. `=` stays, `<` goes back to the status before the call, `live` is what an accepted
 * order is, `!` marks what is reported as odd, a `.` is a fault. Columns are short names of the statuses, rows are events.
 */
const COLUMNS =
  'submitted unknown presumed accepted partial modify cancel denied not_sent rejected filled canceled expired unproven waiting triggering triggered';
const NAMES: Readonly<Record<string, OrderStatus>> = {
  presumed: 'presumed_absent',
  partial: 'partially_filled',
  modify: 'pending_modify',
  cancel: 'pending_cancel',
  unproven: 'expired_unproven',
  waiting: 'pending_trigger',
};
const TABLE = `
place_accepted     | live       live       live       =        =        =          =          . !live       !live       =  =           =           =           =          =         =
place_rejected     | rejected   rejected   rejected   !=       !=       !=         !=         . .           =           != !=          !=          !=          !=         !=        !=
place_unknown      | unknown    =          =          =        =        =          =          . .           .           =  =           =           =           =          =         =
place_not_sent     | not_sent   not_sent   not_sent   !=       !=       !=         !=         . =           .           != !=          !=          !=          !=         !=        !=
modify_sent        | .          .          .          modify   modify   !=         !=         . .           .           .  .           .           .           modify     .         .
modify_accepted    | .          .          .          =        =        =          =          . .           .           =  =           =           =           =          =         =
modify_rejected    | .          .          .          =        =        <          =          . .           .           =  =           =           =           =          =         =
modify_unknown     | .          .          .          =        =        =          =          . .           .           =  =           =           =           =          =         =
modify_not_sent    | .          .          .          =        =        <          =          . .           .           =  =           =           =           =          =         =
modify_confirmed   | =          =          =          =        =        <          =          . =           =           =  =           =           =           =          =         =
modify_lost        | .          .          .          .        .        !<         =          . .           .           .  .           .           .           .          =         .
cancel_sent        | .          .          .          cancel   cancel   cancel     !=         . .           .           .  .           .           .           cancel     .         .
cancel_accepted    | .          .          .          =        =        =          =          . .           .           != =           =           =           =          =         !=
cancel_rejected    | .          .          .          =        =        =          <          . .           .           =  =           =           =           =          =         =
cancel_unknown     | .          .          .          =        =        =          =          . .           .           =  =           =           =           =          =         =
cancel_not_sent    | .          .          .          =        =        =          <          . .           .           =  =           =           =           =          =         =
cancel_lost        | .          .          .          .        .        .          !<         . .           .           .  .           .           .           .          =         .
seen_working       | accepted   accepted   accepted   =        =        =          =          . !accepted   !accepted   != !accepted   =           !accepted   .          .         .
seen_waiting       | waiting    waiting    waiting    .        .        =          =          . !waiting    !waiting    .  !waiting    !waiting    !waiting    =          !=        !waiting
seen_triggering    | triggering triggering triggering .        .        triggering triggering . !triggering !triggering .  !triggering !triggering !triggering triggering =         =
seen_refused       | rejected   rejected   rejected   .        .        rejected   rejected   . .           =           .  =           =           =           rejected   rejected  =
seen_gone          | .          .          .          .        .        expired    expired    . .           .           .  =           =           =           expired    =         =
seen_canceled      | canceled   canceled   canceled   canceled canceled canceled   canceled   . !canceled   =           =  =           =           =           canceled   !=        =
triggered          | triggered  triggered  triggered  .        .        triggered  triggered  . !triggered  !triggered  .  !triggered  !triggered  !triggered  triggered  triggered =
part_filled        | partial    partial    partial    partial  partial  =          =          . !partial    !partial    .  !=          !=          !partial    .          .         .
filled             | filled     filled     filled     filled   filled   filled     filled     . !filled     !filled     =  !filled     !filled     !filled     .          .         .
absent             | .          presumed   =          .        .        .          .          . .           .           .  .           .           .           .          .         .
resolved_absent    | .          not_sent   not_sent   canceled canceled canceled   canceled   . .           .           .  .           .           =           canceled   canceled  .
resolved_live      | .          live       live       .        .        .          .          . .           .           .  .           .           .           .          =         .
day_ended          | unproven   unproven   unproven   expired  expired  expired    expired    . .           =           =  =           =           =           .          .         =
day_ended_unproven | unproven   unproven   unproven   unproven unproven unproven   unproven   . .           =           =  =           =           =           .          unproven  =
`;

interface Row {
  readonly status: OrderStatus;
  readonly event: OrderEvent;
  readonly cell: string;
}

const statuses = COLUMNS.split(' ').map((name) => NAMES[name] ?? (name as OrderStatus));
const rows: readonly Row[] = TABLE.trim()
  .split('\n')
  .flatMap((line) => {
    const [event = '', cells = ''] = line.split('|').map((part) => part.trim());
    return cells
      .split(/\s+/)
      .map((cell, column) => ({ event: event as OrderEvent, status: statuses[column]!, cell }));
  });

/** An order at the exchange, and one that waits in the trigger book: each with the events it can meet. */
const BOOKS = [
  { isWaiting: false, live: 'accepted', before: 'partially_filled', foreign: TRIGGER_EVENTS },
  { isWaiting: true, live: 'pending_trigger', before: 'pending_trigger', foreign: EXCHANGE_EVENTS },
] as const;

const step = (status: OrderStatus, event: OrderEvent, isWaiting: boolean) =>
  transition({ status, statusBefore: BOOKS[isWaiting ? 1 : 0].before, isTriggerOrder: isWaiting }, event);

const toOf = (result: NonNullable<ReturnType<typeof step>>): OrderStatus =>
  typeof result === 'string' ? result : result.to;

function outcome(status: OrderStatus, event: OrderEvent, isWaiting: boolean): unknown {
  try {
    const result = step(status, event, isWaiting);
    if (result === null) return null;
    return { to: toOf(result), isOdd: typeof result !== 'string' };
  } catch {
    return 'a bug';
  }
}

describe('the life of an order', () => {
  it('is written out for every event and status', () => {
    expect(new Set(rows.map(({ event }) => event))).toEqual(new Set(ORDER_EVENTS));
    expect(rows).toHaveLength(ORDER_EVENTS.length * statuses.length);
  });

  it.each(rows)('$status + $event: $cell', ({ status, event, cell }) => {
    for (const { isWaiting, live, before, foreign } of BOOKS) {
      const target = cell.replace('!', '');
      const named: Readonly<Record<string, OrderStatus>> = { ...NAMES, '=': status, '<': before, live };
      const to = named[target] ?? target;
      const wanted = cell === '.' ? null : { to, isOdd: cell.startsWith('!') };
      expect(outcome(status, event, isWaiting)).toEqual(foreign.has(event) ? 'a bug' : wanted);
    }
  });
});
