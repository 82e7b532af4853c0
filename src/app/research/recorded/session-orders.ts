/** Orders, calls and latencies of one run, read from its journal: a paper session and a backtest of it are read alike. */
import type { Latency } from '../../../backtest/run/latency.ts';
import type { Side } from '../../../domain/order.ts';
import { durationUs } from '../../../domain/units.ts';
import type { JournalEntry } from '../../../engine/ports/journal-entry.ts';
import type { JournaledInput } from '../../../journal/compact-input.ts';

export interface SessionOrder {
  readonly id: string;
  /** Id in the configuration; `system` for an order of no strategy. */
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

export class SessionOrders {
  readonly orders: SessionOrder[] = [];
  readonly #byId = new Map<string, SessionOrder>();

  of(id: string): SessionOrder | undefined {
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
    const placed: SessionOrder = {
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
    this.orders.push(placed);
    this.#byId.set(id, placed);
  }
}

/** A call reached the broker between its sending and its answer. */
export interface SessionCall {
  readonly does: 'place' | 'change' | 'cancel';
  readonly order: SessionOrder;
  /** Terms of a place or a change. */
  readonly limitPrice: number;
  readonly qty: number;
  readonly sentUs: number;
  /** Time of the answer. */
  readonly answeredUs: number;
}

/** Calls that the broker accepted, in the order of sending; refused and unanswered calls are left out. */
export function sessionCalls(
  entries: readonly NamedEntry[],
  inputs: Iterable<JournaledInput>,
  orders: SessionOrders,
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

export interface MeasuredLatencies {
  /** From sending to answer, one a call, in the order of the calls. */
  readonly calls: readonly number[];
  /** From the answer to the report of the fill, of the orders that were filled soonest; sorted. */
  readonly reports: readonly number[];
}

export function measureLatencies(
  entries: readonly NamedEntry[],
  calls: readonly SessionCall[],
  orders: SessionOrders,
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

/** The faster half: slower fills waited in the book for an unknown part of their time. */
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
