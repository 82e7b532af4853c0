/** Takes the outcomes of our calls (rulings, 7). The table ensures that an answer never ends an order that the book shows. */
import type { CallOutcome } from '../../domain/broker-order.ts';
import type { CallAnswer } from '../ports/engine-event.ts';
import type { EventContext } from '../state/event-context.ts';
import type { JournalDecisions } from '../replay/journal-decisions.ts';
import type { SnapshotRequests } from '../ports/outbound.ts';
import type { OrderExecutor } from './order-executor.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';
import { type OpenCall, type ManagedOrder, ScanEvidence } from './managed-order.ts';
import type { CircuitBreakers } from './circuit-breakers.ts';
import type { RejectionMemory } from './send-history.ts';

export interface CallOutcomesParts {
  readonly context: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly rejections: RejectionMemory;
  readonly breakers: CircuitBreakers;
  readonly executor: OrderExecutor;
  readonly past: JournalDecisions;
  readonly snapshots: SnapshotRequests;
}

type Failure = Exclude<CallOutcome, { readonly status: 'accepted' }>;

export class CallOutcomes {
  readonly #parts: CallOutcomesParts;
  #rejected = 0;

  constructor(parts: CallOutcomesParts) {
    this.#parts = parts;
  }

  get rejected(): number {
    return this.#rejected;
  }

  take({ call, callId, clientOrderId, outcome }: CallAnswer): void {
    const { context, orders } = this.#parts;
    const order = orders.get(clientOrderId);
    context.append({
      kind: 'outcome',
      cause: context.seq,
      tsUs: context.nowUs,
      strategy: order?.strategy ?? null,
      clientOrderId,
      call,
      outcome,
    });
    if (order === undefined) {
      context.alert(
        null,
        'critical',
        'outcome_without_order',
        `${call} ${callId}: no order ${clientOrderId} is known`,
      );
      return;
    }
    // Also an answer without a place in its order's table may leave a reason.
    orders.unsettle(order);
    switch (call) {
      case 'place':
        return this.#place(order, outcome);
      case 'modify':
        return this.#modify(order, callId, outcome);
      case 'cancel':
        return this.#cancel(order, callId, outcome);
    }
  }

  /** The process ended before an answer came: a sent call is unknown, an unwritten one was never sent. */
  interrupted(order: ManagedOrder): void {
    if (order.status === 'submitted') this.#place(order, this.#interruption(order.clientOrderId));
    const { openModify, openCancel } = order;
    if (openModify?.answer === 'none')
      this.#modify(order, openModify.callId, this.#interruption(openModify.callId));
    if (openCancel?.answer !== 'none') return;
    this.#cancel(order, openCancel.callId, this.#interruption(openCancel.callId));
    if (this.#parts.past.isLost(openCancel.callId)) this.#cancelAgain(order);
  }

  #interruption(callId: OpenCall['callId']): CallOutcome {
    return this.#parts.past.isLost(callId)
      ? { status: 'not_sent', reason: 'the process ended before it was written' }
      : { status: 'unknown', reason: 'the process ended before an answer came' };
  }

  /** A cancel that was never sent is asked for again: it cannot do anything twice. */
  #cancelAgain({ strategy, clientOrderId, isUnwanted }: ManagedOrder): void {
    const { context } = this.#parts;
    if (isUnwanted) context.cancel(strategy, clientOrderId);
    else context.withdraw(strategy, clientOrderId);
  }

  #place(order: ManagedOrder, outcome: CallOutcome): void {
    const { life, rejections, context, executor } = this.#parts;
    if (outcome.status === 'accepted') {
      rejections.accepted(order.strategy, order);
      if (!this.#bind(order, outcome)) this.#taken(order, outcome.orderNo);
      life.apply(order, 'place_accepted');
      if (order.queuedCancel !== null) executor.sendQueuedCancel(order);
      // The next session knows the order by its row.
      if (order.isWaiting) this.#lookUp(order);
      return;
    }
    if (outcome.status === 'rejected') {
      this.#rejected += 1;
      order.reason = `${outcome.code} ${outcome.text}`.trim();
      rejections.rejected(order.strategy, order, order.reason, context.nowUs);
      this.#parts.breakers.rejected();
    } else if (outcome.status === 'not_sent') order.reason = outcome.reason;
    if (outcome.status === 'unknown' && order.orderNo === null) {
      order.absence = new ScanEvidence(context.nowUs);
      context.alert(
        order.strategy,
        'warning',
        'order_unknown',
        `${order.clientOrderId}: ${outcome.reason}; looked up in the book`,
      );
      this.#lookUp(order);
    }
    life.apply(order, `place_${outcome.status}`, textOf(outcome));
  }

  /** Something became unknown, or has no row yet: its book is read at once. */
  #lookUp({ isWaiting }: ManagedOrder): void {
    this.#parts.snapshots.want(isWaiting ? 'triggers' : 'book');
  }

  /** The two books have number sequences of their own. */
  #bind(
    order: ManagedOrder,
    { orderNo, orderKey }: Extract<CallOutcome, { readonly status: 'accepted' }>,
  ): boolean {
    const { orders } = this.#parts;
    if (order.isWaiting) return orders.bindTrigger(order, orderNo, orderKey);
    order.orderKey ??= orderKey;
    return orders.bind(order, orderNo, this.#parts.context.nowUs);
  }

  #modify(order: ManagedOrder, callId: OpenCall['callId'], outcome: CallOutcome): void {
    const { life } = this.#parts;
    const isOpen = order.openModify?.callId === callId;
    if (isOpen && order.openModify !== null) order.openModify = this.#answered(order.openModify, outcome);
    if (outcome.status === 'accepted') return life.apply(order, 'modify_accepted');
    if (outcome.status === 'unknown' || order.isWaiting) this.#lookUp(order);
    if (outcome.status === 'rejected') this.#refused(order, outcome);
    if (outcome.status === 'not_sent') order.reason = outcome.reason;
    // An answer to a change that is no longer open says nothing about the one that is.
    if (isOpen || order.openModify === null) life.apply(order, `modify_${outcome.status}`, textOf(outcome));
  }

  #cancel(order: ManagedOrder, callId: OpenCall['callId'], outcome: CallOutcome): void {
    const { life, context } = this.#parts;
    const isOpen = order.openCancel?.callId === callId;
    if (isOpen && order.openCancel !== null) order.openCancel = this.#answered(order.openCancel, outcome);
    if (isOpen && order.openCancel === null) order.cancelFailedUs = context.nowUs;
    this.#lookUp(order);
    if (outcome.status === 'accepted') return life.apply(order, 'cancel_accepted');
    if (outcome.status === 'rejected') this.#refused(order, outcome);
    if (outcome.status === 'not_sent') order.reason = outcome.reason;
    if (isOpen || order.openCancel === null) life.apply(order, `cancel_${outcome.status}`, textOf(outcome));
  }

  /** The call that the book must now confirm; null when the broker rejected it or it was not sent. */
  #answered(call: OpenCall, outcome: CallOutcome): OpenCall | null {
    if (outcome.status === 'rejected' || outcome.status === 'not_sent') return null;
    return {
      callId: call.callId,
      qty: call.qty,
      limitPrice: call.limitPrice,
      triggerPrice: call.triggerPrice,
      answer: outcome.status,
      evidence: new ScanEvidence(this.#parts.context.nowUs),
    };
  }

  #refused(order: ManagedOrder, outcome: Extract<Failure, { readonly status: 'rejected' }>): void {
    this.#rejected += 1;
    order.reason = `${outcome.code} ${outcome.text}`.trim();
  }

  #taken(order: ManagedOrder, orderNo: string): void {
    const text = `${order.clientOrderId} was accepted as order no. ${orderNo}, which is another order's number`;
    this.#parts.context.alert(order.strategy, 'critical', 'order_number_taken', text);
  }
}

function textOf(outcome: Failure): string {
  return outcome.status === 'rejected' ? `${outcome.code} ${outcome.text}`.trim() : outcome.reason;
}
