/** The journal's part of the kill path: orders and positions by their owners, and which in-day books are of the day before. */
import type { OurBooks, OurOrder } from '../../broker/gateway/kill-verdict.ts';
import type { BrokerOrder, BrokerTriggerOrder } from '../../domain/broker-order.ts';
import { neverCloses, type TradingCalendar } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import type { BrokerOrderNo, ClientOrderId, OrderCode, StrategyNames } from '../../domain/ids.ts';
import { hasProvenEnd, type OrderStatus, waitsInTriggerBook } from '../../domain/order.ts';
import { OPERATOR_INDEX } from '../../domain/units.ts';
import type { CarriedOrder } from '../../engine/ports/engine-event.ts';
import type { JournalReader } from '../../journal/journal-reader.ts';
import type { SessionTracker } from './carry-over.ts';

const UNSETTLED: ReadonlySet<OrderStatus> = new Set(['submitted', 'unknown', 'presumed_absent']);

export interface OurBooksContext {
  readonly contracts: readonly Contract[];
  readonly names: StrategyNames;
  /** The session is today's: its numbers of the in-day book are. */
  readonly isToday: boolean;
  /** Orders at the exchange outlive their day. */
  readonly isEndless: boolean;
}

/** Our orders that the broker may have, as the journal knows them by now. */
export function ourBooks({ orders, accounts }: SessionTracker, context: OurBooksContext): OurBooks {
  const { contracts, names } = context;
  const codes = new Map(contracts.map(({ index, orderCode }) => [index, orderCode]));
  const ours: OurOrder[] = [];
  const unknown: OurBooks['unknown'][number][] = [];
  for (const order of orders.carriedOver(contracts)) {
    const { row } = order;
    if (row !== undefined) {
      ours.push({ ...ourOrder(order), row: { ...row, status: 'pending' }, isOpen: true });
      continue;
    }
    const code = codes.get(order.instrument);
    if (code === undefined) continue;
    const { clientOrderId, orderNo, status, trigger } = order;
    const waits = waitsInTriggerBook(trigger);
    const isOfDay = context.isToday && !orders.isFromBefore(clientOrderId);
    if (orderNo !== null && !waits) {
      const isOpen = !hasProvenEnd(status) && (isOfDay || context.isEndless);
      ours.push({ ...ourOrder(order), row: restingRow(order, orderNo, code, isOfDay), isOpen });
    } else if (orderNo !== null && order.orderKey !== null && !hasProvenEnd(status)) {
      ours.push({ ...ourOrder(order), row: triggerRow(order, orderNo, order.orderKey, code), isOpen: true });
    } else if (UNSETTLED.has(status) && (waits || isOfDay || context.isEndless))
      unknown.push(ourOrder(order));
  }
  const positions = accounts.flatMap(({ strategy, positions: held }) =>
    held.flatMap(({ instrument, position: { qty } }) => {
      const code = codes.get(instrument);
      return code === undefined ? [] : [{ owner: names.indexOf(strategy), orderCode: code, qty }];
    }),
  );
  return { orders: ours, positions, unknown, gone: orders.neverPlaced().map(ourOrder) };
}

const ourOrder = (order: CarriedOrder): Omit<OurOrder, 'row' | 'isOpen'> => ({
  clientOrderId: order.clientOrderId,
  owner: order.strategy,
  isReduction: order.purpose === 'reduce' || order.isProtective,
  isProtective: order.isProtective,
  isBracket: order.trigger?.kind === 'bracket',
  isSent: order.parent !== null,
});

/** Letters are the broker's to give; the number of another day may be another order's. */
const restingRow = (
  { clientOrderId, strategy, parent, orderKey, side, qty, limitPrice, filledQty }: CarriedOrder,
  orderNo: BrokerOrderNo,
  code: OrderCode,
  isOfDay: boolean,
): BrokerOrder => ({
  orderNo,
  orderKey,
  refId: parent === null && strategy !== OPERATOR_INDEX ? clientOrderId : null,
  orderCode: code,
  side,
  qty,
  limitPrice,
  filledQty,
  filledValue: null,
  status: 'unrecognized',
  statusText: '',
  canCancel: isOfDay,
  canModify: false,
  source: parent === null ? 'unstated' : 'system',
  reason: '',
});

const triggerRow = (
  { side, qty, limitPrice, trigger }: CarriedOrder,
  orderNo: BrokerOrderNo,
  orderKey: BrokerTriggerOrder['orderKey'],
  code: OrderCode,
): BrokerTriggerOrder => ({
  orderNo,
  orderKey,
  orderCode: code,
  side,
  qty,
  limitPrice,
  kind: trigger?.kind === 'trailing_stop' ? 'trailing_stop' : 'stop',
  triggerPrice: trigger?.kind === 'stop' ? trigger.triggerPrice : null,
  triggerWhen: trigger?.kind === 'stop' ? trigger.triggerWhen : null,
  status: 'pending',
  statusText: '',
  children: [],
  parent: null,
});

/** An order of `day` that this in-day book cannot disprove: all its rows are of orders that were over when the day began. Or null. */
export function unreportedOrder(
  read: JournalReader,
  day: TradingDay,
  rows: readonly BrokerOrder[],
  calendar: TradingCalendar,
): ClientOrderId | null {
  const began = read.startOf(day);
  const wasNight = !neverCloses(calendar) && began?.isRestarted !== true;
  const over = (began?.carriedOrders ?? []).filter(
    ({ row, status, orderNo }) =>
      row === undefined && (hasProvenEnd(status) || (wasNight && orderNo !== null)),
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

/** A book has shown it since, or a person resolved it. */
function isSettled(read: JournalReader, session: string, id: ClientOrderId): boolean {
  const [row] = read.entries({ session, clientOrderId: id, kinds: ['order_status'], last: 1 });
  return row?.entry.kind === 'order_status' && !UNSETTLED.has(row.entry.to);
}

/** Numbers restart each day, keys and references do not. */
function isRowOf(order: CarriedOrder, row: BrokerOrder): boolean {
  if (row.refId !== null) return row.refId === order.clientOrderId;
  if (row.orderKey !== null && order.orderKey !== null) return row.orderKey === order.orderKey;
  return row.orderNo === order.orderNo && row.side === order.side && row.qty === order.qty;
}
