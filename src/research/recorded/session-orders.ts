/** Orders, calls and latencies of one run, read from its journal: a paper session and a backtest of it are read alike. */
import { closing, NotFoundError } from '../../domain/failure.ts';
import type { Side } from '../../domain/order.ts';
import { OPERATOR } from '../../domain/ids.ts';
import type { JournaledInput } from '../../journal/compact-input.ts';
import type { NamedEntry } from '../../journal/fold-session.ts';
import { isJournalThere } from '../../journal/journal-database.ts';
import { readJournal } from '../../journal/journal-reader.ts';
import { statePaths } from '../../host/state/state-paths.ts';

export interface SessionOrder {
  readonly id: string;
  /** Id in the configuration; `operator` for an order of no strategy. */
  readonly strategy: string;
  readonly contract: string;
  readonly side: Side;
  readonly qty: number;
  readonly limitPrice: number;
  readonly decidedUs: number;
  filledQty: number;
  filledValue: number;
}

/** In the order in which they were placed, with their fills. */
function sessionOrders(entries: Iterable<NamedEntry>): ReadonlyMap<string, SessionOrder> {
  const orders = new Map<string, SessionOrder>();
  for (const { entry, strategyName } of entries) {
    if (entry.kind === 'place') {
      const { clientOrderId: id, orderCode: contract, side, qty, limitPrice } = entry.order;
      const terms = { contract, side, qty, limitPrice, decidedUs: entry.tsUs };
      orders.set(id, { id, strategy: strategyName ?? OPERATOR, ...terms, filledQty: 0, filledValue: 0 });
    }
    const order = entry.kind === 'fill' ? orders.get(entry.clientOrderId) : undefined;
    if (entry.kind !== 'fill' || order === undefined) continue;
    order.filledQty += entry.qty;
    order.filledValue += entry.value;
  }
  return orders;
}

/** A call reached the broker between its sending and its answer. */
export interface SessionCall {
  readonly does: 'place' | 'change' | 'cancel';
  readonly order: SessionOrder;
  /** Terms of a place or a change. */
  readonly limitPrice: number;
  readonly qty: number;
  readonly sentUs: number;
  readonly answeredUs: number;
}

/** `calls`: those that the broker accepted, in the order of sending; refused and unanswered ones are left out. */
export function sessionRecord(entries: readonly NamedEntry[], inputs: Iterable<JournaledInput>) {
  const orders = sessionOrders(entries);
  const accepted = new Map<string, number>();
  for (const input of inputs) {
    if (input.kind === 'execution_report' && input.answer?.outcome.status === 'accepted')
      accepted.set(input.answer.callId, input.tsUs);
  }
  const calls = entries.flatMap(({ entry }): SessionCall[] => {
    const call = callOf(entry);
    const order = call === null ? undefined : orders.get(call.orderId);
    const answeredUs = call === null ? undefined : accepted.get(call.callId);
    if (call === null || order === undefined || answeredUs === undefined) return [];
    const { does, limitPrice, qty } = call;
    return [{ does, order, limitPrice, qty, sentUs: entry.tsUs, answeredUs }];
  });
  const latencies = {
    calls: calls.map(({ sentUs, answeredUs }) => answeredUs - sentUs),
    reports: soonest(reportSpans(entries, calls, orders)),
  };
  return { orders: [...orders.values()], calls, latencies };
}

interface JournaledCall extends Pick<SessionCall, 'does' | 'limitPrice' | 'qty'> {
  readonly callId: string;
  readonly orderId: string;
}

function callOf(entry: NamedEntry['entry']): JournaledCall | null {
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

/** From the answer of each placement to its first fill. */
function reportSpans(
  entries: readonly NamedEntry[],
  calls: readonly SessionCall[],
  orders: ReadonlyMap<string, SessionOrder>,
): readonly number[] {
  const placed = calls.filter(({ does }) => does === 'place');
  const answered = new Map(placed.map(({ order, answeredUs }) => [order, answeredUs]));
  return entries.flatMap(({ entry }) => {
    const order = entry.kind === 'fill' ? orders.get(entry.clientOrderId) : undefined;
    const answeredUs = order === undefined ? undefined : answered.get(order);
    if (order === undefined || answeredUs === undefined) return [];
    answered.delete(order);
    return [Math.max(0, entry.tsUs - answeredUs)];
  });
}

/** The faster half: slower fills waited in the book for an unknown part of their time. */
const soonest = (spans: readonly number[]): readonly number[] =>
  spans.toSorted((a, b) => a - b).slice(0, Math.ceil(spans.length / 2));

/** Milliseconds. */
export function medianMs(spans: readonly number[]): number {
  const middle = spans.toSorted((a, b) => a - b)[Math.floor(spans.length / 2)] ?? 0;
  return Math.round(middle / 100) / 10;
}

/** All sessions of a journal; sorted, so that the same journal gives the same run. Throws `NotFoundError` without a journal. */
export function journalLatencies(stateDir: string) {
  const { journal } = statePaths(stateDir);
  if (!isJournalThere(journal)) throw new NotFoundError(`no ${journal}`);
  const sessions = closing(readJournal(journal), (opened) =>
    opened.read.sessions().map(({ day: session }) => {
      const read = opened.of(session);
      return sessionRecord(read.entries({ session }), read.inputs(session)).latencies;
    }),
  );
  return {
    /** From sending to answer, one a call, in the order of the calls. */
    calls: sessions.flatMap(({ calls }) => calls).toSorted((a, b) => a - b),
    /** From the answer to the report of the fill, of the orders that were filled soonest; sorted. */
    reports: sessions.flatMap(({ reports }) => reports).toSorted((a, b) => a - b),
  };
}
