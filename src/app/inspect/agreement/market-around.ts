/** The stretch of a recorded day in which the calls of one order were on their way. */
import { seconds } from '../../../domain/units.ts';
import type { TickRows } from '../../../recording/columns/tick-columns.ts';
import { firstRowAt, rowsBetween } from '../../../recording/columns/tick-rows.ts';
import type { MarketOfDay } from './model-fills.ts';
import type { SessionCall } from './session-calls.ts';

/** Behind the last answer: until here a fill may still have been told. */
const AFTER = seconds(30);

export function marketAround(calls: readonly SessionCall[], { rows, phases }: MarketOfDay): MarketOfDay {
  const fromUs = Math.min(...calls.map(({ sentUs }) => sentUs));
  const toUs = Math.max(...calls.map(({ answeredUs }) => answeredUs)) + AFTER;
  const from = Math.max(0, firstRowAt(rows, fromUs) - 1);
  const to = firstRowAt(rows, toUs);
  const phase = phases.findLast(({ atUs }) => atUs <= fromUs)?.phase ?? 'closed';
  const beginUs = rows.tsUs[from] ?? fromUs;
  return {
    rows: rowsBetween(rows, from, to),
    phases: [{ atUs: beginUs, phase }, ...phases.filter(({ atUs }) => atUs > fromUs && atUs <= toUs)],
  };
}

/**
 * The call arrives just before each row between its sending and its answer. In the time of the price stream, which runs behind the
 * venue by `streamBehindUs` at most, the answer may be that much later.
 */
export function waysAtRows(
  { sentUs, answeredUs }: SessionCall,
  rows: TickRows,
  streamBehindUs: number,
): readonly number[] {
  const span = answeredUs - sentUs;
  if (span <= 0) return [0];
  const ways = new Set<number>([0, 1]);
  for (let row = firstRowAt(rows, sentUs); row < rows.rows; row += 1) {
    const atUs = rows.tsUs[row] ?? Infinity;
    if (atUs > answeredUs + streamBehindUs) break;
    ways.add((atUs - sentUs) / span);
  }
  return [...ways];
}
