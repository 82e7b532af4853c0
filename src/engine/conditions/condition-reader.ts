/** Compares a walk over the broker's conditional book with our orders (rulings, 8, 9, 29). */
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { BrokerOrderKey } from '../../domain/ids.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import type { TsUs } from '../../domain/units.ts';
import type { OrderLife } from '../orders/order-life.ts';
import type { Orders } from '../orders/orders.ts';
import type { OurOrder } from '../orders/our-order.ts';
import { WalkEvidence } from '../orders/walk-evidence.ts';
import type { ConditionSnapshot } from '../ports/engine-event.ts';
import type { EventContext } from '../state/event-context.ts';
import { matchConditions } from './condition-match.ts';
import type { ConditionOwners } from './condition-owners.ts';
import type { ConditionRowReader } from './condition-row.ts';

export interface ConditionReaderParts {
  readonly turn: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly rows: ConditionRowReader;
  readonly owners: ConditionOwners;
  readonly lookUp: LookUpSettings;
  /** The order's key has become known: a cancel that waited for it may go. */
  readonly keyed: (order: OurOrder) => void;
}

export class ConditionReader {
  readonly #parts: ConditionReaderParts;
  /** When the complete walk began that showed a row first. */
  readonly #firstSeenUs = new Map<BrokerOrderKey, TsUs>();
  /** Walks that did not show the exits of a bracket that has filled. */
  readonly #owing = new Map<OurOrder, WalkEvidence>();

  constructor(parts: ConditionReaderParts) {
    this.#parts = parts;
  }

  take({ conditions: rows, startedUs, complete }: ConditionSnapshot): void {
    const shown = new Set<OurOrder>();
    const unowned: BrokerTriggerOrder[] = [];
    for (const row of rows) {
      const owner = this.#ownerOf(row);
      if (owner === undefined) unowned.push(row);
      else this.#takeRow(owner, row, startedUs, shown);
    }
    if (!complete) return;
    for (const { orderKey } of rows)
      if (!this.#firstSeenUs.has(orderKey)) this.#firstSeenUs.set(orderKey, startedUs);
    this.#takeUnowned(unowned, startedUs, shown);
    for (const order of this.#parts.orders.open)
      if (order.isWaiting && !shown.has(order)) this.#countAbsence(order, startedUs);
    this.#lookForExits(startedUs);
  }

  #ownerOf(row: BrokerTriggerOrder): OurOrder | undefined {
    const { orders } = this.#parts;
    const byKey = orders.byKey(row.orderKey);
    if (byKey !== undefined) return byKey;
    const byNumber = orders.byConditionNo(row.orderNo);
    const isBound = byNumber !== undefined && orders.bindCondition(byNumber, row.orderNo, row.orderKey);
    return isBound ? byNumber : undefined;
  }

  #takeRow(order: OurOrder, row: BrokerTriggerOrder, startedUs: TsUs, shown: Set<OurOrder>): void {
    shown.add(order);
    this.#parts.rows.take(order, row, startedUs);
    if (order.queuedCancel !== null) this.#parts.keyed(order);
  }

  #takeUnowned(rows: readonly BrokerTriggerOrder[], startedUs: TsUs, shown: Set<OurOrder>): void {
    const { orders, owners, turn } = this.#parts;
    const nameless = orders.open.filter(({ isWaiting, isUnresolved }) => isWaiting && isUnresolved);
    const matched = matchConditions(
      rows,
      nameless,
      ({ orderKey }, order) => (this.#firstSeenUs.get(orderKey) ?? startedUs) >= order.createdUs,
    );
    for (const { order, row } of matched.pairs) {
      orders.bindCondition(order, row.orderNo, row.orderKey);
      this.#takeRow(order, row, startedUs, shown);
    }
    for (const order of matched.ambiguous) {
      if (!order.tellOnce('ambiguous')) continue;
      const text = `${order.clientOrderId}: more conditional orders look like it than were sent: which is ours is yours to say`;
      turn.alert(order.strategy, 'critical', 'look_up_ambiguous', text);
    }
    for (const row of matched.foreign) {
      const order = owners.exitOf(row) ?? owners.adopt(row);
      if (order !== undefined) this.#takeRow(order, row, startedUs, shown);
    }
  }

  #countAbsence(order: OurOrder, startedUs: TsUs): void {
    const { lookUp, life, turn } = this.#parts;
    if (order.status === 'submitting' || order.status === 'presumed_absent') return;
    order.absence ??= new WalkEvidence(order.createdUs);
    order.absence.add(startedUs);
    if (!order.absence.isEnough(lookUp)) return;
    if (order.status === 'unknown') {
      life.apply(order, 'absent', `${order.absence.walks} complete walks did not show it`);
      const text = `${order.clientOrderId} is not in the conditional book: it still counts as open until you resolve it`;
      turn.alert(order.strategy, 'critical', 'order_presumed_absent', text);
    } else if (order.wasTold('carried')) life.apply(order, 'seen_gone', 'not in the book of the new day');
    else if (order.tellOnce('missing')) {
      const text = `${order.clientOrderId} was accepted, and complete walks over the conditional book do not show it`;
      turn.alert(order.strategy, 'critical', 'order_missing', text);
    }
  }

  /** What fills of a bracket is protected as soon as its exits stand in the book. */
  #lookForExits(startedUs: TsUs): void {
    const { orders, owners, lookUp, turn } = this.#parts;
    for (const bracket of orders.owingExits) {
      if (owners.coveredBy(bracket) >= bracket.filledQty) {
        orders.owingExits.delete(bracket);
        orders.changed();
        this.#owing.delete(bracket);
        continue;
      }
      const evidence = this.#owing.get(bracket) ?? new WalkEvidence(turn.nowUs);
      this.#owing.set(bracket, evidence);
      evidence.add(startedUs);
      if (!evidence.isEnough(lookUp) || !bracket.tellOnce('exits')) continue;
      const text = `${bracket.clientOrderId} has filled ${bracket.filledQty}, and its exits do not stand in the conditional book`;
      turn.alert(bracket.strategy, 'critical', 'exits_missing', text);
    }
  }

  nextDay(): void {
    this.#owing.clear();
  }
}
