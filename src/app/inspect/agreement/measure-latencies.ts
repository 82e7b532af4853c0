/** How long the calls and reports of a recorded session took, in market time. */
import type { Latency } from '../../../backtest/fill/fill-models.ts';
import { durationUs } from '../../../domain/units.ts';
import type { NamedEntry, OrderFacts } from './order-facts.ts';
import type { SessionCall } from './session-calls.ts';

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
