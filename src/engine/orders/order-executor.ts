/** Carries out calls: each is journaled, decided, and handed to the gateway, which makes it durable first (rulings, 30). Takes answers. */
import type { EngineView } from '../engine-view.ts';
import { assert } from '../../domain/assert.ts';
import { type ModifyIntent, type OrderIntent } from '../../domain/order.ts';
import { type StrategyIndex, type TsUs, tsUs } from '../../domain/units.ts';
import { type CallOutcome, type FailedCall, failureOfCall, ScanEvidence } from '../../domain/broker-order.ts';
import {
  type BrokerOrderKey,
  type BrokerOrderNo,
  type ClientOrderId,
  shortOrderId,
} from '../../domain/ids.ts';
import { type QueuedIntent, callIdOf } from '../state/event-context.ts';
import type { ApprovedModify, ApprovedOrder, ModifyToSend } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { CallAnswer, UnjournaledCalls } from '../ports/engine-event.ts';
import type { Proposal } from '../ports/journal-entry.ts';
import type { Gateway } from '../ports/outbound.ts';
import type { JournalDecisions } from '../replay/decisions.ts';
import type { Guard } from '../risk/risk-guard.ts';
import { ManagedOrder, type OpenCall } from './managed-order.ts';

type CancelProposal = Extract<Proposal, { readonly do: 'cancel' }>;

/** A submit or a change that waits for positions to be read. */
interface PendingCall {
  readonly call: QueuedIntent;
  readonly sinceUs: TsUs;
}

/** Null the first time a call is carried out. */
type PositionWait = { readonly sinceUs: TsUs; readonly isLate: boolean } | null;

/** An exit that waits longer than this for a fresh position is refused, with the reason it had. */
export const PENDING_POSITION_US_MAX = 5_000_000;
/** Exits that may wait at a time. */
const PENDING_MAX = 16;

export class OrderExecutor {
  readonly #view: EngineView;
  readonly #gateway: Gateway;
  #pending: readonly PendingCall[] = [];
  readonly #guard: Guard;
  readonly #past: JournalDecisions;
  /** Counted since the session began. */
  denials = 0;
  placed = 0;
  rejected = 0;
  refusedChanges = 0;

  constructor(view: EngineView, gateway: Gateway, guard: Guard, past: JournalDecisions) {
    this.#view = view;
    this.#gateway = gateway;
    this.#guard = guard;
    this.#past = past;
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  execute(call: QueuedIntent): void {
    const { context } = this.#view;
    const { proposal, strategy, by } = call;
    context.append({
      kind: 'proposal',
      cause: context.seq,
      tsUs: context.nowUs,
      strategy,
      by,
      proposal,
    });
    this.#carryOut(call, null);
  }

  /** Decides pending calls again after a read of positions, or after it failed. `isOver`: those that still may not go are refused. */
  retryPending(isOver: boolean): void {
    const waiting = this.#pending;
    if (waiting.length === 0) return;
    this.#pending = [];
    for (const { call, sinceUs } of waiting) {
      const isLate = isOver || this.#view.context.nowUs - sinceUs >= PENDING_POSITION_US_MAX;
      this.#carryOut(call, { sinceUs, isLate });
    }
  }

  setClockBack(at: TsUs): void {
    this.#pending = this.#pending.map(({ call, sinceUs }) => ({
      call,
      sinceUs: tsUs(Math.min(sinceUs, at)),
    }));
  }

  /** Calls that the process before sent from the emergency file: they are pending no more, and the orders they change are looked up. */
  onUnjournaledCalls({ owners, changes, cancels }: UnjournaledCalls): void {
    const { orders, life } = this.#view;
    const sent = new Set(owners.map((each) => each.clientOrderId));
    for (const { callId } of [...changes, ...cancels]) sent.add(callId);
    if (sent.size === 0) return;
    this.#pending = this.#pending.filter(({ call }) => !sent.has(callIdOf(call.proposal)));
    // The last of several: it was requested when those before had their answer.
    for (const change of new Map(changes.map((each) => [each.clientOrderId, each])).values()) {
      const order = orders.get(change.clientOrderId);
      if (order === undefined || order.isFinal || order.extras.openModify !== null) continue;
      // An order is not changed before the broker has accepted it.
      if (order.isUnresolved && this.#bind(order, change.orderNo, change.orderKey))
        life.apply(order, 'place_accepted');
      if (isAsChanged(order, change)) continue;
      this.#noteModify(order, { ...change, strategy: order.strategy }, false);
      this.#view.breakers.onSent();
    }
  }

  /** Orders that the process before sent unjournaled, maybe just now: they count for the limits of rates. */
  countSent(orders: readonly ManagedOrder[]): void {
    for (const _ of orders) {
      this.#view.breakers.rate.add(this.#view.context.nowUs);
      this.#view.breakers.onSent();
    }
  }

  /** The two books have number sequences of their own. */
  #bind(order: ManagedOrder, orderNo: BrokerOrderNo, orderKey: BrokerOrderKey | null): boolean {
    const { orders, context } = this.#view;
    if (order.isTriggerOrder) return orders.brokerIds.bindTrigger(order, orderNo, orderKey);
    order.orderKey ??= orderKey;
    return orders.brokerIds.bind(order, orderNo, context.nowUs);
  }

  #carryOut(call: QueuedIntent, waited: PositionWait): void {
    const { proposal } = call;
    switch (proposal.do) {
      case 'submit':
        return this.#submit(call, proposal.clientOrderId, proposal.intent, waited);
      case 'modify':
        return this.#modify(call, proposal.callId, proposal.change, waited);
      case 'cancel':
        return this.#cancel(call, proposal);
    }
  }

  /** A call that waited too long is refused with the reason it had. */
  #mayWait(waited: PositionWait): boolean {
    return waited?.isLate !== true && this.#pending.length < PENDING_MAX;
  }

  #awaitPositions(call: QueuedIntent, waited: PositionWait): void {
    this.#pending = [...this.#pending, { call, sinceUs: waited?.sinceUs ?? this.#view.context.nowUs }];
    // An exit waits for positions to be read (rulings, 36).
    this.#view.reads.request('positions');
  }

  #submit(call: QueuedIntent, id: ClientOrderId, intent: OrderIntent, waited: PositionWait): void {
    const decision = this.#view.context.decisions.submit(call, id, intent, this.#mayWait(waited));
    switch (decision.kind) {
      case 'approved':
        return this.#place(decision.approved, call);
      case 'denied':
        this.#journalDenial(call.strategy, id, decision.denial);
        if (!isProtective(call)) this.#view.life.onDenied(call.strategy, id, intent, decision.denial);
        return;
      case 'pending':
        return this.#awaitPositions(call, waited);
    }
  }

  #place(order: ApprovedOrder, call: QueuedIntent): void {
    const { context, orders, exits, breakers } = this.#view;
    const { clientOrderId, strategy, trigger } = order;
    const placed = new ManagedOrder(order, context.nowUs);
    placed.isProtective = isProtective(call);
    placed.isGtc = order.timeInForce === 'gtc';
    placed.isOfSystem = call.by === 'system';
    placed.isLeftBehind = context.decisions.isLeftBehind(call);
    orders.add(placed);
    if (trigger?.kind === 'bracket') exits.expect(placed);
    breakers.rate.add(context.nowUs);
    this.placed += 1;
    const isLost = context.decisions.markIfLost(clientOrderId);
    context.append({ kind: 'place', cause: context.seq, tsUs: context.nowUs, strategy, order, isLost });
    placed.unanswered += 1;
    this.#gateway.submit(order);
    breakers.onSent();
  }

  #modify(call: QueuedIntent, callId: ClientOrderId, change: ModifyIntent, waited: PositionWait): void {
    const order = this.#ownOrder(call, change.clientOrderId);
    if (order === undefined) return this.#denyUnknown(call, callId, change.clientOrderId);
    const decision = this.#view.context.decisions.modify(call, callId, change, this.#mayWait(waited));
    switch (decision.kind) {
      case 'approved':
        return this.#openModify(order, decision.approved);
      case 'denied':
        this.#journalDenial(order.strategy, callId, decision.denial);
        return this.#view.life.onChangeDenied(order, decision.denial);
      case 'pending':
        return this.#awaitPositions(call, waited);
    }
  }

  /** An order that has left, or none of the caller's. */
  #denyUnknown({ strategy }: QueuedIntent, callId: ClientOrderId, clientOrderId: ClientOrderId): void {
    this.#journalDenial(strategy, callId, { code: 'order_not_found', clientOrderId });
  }

  #openModify(order: ManagedOrder, modify: ApprovedModify): void {
    const { context } = this.#view;
    assert(modify.clientOrderId === order.clientOrderId, 'a change names its order');
    assert((modify.orderKey !== null) === order.isTriggerOrder, 'a change goes to the book of its order');
    this.#noteModify(order, modify, context.decisions.markIfLost(modify.callId));
    order.unanswered += 1;
    this.#gateway.modify(modify);
    this.#view.breakers.onSent();
  }

  #noteModify(order: ManagedOrder, modify: ModifyToSend, isLost: boolean): void {
    const { context, breakers, life, session } = this.#view;
    if (modify.qty > order.qty) order.grow(context.nowUs, session.account.readUs);
    order.writableExtras().openModify = {
      callId: modify.callId,
      qty: modify.qty,
      limitPrice: modify.limitPrice,
      triggerPrice: modify.triggerPrice,
      answer: 'none',
      evidence: new ScanEvidence(context.nowUs),
    };
    breakers.rate.add(context.nowUs);
    context.append({ kind: 'modify', ...context.head(order.strategy), modify, isLost });
    life.apply(order, 'modify_sent');
  }

  #cancel(call: QueuedIntent, { callId, clientOrderId, isWithdrawal }: CancelProposal): void {
    const order = this.#ownOrder(call, clientOrderId);
    if (order === undefined) return this.#denyUnknown(call, callId, clientOrderId);
    // Too late.
    if (order.isFinal) return;
    const extras = order.writableExtras();
    if (isWithdrawal === true) extras.isWithdrawn = true;
    else extras.isCancelRequested = true;
    extras.cancelFailedUs = Infinity;
    extras.lostCancel = null;
    // Asked for already.
    if (extras.openCancel !== null || extras.queuedCancel !== null) return;
    extras.queuedCancel = callId;
    this.sendQueuedCancel(order);
  }

  /** Sends a cancel that waited for the order's number or key, or for the book to allow it. */
  sendQueuedCancel(order: ManagedOrder): void {
    const { context, life } = this.#view;
    const { strategy } = order;
    const { queuedCancel: callId, openCancel } = order.extras;
    if (callId === null || !order.canBeCanceled) return;
    assert(openCancel === null, 'one cancel of an order is open at a time');
    const isLost = context.decisions.markIfLost(callId);
    const extras = order.writableExtras();
    extras.queuedCancel = null;
    extras.openCancel = { callId, answer: 'none', evidence: new ScanEvidence(context.nowUs) };
    const cancel = this.#guard.checkCancel(strategy, callId, order);
    context.append({ kind: 'cancel', cause: context.seq, tsUs: context.nowUs, strategy, cancel, isLost });
    life.apply(order, 'cancel_sent');
    order.unanswered += 1;
    this.#gateway.cancel(cancel);
    this.#view.breakers.onSent();
  }

  /** The outcome of a call (rulings, 7). The table ensures that an answer never ends an order that the book shows. */
  onAnswer({ call, callId, clientOrderId, outcome }: CallAnswer): void {
    const { context, orders } = this.#view;
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
    order.unanswered -= 1;
    // An answer without a transition may set a reason too.
    orders.brokerIds.markChanged(order);
    switch (call) {
      case 'place':
        return this.#onPlaceAnswer(order, outcome);
      case 'modify':
        return this.#onModifyAnswer(order, callId, outcome);
      case 'cancel':
        return this.#onCancelAnswer(order, callId, outcome);
    }
  }

  /** The process ended before an answer came: a sent call is unknown, an unwritten one was never sent. */
  onInterrupted(order: ManagedOrder): void {
    if (order.status === 'submitted') this.#onPlaceAnswer(order, this.#interruption(order.clientOrderId));
    const { openModify, openCancel } = order.extras;
    if (openModify?.answer === 'none')
      this.#onModifyAnswer(order, openModify.callId, this.#interruption(openModify.callId));
    if (openCancel?.answer !== 'none') return;
    this.#onCancelAnswer(order, openCancel.callId, this.#interruption(openCancel.callId));
    if (this.#past.isLost(openCancel.callId)) this.#cancelAgain(order);
  }

  #interruption(callId: OpenCall['callId']): CallOutcome {
    return this.#past.isLost(callId)
      ? { status: 'not_sent', reason: 'the process ended before it was written' }
      : { status: 'unknown', reason: 'the process ended before an answer came' };
  }

  /** A cancel that was never sent is asked for again: it cannot do anything twice. */
  #cancelAgain(order: ManagedOrder): void {
    const { strategy, clientOrderId, extras, purpose } = order;
    if (extras.isCancelRequested) this.#view.context.cancel(strategy, clientOrderId);
    else if (purpose === 'entry') this.#view.withdrawal.withdrawOrder(order);
    else this.#view.context.withdraw(strategy, clientOrderId);
  }

  #onPlaceAnswer(order: ManagedOrder, outcome: CallOutcome): void {
    if (outcome.status === 'accepted') {
      this.#view.breakers.refusals.onAccepted(order.strategy, order);
      if (!this.#bind(order, outcome.orderNo, outcome.orderKey))
        this.#alertNumberTaken(order, outcome.orderNo);
      this.#view.life.apply(order, 'place_accepted');
      if (order.cancelQueued) this.sendQueuedCancel(order);
      // The next session knows the order by its row.
      if (order.isTriggerOrder) this.#lookUp(order);
      return;
    }
    this.#onFailed(order, outcome);
    const { breakers, context } = this.#view;
    if (outcome.status === 'rejected') {
      this.rejected += 1;
      breakers.refusals.onRejected(order.strategy, order, order.reason, context.nowUs);
    }
    if (outcome.status === 'unknown' && order.orderNo === null) {
      order.writableExtras().absence = new ScanEvidence(this.#view.context.nowUs);
      const text = `${order.describe(shortOrderId(order.clientOrderId))}: ${outcome.reason}; looked up in the book, and counted as exposure until then`;
      context.alert(order.strategy, 'warning', 'order_unknown', text, { about: order.clientOrderId });
      this.#lookUp(order);
    }
    this.#view.life.apply(order, `place_${outcome.status}`, failureOfCall(outcome));
    if (outcome.status === 'rejected') this.#view.breakers.onRejected();
  }

  /** Something became unknown, or has no row yet: its book is read at once. */
  #lookUp({ isTriggerOrder }: ManagedOrder): void {
    this.#view.reads.request(isTriggerOrder ? 'triggers' : 'book');
  }

  #onModifyAnswer(order: ManagedOrder, callId: OpenCall['callId'], outcome: CallOutcome): void {
    const { openModify } = order.extras;
    const isOpen = openModify?.callId === callId;
    if (isOpen) order.writableExtras().openModify = this.#openCallAfter(openModify, outcome);
    if (outcome.status === 'accepted') return this.#view.life.apply(order, 'modify_accepted');
    if (outcome.status === 'unknown' || order.isTriggerOrder) this.#lookUp(order);
    this.#onChangeFailed(order, outcome);
    // An answer to a change that is no longer open says nothing about the one that is.
    if (isOpen || openModify === null)
      this.#view.life.apply(order, `modify_${outcome.status}`, failureOfCall(outcome));
  }

  #onCancelAnswer(order: ManagedOrder, callId: OpenCall['callId'], outcome: CallOutcome): void {
    const { openCancel } = order.extras;
    const isOpen = openCancel?.callId === callId;
    if (isOpen) {
      const extras = order.writableExtras();
      extras.openCancel = this.#openCallAfter(openCancel, outcome);
      if (extras.openCancel === null) extras.cancelFailedUs = this.#view.context.nowUs;
      extras.isCancelUnsent = outcome.status === 'not_sent';
    }
    this.#lookUp(order);
    if (outcome.status === 'accepted') return this.#view.life.apply(order, 'cancel_accepted');
    this.#onChangeFailed(order, outcome);
    if (isOpen || openCancel === null)
      this.#view.life.apply(order, `cancel_${outcome.status}`, failureOfCall(outcome));
  }

  /** The call that the book must now confirm; null when the broker rejected it or it was not sent. */
  #openCallAfter<Call extends OpenCall>(call: Call, outcome: CallOutcome): Call | null {
    if (outcome.status === 'rejected' || outcome.status === 'not_sent') return null;
    return { ...call, answer: outcome.status, evidence: new ScanEvidence(this.#view.context.nowUs) };
  }

  #onChangeFailed(order: ManagedOrder, outcome: FailedCall): void {
    if (outcome.status === 'rejected') this.refusedChanges += 1;
    this.#onFailed(order, outcome);
  }

  #onFailed(order: ManagedOrder, outcome: FailedCall): void {
    if (outcome.status !== 'unknown') order.reason = failureOfCall(outcome);
  }

  #alertNumberTaken(order: ManagedOrder, orderNo: string): void {
    const text = `${order.describe()} was accepted as order no. ${orderNo}, which is another order's number`;
    this.#view.context.alert(order.strategy, 'critical', 'order_number_taken', text);
  }

  /** A strategy reaches the orders alone that it placed; the system reaches all. */
  #ownOrder(call: QueuedIntent, id: ClientOrderId): ManagedOrder | undefined {
    const order = this.#view.orders.get(id);
    if (order === undefined || call.by === 'system') return order;
    return order.strategy === call.strategy && !order.isProtective && !order.isOfSystem ? order : undefined;
  }

  #journalDenial(strategy: StrategyIndex, id: ClientOrderId, denial: Denial): void {
    const { context } = this.#view;
    this.denials += 1;
    context.append({ kind: 'denied', ...context.head(strategy), clientOrderId: id, denial });
  }
}

/** Stops of the engine itself are the protective ones. */
const isProtective = ({ by, proposal }: QueuedIntent): boolean =>
  by === 'system' && proposal.do === 'submit' && proposal.intent.kind === 'stop';

/** The journal has seen it, or there is nothing to see. */
const isAsChanged = (order: ManagedOrder, { qty, limitPrice, triggerPrice }: ModifyToSend): boolean =>
  order.qty === qty && order.limitPrice === limitPrice && order.triggerPrice === triggerPrice;
