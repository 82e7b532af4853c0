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

type Failure = Exclude<CallOutcome, { readonly status: 'accepted' }>;

export class CallOutcomes {
  readonly #context: EventContext;
  readonly #orders: Orders;
  readonly #life: OrderLife;
  readonly #breakers: CircuitBreakers;
  readonly #executor: OrderExecutor;
  readonly #past: JournalDecisions;
  readonly #snapshots: SnapshotRequests;
  #rejected = 0;

  constructor(
    context: EventContext,
    orders: Orders,
    life: OrderLife,
    breakers: CircuitBreakers,
    executor: OrderExecutor,
    past: JournalDecisions,
    snapshots: SnapshotRequests,
  ) {
    this.#context = context;
    this.#orders = orders;
    this.#life = life;
    this.#breakers = breakers;
    this.#executor = executor;
    this.#past = past;
    this.#snapshots = snapshots;
  }

  get rejected(): number {
    return this.#rejected;
  }

  take({ call, callId, clientOrderId, outcome }: CallAnswer): void {
    const order = this.#orders.get(clientOrderId);
    this.#context.append({
      kind: 'outcome',
      cause: this.#context.seq,
      tsUs: this.#context.nowUs,
      strategy: order?.strategy ?? null,
      clientOrderId,
      call,
      outcome,
    });
    if (order === undefined) {
      this.#context.alert(
        null,
        'critical',
        'outcome_without_order',
        `${call} ${callId}: no order ${clientOrderId} is known`,
      );
      return;
    }
    order.unanswered -= 1;
    // Also an answer without a place in its order's table may leave a reason.
    this.#orders.unsettle(order);
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
    if (this.#past.isLost(openCancel.callId)) this.#cancelAgain(order);
  }

  #interruption(callId: OpenCall['callId']): CallOutcome {
    return this.#past.isLost(callId)
      ? { status: 'not_sent', reason: 'the process ended before it was written' }
      : { status: 'unknown', reason: 'the process ended before an answer came' };
  }

  /** A cancel that was never sent is asked for again: it cannot do anything twice. */
  #cancelAgain({ strategy, clientOrderId, isUnwanted }: ManagedOrder): void {
    if (isUnwanted) this.#context.cancel(strategy, clientOrderId);
    else this.#context.withdraw(strategy, clientOrderId);
  }

  #place(order: ManagedOrder, outcome: CallOutcome): void {
    if (outcome.status === 'accepted') {
      this.#orders.rejections.accepted(order.strategy, order);
      if (!this.#bind(order, outcome)) this.#taken(order, outcome.orderNo);
      this.#life.apply(order, 'place_accepted');
      if (order.queuedCancel !== null) this.#executor.sendQueuedCancel(order);
      // The next session knows the order by its row.
      if (order.isWaiting) this.#lookUp(order);
      return;
    }
    this.#failed(order, outcome);
    if (outcome.status === 'rejected') {
      this.#orders.rejections.rejected(order.strategy, order, order.reason, this.#context.nowUs);
      this.#breakers.rejected();
    }
    if (outcome.status === 'unknown' && order.orderNo === null) {
      order.absence = new ScanEvidence(this.#context.nowUs);
      this.#context.alert(
        order.strategy,
        'warning',
        'order_unknown',
        `${order.clientOrderId}: ${outcome.reason}; looked up in the book`,
      );
      this.#lookUp(order);
    }
    this.#life.apply(order, `place_${outcome.status}`, textOf(outcome));
  }

  /** Something became unknown, or has no row yet: its book is read at once. */
  #lookUp({ isWaiting }: ManagedOrder): void {
    this.#snapshots.want(isWaiting ? 'triggers' : 'book');
  }

  /** The two books have number sequences of their own. */
  #bind(
    order: ManagedOrder,
    { orderNo, orderKey }: Extract<CallOutcome, { readonly status: 'accepted' }>,
  ): boolean {
    if (order.isWaiting) return this.#orders.bindTrigger(order, orderNo, orderKey);
    order.orderKey ??= orderKey;
    return this.#orders.bind(order, orderNo, this.#context.nowUs);
  }

  #modify(order: ManagedOrder, callId: OpenCall['callId'], outcome: CallOutcome): void {
    const isOpen = order.openModify?.callId === callId;
    if (isOpen && order.openModify !== null) order.openModify = this.#answered(order.openModify, outcome);
    if (outcome.status === 'accepted') return this.#life.apply(order, 'modify_accepted');
    if (outcome.status === 'unknown' || order.isWaiting) this.#lookUp(order);
    this.#failed(order, outcome);
    // An answer to a change that is no longer open says nothing about the one that is.
    if (isOpen || order.openModify === null)
      this.#life.apply(order, `modify_${outcome.status}`, textOf(outcome));
  }

  #cancel(order: ManagedOrder, callId: OpenCall['callId'], outcome: CallOutcome): void {
    const isOpen = order.openCancel?.callId === callId;
    if (isOpen && order.openCancel !== null) order.openCancel = this.#answered(order.openCancel, outcome);
    if (isOpen && order.openCancel === null) order.cancelFailedUs = this.#context.nowUs;
    this.#lookUp(order);
    if (outcome.status === 'accepted') return this.#life.apply(order, 'cancel_accepted');
    this.#failed(order, outcome);
    if (isOpen || order.openCancel === null)
      this.#life.apply(order, `cancel_${outcome.status}`, textOf(outcome));
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
      evidence: new ScanEvidence(this.#context.nowUs),
    };
  }

  #failed(order: ManagedOrder, outcome: Failure): void {
    if (outcome.status === 'rejected') this.#rejected += 1;
    if (outcome.status !== 'unknown') order.reason = textOf(outcome);
  }

  #taken(order: ManagedOrder, orderNo: string): void {
    const text = `${order.clientOrderId} was accepted as order no. ${orderNo}, which is another order's number`;
    this.#context.alert(order.strategy, 'critical', 'order_number_taken', text);
  }
}

function textOf(outcome: Failure): string {
  return outcome.status === 'rejected' ? `${outcome.code} ${outcome.text}`.trim() : outcome.reason;
}
