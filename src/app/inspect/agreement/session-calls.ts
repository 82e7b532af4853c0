/** The calls of a recorded session with the moments between which each reached the broker. */
import type { JournaledInput } from '../../../journal/compact-input.ts';
import type { NamedEntry, OrderFact, OrderFacts } from './order-facts.ts';

export interface SessionCall {
  readonly does: 'place' | 'change' | 'cancel';
  readonly order: OrderFact;
  /** Terms of a place or a change. */
  readonly limitPrice: number;
  readonly qty: number;
  readonly sentUs: number;
  /** When its answer came. */
  readonly answeredUs: number;
}

/** What the broker took, in the order of sending. What it refused, or never answered, changed nothing that can be told. */
export function sessionCalls(
  entries: readonly NamedEntry[],
  inputs: Iterable<JournaledInput>,
  orders: OrderFacts,
): readonly SessionCall[] {
  const accepted = new Map<string, number>();
  for (const input of inputs) {
    if (input.kind === 'call_outcome' && input.outcome.status === 'accepted')
      accepted.set(input.callId, input.tsUs);
  }
  return entries.flatMap(({ entry }): SessionCall[] => {
    const asked = askedBy(entry);
    const order = asked === null ? undefined : orders.of(asked.orderId);
    const answeredUs = asked === null ? undefined : accepted.get(asked.callId);
    if (asked === null || order === undefined || answeredUs === undefined) return [];
    const { does, limitPrice, qty } = asked;
    return [{ does, order, limitPrice, qty, sentUs: entry.tsUs, answeredUs }];
  });
}

interface AskedCall extends Pick<SessionCall, 'does' | 'limitPrice' | 'qty'> {
  readonly callId: string;
  readonly orderId: string;
}

function askedBy(entry: NamedEntry['entry']): AskedCall | null {
  const { kind } = entry;
  if (kind === 'place') {
    const { clientOrderId: id, limitPrice, qty } = entry.order;
    return { does: 'place', callId: id, orderId: id, limitPrice, qty };
  }
  if (kind === 'modify') {
    const { callId, clientOrderId: orderId, limitPrice, qty } = entry.modify;
    return { does: 'change', callId, orderId, limitPrice, qty };
  }
  if (kind !== 'cancel') return null;
  const { callId, clientOrderId: orderId } = entry.cancel;
  return { does: 'cancel', callId, orderId, limitPrice: 0, qty: 0 };
}
