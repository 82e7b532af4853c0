import type { ClientOrderId } from '../../domain/ids.ts';
import { type OrderStatus, TERMINAL_STATUSES } from '../../domain/order.ts';
import { OPERATOR_INDEX, type StrategyIndex } from '../../domain/units.ts';
import type { CarriedOrder } from '../../engine/ports/engine-event.ts';
import type { StoredEntry } from '../../journal/journal-reader.ts';

/** Orders that still waited at the broker when a session ended, as its journal knew them last. */
export function waitingConditions(
  stored: readonly StoredEntry[],
  strategyIndexOf: (name: string) => StrategyIndex,
): readonly CarriedOrder[] {
  const known = new Map<ClientOrderId, CarriedOrder>();
  const statuses = new Map<ClientOrderId, OrderStatus>();
  for (const { entry, strategyName } of stored) {
    if (entry.kind === 'order_status') statuses.set(entry.clientOrderId, entry.to);
    if (entry.kind !== 'order_waiting') continue;
    const { clientOrderId, parent, purpose, instrument, row } = entry;
    const strategy = strategyName === null ? OPERATOR_INDEX : strategyIndexOf(strategyName);
    known.set(clientOrderId, { clientOrderId, parent, purpose, instrument, row, strategy });
  }
  return [...known.values()].filter(({ clientOrderId }) => {
    const status = statuses.get(clientOrderId);
    return status === undefined || !TERMINAL_STATUSES.has(status);
  });
}
