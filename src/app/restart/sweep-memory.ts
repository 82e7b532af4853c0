/**
 * The journal's part of the kill path: stops that only shrink a position, placements of unknown fate, and which in-day books are of the
 * day before.
 */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import { neverCloses, type TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { BrokerOrderKey, ClientOrderId } from '../../domain/ids.ts';
import { hasProvenEnd, type OrderStatus, waitsInTriggerBook } from '../../domain/order.ts';
import type { EarlierOrder } from '../../engine/ports/engine-event.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';

export interface SweepMemory {
  /** Keys of waiting orders that risk found to shrink the position of one strategy. */
  readonly reductions: ReadonlySet<BrokerOrderKey>;
  /** Placements that may have reached the broker, and no answer or book has told of since. */
  readonly unknown: ReadonlySet<ClientOrderId>;
}

/** An order that waits is journaled again by each session that carries it over; a kill may fall before that. */
const SESSIONS = 2;

const UNSETTLED: ReadonlySet<OrderStatus> = new Set(['submitted', 'unknown', 'presumed_absent']);

export function sweepMemory(read: JournalReader): SweepMemory {
  const reductions = new Set<BrokerOrderKey>();
  const unknown = new Set<ClientOrderId>();
  const started = read.sessions().filter(({ day }) => read.hasBegun(day));
  for (const { day } of started.slice(-SESSIONS)) {
    const placed = new Set<ClientOrderId>();
    for (const { entry } of read.entries({ session: day, kinds: ['place', 'outcome', 'order_waiting'] })) {
      if (entry.kind === 'order_waiting' && entry.purpose === 'reduce') reductions.add(entry.row.orderKey);
      if (entry.kind === 'place' && !entry.isLost) {
        unknown.add(entry.order.clientOrderId);
        if (entry.order.shrinks && entry.order.trigger !== null) placed.add(entry.order.clientOrderId);
      }
      if (entry.kind !== 'outcome' || entry.call !== 'place' || entry.outcome.status === 'unknown') continue;
      unknown.delete(entry.clientOrderId);
      // The kill may have come before the book was read.
      if (
        entry.outcome.status === 'accepted' &&
        entry.outcome.orderKey !== null &&
        placed.has(entry.clientOrderId)
      )
        reductions.add(entry.outcome.orderKey);
    }
    for (const id of unknown) if (isSettled(read, day, id)) unknown.delete(id);
  }
  return { reductions, unknown };
}

/** A book has shown it since, or a person resolved it. */
function isSettled(read: JournalReader, session: string, id: ClientOrderId): boolean {
  const [row] = read.entries({ session, clientOrderId: id, kinds: ['order_status'], last: 1 });
  return row?.entry.kind === 'order_status' && !UNSETTLED.has(row.entry.to);
}

/**
 * An order of `day` at the exchange of which an in-day book cannot tell: each of its rows is of an order that was over when the day
 * began. Null for a book of the day, and while the day has no such order.
 */
export function untoldOrder(
  read: JournalReader,
  day: TradingDay,
  rows: readonly BrokerOrder[],
  calendar: TradingCalendar,
): ClientOrderId | null {
  const began = read.began(day);
  const wasNight = !neverCloses(calendar) && began?.isAnew !== true;
  const over = (began?.earlierOrders ?? []).filter(
    ({ status, orderNo }) => hasProvenEnd(status) || (wasNight && orderNo !== null),
  );
  if (rows.length === 0 || !rows.every((row) => over.some((order) => isRowOf(order, row)))) return null;
  const placed = new Set<ClientOrderId>();
  const accepted = new Set<ClientOrderId>();
  for (const { entry } of read.entries({ session: day, kinds: ['place', 'outcome'] }))
    if (entry.kind === 'place') {
      if (!entry.isLost && !waitsInTriggerBook(entry.order.trigger)) placed.add(entry.order.clientOrderId);
    } else if (entry.kind === 'outcome' && entry.call === 'place') {
      if (entry.outcome.status === 'accepted') accepted.add(entry.clientOrderId);
      else if (entry.outcome.status !== 'unknown') placed.delete(entry.clientOrderId);
    }
  for (const id of placed) if (accepted.has(id) || !isSettled(read, day, id)) return id;
  return null;
}

/** Numbers begin anew each day, keys and references do not. */
function isRowOf(order: EarlierOrder, row: BrokerOrder): boolean {
  if (row.refId !== null) return row.refId === order.clientOrderId;
  if (row.orderKey !== null && order.orderKey !== null) return row.orderKey === order.orderKey;
  return row.orderNo === order.orderNo && row.side === order.side && row.qty === order.qty;
}
