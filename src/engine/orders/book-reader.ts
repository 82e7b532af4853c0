/** Compares a walk over the broker's book with our orders (rulings, 8, 9, 11, 29). */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import type { TsUs } from '../../domain/units.ts';
import type { BookSnapshot } from '../ports/engine-event.ts';
import type { EventContext } from '../state/event-context.ts';
import type { ChildOrders } from '../conditions/child-orders.ts';
import type { Adoption } from './adoption.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';
import type { OurOrder } from './our-order.ts';
import { matchRows } from './row-matching.ts';
import type { RowStatus } from './row-status.ts';
import { WalkEvidence } from './walk-evidence.ts';

export interface BookReaderParts {
  readonly turn: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly rows: RowStatus;
  readonly adoption: Adoption;
  readonly children: ChildOrders;
  readonly lookUp: LookUpSettings;
  /** The order's number has become known: what waited for it may go. */
  readonly numbered: (order: OurOrder) => void;
}

export class BookReader {
  readonly #parts: BookReaderParts;

  constructor(parts: BookReaderParts) {
    this.#parts = parts;
  }

  /** Rows of an incomplete walk are taken for what they show; only a complete one says what is foreign or absent. */
  take({ orders: rows, startedUs, complete }: BookSnapshot): void {
    const unowned: BrokerOrder[] = [];
    const shown = complete ? new Set<OurOrder>() : null;
    for (const row of rows) {
      const owner = this.#ownerOf(row);
      if (owner === undefined) unowned.push(row);
      else this.#takeRow(owner, row, startedUs, shown);
    }
    if (shown === null) return;
    if (unowned.length > 0) this.#takeUnowned(unowned, rows, startedUs, shown);
    for (const order of this.#parts.orders.open) {
      if (!shown.has(order) && !order.isWaiting) this.#countAbsence(order, startedUs);
    }
  }

  #ownerOf(row: BrokerOrder): OurOrder | undefined {
    const { orders } = this.#parts;
    const byNumber = orders.byNumber(row.orderNo);
    if (byNumber !== undefined || row.refId === null) return byNumber;
    const byRef = orders.get(row.refId);
    return byRef !== undefined && orders.bind(byRef, row.orderNo) ? byRef : undefined;
  }

  #takeRow(order: OurOrder, row: BrokerOrder, startedUs: TsUs, shown: Set<OurOrder> | null): void {
    shown?.add(order);
    order.absence = null;
    this.#parts.rows.take(order, row, startedUs);
    if (order.queuedCancel !== null) this.#parts.numbered(order);
  }

  #takeUnowned(
    unowned: readonly BrokerOrder[],
    all: readonly BrokerOrder[],
    startedUs: TsUs,
    shown: Set<OurOrder>,
  ): void {
    const { orders, adoption, turn } = this.#parts;
    const hasRefIds = all.some(({ refId }) => refId !== null);
    const nameless = orders.open.filter(({ isUnresolved, isWaiting }) => isUnresolved && !isWaiting);
    const matched = matchRows(this.#takeChildren(unowned, startedUs, shown), nameless, hasRefIds);
    for (const { order, row } of matched.pairs) {
      orders.bind(order, row.orderNo);
      this.#takeRow(order, row, startedUs, shown);
    }
    for (const order of matched.ambiguous) {
      if (!order.tellOnce('ambiguous')) continue;
      const text = `${order.clientOrderId}: more orders in the book look like it than we placed; the oldest was taken for ours`;
      turn.alert(order.strategy, 'critical', 'look_up_ambiguous', text);
    }
    for (const row of matched.foreign) {
      const order = adoption.adopt(row);
      if (order !== undefined) this.#takeRow(order, row, startedUs, shown);
    }
  }

  /** The rows that none of our conditional orders sent. */
  #takeChildren(rows: readonly BrokerOrder[], startedUs: TsUs, shown: Set<OurOrder>): readonly BrokerOrder[] {
    const { children, adoption } = this.#parts;
    return rows.filter((row) => {
      const sender = children.senderOf(row, startedUs);
      if (sender === null) return true;
      if (sender === 'hold') return false;
      const child = adoption.adoptChild(row, sender);
      children.sent(sender, child);
      this.#takeRow(child, row, startedUs, shown);
      return false;
    });
  }

  #countAbsence(order: OurOrder, startedUs: TsUs): void {
    const { lookUp, life, turn } = this.#parts;
    if (order.status === 'submitting' || order.status === 'presumed_absent') return;
    order.absence ??= new WalkEvidence(order.createdUs);
    order.absence.add(startedUs);
    if (!order.absence.isEnough(lookUp)) return;
    if (order.status === 'unknown') {
      life.apply(order, 'absent', `${order.absence.walks} complete walks did not show it`);
      const text = `${order.clientOrderId} is not in the book: it still counts as open until you resolve it`;
      turn.alert(order.strategy, 'critical', 'order_presumed_absent', text);
    } else if (order.tellOnce('missing')) {
      const text = `${order.clientOrderId} was accepted, and complete walks over the book do not show it`;
      turn.alert(order.strategy, 'critical', 'order_missing', text);
    }
  }
}
