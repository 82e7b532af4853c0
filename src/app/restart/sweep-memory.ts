/** The journal's part of the kill path after a restart: stops that only shrink a position, and placements of unknown fate. */
import type { BrokerOrderKey, ClientOrderId } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/order.ts';
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
