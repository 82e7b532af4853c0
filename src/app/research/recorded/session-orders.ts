/** What became of the orders of one run, read from its journal: the same reader for a paper session and for a backtest of it. */
import type { Latency } from '../../../backtest/run/latency.ts';
import type { Side } from '../../../domain/order.ts';
import { durationUs } from '../../../domain/units.ts';
import type { JournalEntry } from '../../../engine/ports/journal-entry.ts';
import type { JournaledInput } from '../../../journal/compact-input.ts';

export interface OrderFact {
  readonly id: string;
  /** Id in the configuration; `house` for what belongs to no strategy. */
  readonly strategy: string;
  readonly contract: string;
  readonly side: Side;
  readonly qty: number;
  readonly limitPrice: number;
  readonly decidedUs: number;
  filledQty: number;
  filledValue: number;
}

export interface NamedEntry {
  readonly entry: JournalEntry;
  readonly strategyName: string | null;
}

export class OrderFacts {
  readonly orders: OrderFact[] = [];
  readonly #byId = new Map<string, OrderFact>();

  of(id: string): OrderFact | undefined {
    return this.#byId.get(id);
  }

  add({ entry, strategyName }: NamedEntry): void {
    if (entry.kind === 'place') this.#place(entry, strategyName ?? 'system');
    if (entry.kind !== 'fill') return;
    const order = this.#byId.get(entry.clientOrderId);
    if (order === undefined) return;
    order.filledQty += entry.qty;
    order.filledValue += entry.value;
  }

  #place({ order, tsUs }: Extract<JournalEntry, { kind: 'place' }>, strategy: string): void {
    const { clientOrderId: id, orderCode: contract, side, qty, limitPrice } = order;
    const fact: OrderFact = {
      id,
      strategy,
      contract,
      side,
      qty,
      limitPrice,
      decidedUs: tsUs,
      filledQty: 0,
      filledValue: 0,
    };
    this.orders.push(fact);
    this.#byId.set(id, fact);
  }
}

/** The calls of a recorded session with the moments between which each reached the broker. */

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

/** How long the calls and reports of a recorded session took, in market time. */

export interface MeasuredLatencies {
  /** From sending to answer, one a call, in the order of the calls. */
  readonly calls: readonly number[];
  /** From the answer to the news of the fill, of the orders that were filled soonest; sorted. */
  readonly reports: readonly number[];
}

export function measureLatencies(
  entries: readonly NamedEntry[],
  calls: readonly SessionCall[],
  orders: OrderFacts,
): MeasuredLatencies {
  const answered = new Map(
    calls.filter(({ does }) => does === 'place').map(({ order, answeredUs }) => [order, answeredUs]),
  );
  const reports: number[] = [];
  for (const { entry } of entries) {
    if (entry.kind !== 'fill') continue;
    const order = orders.of(entry.clientOrderId);
    const answeredUs = order === undefined ? undefined : answered.get(order);
    if (order === undefined || answeredUs === undefined) continue;
    answered.delete(order); // the first fill of each
    reports.push(Math.max(0, entry.tsUs - answeredUs));
  }
  return { calls: calls.map(({ sentUs, answeredUs }) => answeredUs - sentUs), reports: soonest(reports) };
}

/** The sooner half: what came later waited in the book, nobody knows how long of it for the report. */
const soonest = (spans: readonly number[]): readonly number[] =>
  spans.toSorted((a, b) => a - b).slice(0, Math.ceil(spans.length / 2));

export function measuredLatency(spans: readonly number[]): Latency {
  if (spans.length === 0) return { kind: 'constant', span: durationUs(0) };
  return { kind: 'measured', spans: spans.map(durationUs), source: 'this session' };
}

/** Milliseconds. */
export function medianMs(spans: readonly number[]): number {
  const middle = spans.toSorted((a, b) => a - b)[Math.floor(spans.length / 2)] ?? 0;
  return Math.round(middle / 100) / 10;
}
