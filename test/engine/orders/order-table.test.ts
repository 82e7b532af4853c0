import { describe, expect, it } from 'vitest';
import {
  ORDER_EVENTS,
  ORDER_TABLE,
  type OrderEvent,
  transition,
} from '../../../src/engine/orders/order-table.ts';
import { type OrderStatus, TERMINAL_STATUSES } from '../../../src/domain/order.ts';

/**
 * The whole table, spelled out a second time. `=` stays, `<` goes back to the status before the call, `!` marks what is
 * told as odd, a blank is a fault. Columns are short names of the statuses, rows are events.
 */
const COLUMNS =
  'submitting unknown presumed accepted partial modify cancel denied not_sent rejected filled canceled expired unproven';
const NAMES: Readonly<Record<string, OrderStatus>> = {
  presumed: 'presumed_absent',
  partial: 'partially_filled',
  modify: 'pending_modify',
  cancel: 'pending_cancel',
  unproven: 'expired_unproven',
};
const TABLE = `
place_accepted     | accepted  accepted  accepted  =         =         =         =         . !accepted !accepted =         =         =         =
place_rejected     | rejected  rejected  rejected  !=        !=        !=        !=        . .         =         !=        !=        !=        !=
place_unknown      | unknown   =         =         =         =         =         =         . .         .         =         =         =         =
place_not_sent     | not_sent  not_sent  not_sent  !=        !=        !=        !=        . =         .         !=        !=        !=        !=
modify_sent        | .         .         .         modify    modify    !=        !=        . .         .         .         .         .         .
modify_accepted    | .         .         .         =         =         =         =         . .         .         =         =         =         =
modify_rejected    | .         .         .         =         =         <         =         . .         .         =         =         =         =
modify_unknown     | .         .         .         =         =         =         =         . .         .         =         =         =         =
modify_not_sent    | .         .         .         =         =         <         =         . .         .         =         =         =         =
modify_confirmed   | =         =         =         =         =         <         =         . =         =         =         =         =         =
modify_lost        | .         .         .         .         .         !<        =         . .         .         .         .         .         .
cancel_sent        | .         .         .         cancel    cancel    cancel    !=        . .         .         .         .         .         .
cancel_accepted    | .         .         .         =         =         =         =         . .         .         !=        =         =         =
cancel_rejected    | .         .         .         =         =         =         <         . .         .         =         =         =         =
cancel_unknown     | .         .         .         =         =         =         =         . .         .         =         =         =         =
cancel_not_sent    | .         .         .         =         =         =         <         . .         .         =         =         =         =
cancel_lost        | .         .         .         .         .         .         !<        . .         .         .         .         .         .
seen_working       | accepted  accepted  accepted  =         =         =         =         . !accepted !accepted !=        !accepted =         !accepted
seen_canceled      | canceled  canceled  canceled  canceled  canceled  canceled  canceled  . !canceled =         =         =         =         =
part_filled        | partial   partial   partial   partial   partial   =         =         . !partial  !partial  .         !=        !=        !partial
filled             | filled    filled    filled    filled    filled    filled    filled    . !filled   !filled   =         !filled   !filled   !filled
absent             | .         presumed  =         .         .         .         .         . .         .         .         .         .         .
resolved_absent    | .         not_sent  not_sent  .         .         .         .         . .         .         .         .         .         =
resolved_live      | .         accepted  accepted  .         .         .         .         . .         .         .         .         .         .
day_ended          | unproven  unproven  unproven  expired   expired   expired   expired   . .         =         =         =         =         =
day_ended_unproven | unproven  unproven  unproven  unproven  unproven  unproven  unproven  . .         =         =         =         =         =
`;

const BEFORE: OrderStatus = 'partially_filled';

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

describe('the life of an order', () => {
  it('is written out for every event and status', () => {
    expect(new Set(rows.map(({ event }) => event))).toEqual(new Set(ORDER_EVENTS));
    expect(rows).toHaveLength(ORDER_EVENTS.length * statuses.length);
  });

  it.each(rows)('$status + $event: $cell', ({ status, event, cell }) => {
    const result = transition(ORDER_TABLE, status, event, BEFORE);
    const target = cell.replace('!', '');
    const to = target === '=' ? status : target === '<' ? BEFORE : (NAMES[target] ?? target);
    const told = result.isFault ? null : { to: result.to, isOdd: result.oddity !== null };
    expect(told).toEqual(cell === '.' ? null : { to, isOdd: cell.startsWith('!') });
  });

  it('leaves a final status only by what the book shows, or a late acceptance, and tells it', () => {
    const finals = rows.filter(({ status }) => TERMINAL_STATUSES.has(status));
    const moves = finals.filter(({ cell }) => cell !== '.' && cell !== '=' && cell !== '!=');
    expect(moves.length).toBeGreaterThan(0);
    for (const { event, cell } of moves) {
      expect(['place_accepted', 'seen_working', 'seen_canceled', 'part_filled', 'filled']).toContain(event);
      expect(cell.startsWith('!'), `${event} is told`).toBe(true);
    }
  });
});
