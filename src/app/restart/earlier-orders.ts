/** Orders at the exchange of a session, as its journal knew them last: the next session meets their rows and answers again. */
import type { Contract } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type OrderStatus, TERMINAL_STATUSES } from '../../domain/order.ts';
import { money, OPERATOR_INDEX, priceTicks, qty } from '../../domain/units.ts';
import type { Purpose } from '../../engine/ports/approved.ts';
import type { EarlierOrder, SessionStarted } from '../../engine/ports/engine-event.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import type { StoredEntry } from '../../journal/journal-reader.ts';

/** The end of a day proves nothing. */
export const isUnfinished = (status: OrderStatus): boolean =>
  !TERMINAL_STATUSES.has(status) || status === 'expired_unproven';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

type KnownOrder = Writable<EarlierOrder>;
/** Of a change that the book has not confirmed. */
type Terms = Pick<EarlierOrder, 'qty' | 'limitPrice'>;

type Entry<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: Kind }>;

/**
 * Those that the in-day book may still show, those without an answer, and those that the session before left unproven, as long as
 * positions did not agree since. Orders with a row in the trigger book are carried over by that row.
 */
export function earlierOrders(
  stored: readonly StoredEntry[],
  started: Pick<SessionStarted, 'earlierOrders'> | undefined,
  contracts: readonly Contract[],
): readonly EarlierOrder[] {
  const known = new Map<ClientOrderId, KnownOrder>();
  const asked = new Map<ClientOrderId, Terms>();
  const isFromBefore = new Set<ClientOrderId>();
  /** Of orders that wait in the trigger book, for the orders that they send. */
  const purposes = new Map<ClientOrderId, Purpose>();
  for (const each of started?.earlierOrders ?? []) {
    if (!isUnfinished(each.status)) continue;
    known.set(each.clientOrderId, { ...each });
    isFromBefore.add(each.clientOrderId);
  }
  for (const { entry } of stored) {
    if (entry.kind === 'place') known.set(entry.order.clientOrderId, placed(entry));
    else if (entry.kind === 'order_adopted') {
      const order = adopted(entry, contracts, purposes);
      if (order !== undefined) known.set(entry.clientOrderId, order);
    } else if (entry.kind === 'order_waiting') {
      known.delete(entry.clientOrderId);
      purposes.set(entry.clientOrderId, entry.purpose);
    } else if (entry.kind === 'position_agreed') {
      for (const id of isFromBefore) known.delete(id);
      isFromBefore.clear();
    } else if (entry.kind === 'modify') asked.set(entry.modify.clientOrderId, entry.modify);
    else follow(entry, known, asked);
  }
  return [...known.values()].filter(({ orderNo, status }) => orderNo !== null || isUnfinished(status));
}

function follow(
  entry: JournalEntry,
  known: ReadonlyMap<ClientOrderId, KnownOrder>,
  asked: Map<ClientOrderId, Terms>,
): void {
  if (
    entry.kind !== 'outcome' &&
    entry.kind !== 'order_status' &&
    entry.kind !== 'fill' &&
    entry.kind !== 'fill_correction'
  )
    return;
  const order = known.get(entry.clientOrderId);
  if (order === undefined) return;
  switch (entry.kind) {
    case 'outcome':
      if (entry.call !== 'place' || entry.outcome.status !== 'accepted') return;
      order.orderNo = entry.outcome.orderNo;
      order.orderKey = entry.outcome.orderKey;
      return;
    case 'order_status':
      order.status = entry.to;
      order.orderNo ??= entry.orderNo;
      if (entry.event === 'modify_confirmed') change(order, asked.get(entry.clientOrderId));
      return;
    case 'fill':
      order.orderNo = entry.orderNo;
      order.filledQty = entry.cumQty;
      order.filledValue = entry.cumValue;
      order.fillQuality = entry.quality;
      order.fee = money(order.fee + entry.fee);
      order.tax = money(order.tax + entry.tax);
      return;
    case 'fill_correction':
      order.filledValue = entry.cumValue;
      order.fillQuality = entry.quality;
      order.tax = money(order.tax + entry.tax);
  }
}

function change(order: KnownOrder, terms: Terms | undefined): void {
  // Somebody else changed it: the book told, and the journal has no terms of it.
  if (terms === undefined) return;
  order.qty = terms.qty;
  order.limitPrice = terms.limitPrice;
}

const NOTHING_FILLED = {
  filledQty: qty(0),
  filledValue: money(0),
  fillQuality: 'exact',
  fee: money(0),
  tax: money(0),
} as const;

function placed({ order }: Entry<'place'>): KnownOrder {
  const { clientOrderId, strategy, purpose, instrument, side, limitPrice, trigger } = order;
  return {
    ...NOTHING_FILLED,
    clientOrderId,
    strategy,
    parent: null,
    purpose,
    isProtective: false,
    instrument,
    side,
    qty: order.qty,
    limitPrice,
    trigger,
    orderNo: null,
    orderKey: null,
    status: 'submitted',
  };
}

/** Undefined for a contract that is not listed any more. */
function adopted(
  { clientOrderId, order: row, parent, strategy }: Entry<'order_adopted'>,
  contracts: readonly Contract[],
  purposes: ReadonlyMap<ClientOrderId, Purpose>,
): KnownOrder | undefined {
  const contract = contracts.find(({ orderCode }) => orderCode === row.orderCode);
  if (contract === undefined) return undefined;
  const purpose = parent === undefined ? undefined : purposes.get(parent);
  return {
    ...NOTHING_FILLED,
    clientOrderId,
    strategy: strategy ?? OPERATOR_INDEX,
    parent: parent ?? null,
    purpose: purpose ?? 'entry',
    isProtective: false,
    instrument: contract.index,
    side: row.side,
    qty: row.qty,
    limitPrice: row.limitPrice ?? priceTicks(1),
    trigger: null,
    orderNo: row.orderNo,
    orderKey: row.orderKey,
    status: 'accepted',
  };
}
