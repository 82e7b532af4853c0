/**
 * Entries of older formats in today's words, so that listings, sums and the next session read them all alike. Decisions are not
 * replayed from them.
 */
import type { EntryKind } from '../engine/ports/journal-entry.ts';

type Body = Readonly<Record<string, unknown>>;
type Row = Body & { readonly kind: string };

/** Older names of today's kinds: a query for one asks for the other too. */
export const OLDER_KINDS: ReadonlyMap<EntryKind, string> = new Map([
  ['order_waiting', 'condition_known'],
  ['halt', 'latch'],
]);

export function inTodaysWords(format: number, kind: string, body: Body): Row {
  const row = format === 1 ? fromFirstFormat(kind, body) : { ...body, kind };
  return kind === 'place' ? { ...row, order: shrinking(asBody(row['order'])) } : row;
}

/** Older placements tell that they shrink a position by their purpose alone. */
const shrinking = (order: Body): Body => ({ shrinks: order['purpose'] === 'reduce', ...order });

/** The first format knew two kinds of orders: limit orders, and those that wait, as conditions. */
function fromFirstFormat(kind: string, body: Body): Row {
  switch (kind) {
    case 'condition_known':
      return { ...body, kind: 'order_waiting' };
    case 'latch': {
      const { latched, ...halt } = body;
      return { ...halt, kind: 'halt', halted: latched };
    }
    case 'position_event':
      return { ...body, kind, event: body['event'] === 'carried' ? 'carried_over' : body['event'] };
    case 'proposal':
      return { ...body, kind, by: body['by'] === 'desk' ? 'strategy' : 'system' };
    case 'order_status':
      return { ...body, kind, from: statusOf(body['from']), to: statusOf(body['to']) };
    case 'place': {
      const { condition = null, ...order } = asBody(body['order']);
      return { ...body, kind, order: { ...order, trigger: condition } };
    }
    case 'modify':
      return { ...body, kind, modify: { orderKey: null, triggerPrice: null, ...asBody(body['modify']) } };
    case 'cancel':
      return { ...body, kind, cancel: { orderKey: null, ...asBody(body['cancel']) } };
    case 'denied': {
      const denial = asBody(body['denial']);
      return denial['code'] === 'conditions_unread'
        ? { ...body, kind, denial: { ...denial, code: 'triggers_unread' } }
        : { ...body, kind };
    }
    default:
      return { ...body, kind };
  }
}

const statusOf = (status: unknown): unknown => (status === 'submitting' ? 'submitted' : status);

function asBody(value: unknown): Body {
  if (typeof value !== 'object' || value === null)
    throw new Error('journal: expected an object in the body of an entry');
  return { ...value };
}
