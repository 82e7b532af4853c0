/**
 * Carries out calls: the proposal into the journal, a decision, the approved call into the journal, then to the gateway, which
 * makes both durable before it sends (rulings, 30).
 */
import { assert } from '../../domain/assert.ts';
import { type ModifyIntent, type OrderIntent, waitsInTriggerBook } from '../../domain/order.ts';
import type { StrategyIndex, TsUs } from '../../domain/units.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { type Call, callIdOf } from '../state/intent-queue.ts';
import type { OrderLife, OrderUpdates } from './order-life.ts';
import type { ApprovedModify, ApprovedOrder, ModifyToSend } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { UnjournaledCalls } from '../ports/engine-event.ts';
import type { Proposal } from '../ports/journal-entry.ts';
import type { Gateway } from '../ports/outbound.ts';
import type { CircuitBreakers } from './circuit-breakers.ts';
import type { Guard } from '../risk/risk-guard.ts';
import type { EventContext } from '../state/event-context.ts';
import type { Orders } from './orders.ts';
import { ManagedOrder, ScanEvidence } from './managed-order.ts';
import type { BracketExits } from './exits.ts';

export interface OrderExecutorParts {
  readonly context: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly updates: OrderUpdates;
  readonly guard: Guard;
  readonly session: { readonly accountReadUs: number };
  readonly gateway: Gateway;
  readonly breakers: Pick<CircuitBreakers, 'sent'>;
  readonly exits: BracketExits;
  /** An exit waits for positions to be read (rulings, 36). */
  readonly readPositions: () => void;
}

type CancelProposal = Extract<Proposal, { readonly do: 'cancel' }>;

/** A submit or a change that waits for positions to be read. */
interface PendingCall {
  readonly call: Call;
  readonly sinceUs: TsUs;
}

/** Null the first time a call is carried out. */
type Waited = { readonly sinceUs: TsUs; readonly isLate: boolean } | null;

/** An exit that waits longer than this for a fresh position is refused, with the reason it had. */
export const PENDING_POSITION_US_MAX = 5_000_000;
/** Exits that may wait at a time. */
const PENDING_MAX = 16;

export class OrderExecutor {
  readonly #parts: OrderExecutorParts;
  #pending: readonly PendingCall[] = [];
  #denials = 0;
  #placed = 0;

  constructor(parts: OrderExecutorParts) {
    this.#parts = parts;
  }

  get denials(): number {
    return this.#denials;
  }

  get placed(): number {
    return this.#placed;
  }

  get hasPending(): boolean {
    return this.#pending.length > 0;
  }

  execute(call: Call): void {
    const { context } = this.#parts;
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

  /**
   * Decides pending-position calls again after a read of positions, or after it failed. `isOver`: refuse those that still may
   * not go.
   */
  retryPending(isOver: boolean): void {
    const waiting = this.#pending;
    if (waiting.length === 0) return;
    this.#pending = [];
    for (const { call, sinceUs } of waiting) {
      const isLate = isOver || this.#parts.context.nowUs - sinceUs >= PENDING_POSITION_US_MAX;
      this.#carryOut(call, { sinceUs, isLate });
    }
  }

  /**
   * The process before sent these when no row could be written (the emergency file told of it): what waits here of them has left,
   * and a change of an order that works is to be looked up.
   */
  takeSent({ owners, changes, cancels }: UnjournaledCalls): void {
    const sent = new Set(owners.map((each) => each.clientOrderId));
    for (const { callId } of [...changes, ...cancels]) sent.add(callId);
    if (sent.size === 0) return;
    this.#pending = this.#pending.filter(({ call }) => !sent.has(callIdOf(call.proposal)));
    // Of several the last: it was asked for when those before had their answer.
    for (const change of new Map(changes.map((each) => [each.clientOrderId, each])).values()) {
      const order = this.#parts.orders.get(change.clientOrderId);
      if (order === undefined || order.isFinal || order.openModify !== null) continue;
      if (order.isUnresolved) this.#noteNumber(order, change);
      if (isAsChanged(order, change)) continue;
      this.#noteModify(order, { ...change, strategy: order.strategy }, false);
      this.#parts.breakers.sent();
    }
  }

  /** Orders that the process before sent unjournaled, maybe just now: they count for the limits of rates. */
  countSent(orders: readonly ManagedOrder[]): void {
    for (const _ of orders) {
      this.#parts.orders.rate.sent(this.#parts.context.nowUs);
      this.#parts.breakers.sent();
    }
  }

  /** Nobody changes an order that the broker has not accepted. */
  #noteNumber(order: ManagedOrder, { orderNo, orderKey }: ModifyToSend): void {
    const { orders, context, life } = this.#parts;
    const isBound = order.isWaiting
      ? orders.bindTrigger(order, orderNo, orderKey)
      : orders.bind(order, orderNo, context.nowUs);
    if (isBound) life.apply(order, 'place_accepted');
  }

  #carryOut(call: Call, waited: Waited): void {
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
  #mayWait(waited: Waited): boolean {
    return waited?.isLate !== true && this.#pending.length < PENDING_MAX;
  }

  #awaitPositions(call: Call, waited: Waited): void {
    this.#pending = [...this.#pending, { call, sinceUs: waited?.sinceUs ?? this.#parts.context.nowUs }];
    this.#parts.readPositions();
  }

  #submit(call: Call, id: ClientOrderId, intent: OrderIntent, waited: Waited): void {
    const decision = this.#parts.context.decisions.submit(call, id, intent, this.#mayWait(waited));
    switch (decision.kind) {
      case 'approved':
        return this.#place(decision.approved, call);
      case 'denied':
        this.#journalDenial(call.strategy, id, decision.denial);
        if (!isProtective(call)) this.#parts.updates.denied(call.strategy, id, intent, decision.denial);
        return;
      case 'pending':
        return this.#awaitPositions(call, waited);
    }
  }

  #place(order: ApprovedOrder, call: Call): void {
    const { context, orders, exits, gateway } = this.#parts;
    const { clientOrderId, strategy, purpose, instrument, orderCode, side, limitPrice, trigger } = order;
    const placed = new ManagedOrder({
      clientOrderId,
      strategy,
      purpose,
      instrument,
      orderCode,
      side,
      qty: order.qty,
      limitPrice,
      trigger,
      isWaiting: waitsInTriggerBook(trigger),
      parent: null,
      isAdopted: false,
      isProtective: isProtective(call),
      createdUs: context.nowUs,
    });
    placed.isLasting = order.timeInForce === 'gtc';
    placed.isOfSystem = call.by === 'system';
    orders.add(placed);
    if (trigger?.kind === 'bracket') exits.expect(placed);
    orders.rate.sent(context.nowUs);
    this.#placed += 1;
    const isLost = context.decisions.losesCall(clientOrderId);
    context.append({ kind: 'place', cause: context.seq, tsUs: context.nowUs, strategy, order, isLost });
    placed.unanswered += 1;
    gateway.submit(order);
    this.#parts.breakers.sent();
  }

  #modify(call: Call, callId: ClientOrderId, change: ModifyIntent, waited: Waited): void {
    const order = this.#ownOrder(call, change.clientOrderId);
    if (order === undefined) return this.#denyUnknown(call, callId, change.clientOrderId);
    const decision = this.#parts.context.decisions.modify(call, callId, order, change, this.#mayWait(waited));
    switch (decision.kind) {
      case 'approved':
        return this.#openModify(order, decision.approved);
      case 'denied':
        return this.#denyModify(order, callId, decision.denial);
      case 'pending':
        return this.#awaitPositions(call, waited);
    }
  }

  /** An order that has left, or none of the caller's. */
  #denyUnknown({ strategy }: Call, callId: ClientOrderId, id: ClientOrderId): void {
    const { orders, updates } = this.#parts;
    const left = orders.left(id, strategy);
    const denial: Denial =
      left === undefined
        ? { code: 'order_not_found', clientOrderId: id }
        : { code: 'order_not_working', status: left.status };
    this.#journalDenial(strategy, callId, denial);
    if (left !== undefined) updates.tell(strategy, { ...left, denial });
  }

  #denyModify(order: ManagedOrder, callId: ClientOrderId, denial: Denial): void {
    this.#journalDenial(order.strategy, callId, denial);
    this.#parts.updates.changed(order, 0, 0, denial);
  }

  #openModify(order: ManagedOrder, modify: ApprovedModify): void {
    const { context, gateway } = this.#parts;
    assert(modify.clientOrderId === order.clientOrderId, 'a change names its order');
    assert((modify.orderKey !== null) === order.isWaiting, 'a change goes to the book of its order');
    this.#noteModify(order, modify, context.decisions.losesCall(modify.callId));
    order.unanswered += 1;
    gateway.modify(modify);
    this.#parts.breakers.sent();
  }

  #noteModify(order: ManagedOrder, modify: ModifyToSend, isLost: boolean): void {
    const { context, orders, life, session } = this.#parts;
    if (modify.qty > order.qty) order.grow(context.nowUs, session.accountReadUs);
    order.openModify = {
      callId: modify.callId,
      qty: modify.qty,
      limitPrice: modify.limitPrice,
      triggerPrice: modify.triggerPrice,
      answer: 'none',
      evidence: new ScanEvidence(context.nowUs),
    };
    orders.rate.sent(context.nowUs);
    context.append({
      kind: 'modify',
      cause: context.seq,
      tsUs: context.nowUs,
      strategy: order.strategy,
      modify,
      isLost,
    });
    life.apply(order, 'modify_sent');
  }

  #cancel(call: Call, { callId, clientOrderId, isWithdrawal }: CancelProposal): void {
    const { orders } = this.#parts;
    const order = this.#ownOrder(call, clientOrderId);
    // Too late.
    if (order === undefined ? orders.left(clientOrderId, call.strategy) !== undefined : order.isFinal) return;
    if (order === undefined)
      return this.#journalDenial(call.strategy, callId, { code: 'order_not_found', clientOrderId });
    if (isWithdrawal === true) order.isWithdrawn = true;
    else order.isUnwanted = true;
    order.cancelFailedUs = Infinity;
    order.lostCancel = null;
    // Asked for already.
    if (order.openCancel !== null || order.queuedCancel !== null) return;
    order.queuedCancel = callId;
    this.sendQueuedCancel(order);
  }

  /** Sends a cancel that waited for the order's number or key, or for the book to allow it. */
  sendQueuedCancel(order: ManagedOrder): void {
    const { context, guard, gateway, life } = this.#parts;
    const { queuedCancel: callId, strategy } = order;
    if (callId === null || !order.canBeCanceled) return;
    assert(order.openCancel === null, 'one cancel of an order is open at a time');
    const isLost = context.decisions.losesCall(callId);
    order.queuedCancel = null;
    order.openCancel = {
      callId,
      qty: order.qty,
      limitPrice: order.limitPrice,
      triggerPrice: null,
      answer: 'none',
      evidence: new ScanEvidence(context.nowUs),
    };
    const cancel = guard.checkCancel(strategy, callId, order);
    context.append({ kind: 'cancel', cause: context.seq, tsUs: context.nowUs, strategy, cancel, isLost });
    life.apply(order, 'cancel_sent');
    order.unanswered += 1;
    gateway.cancel(cancel);
    this.#parts.breakers.sent();
  }

  /** A strategy reaches the orders alone that it placed; the system reaches all. */
  #ownOrder(call: Call, id: ClientOrderId): ManagedOrder | undefined {
    const order = this.#parts.orders.get(id);
    if (order === undefined || call.by === 'system') return order;
    return order.strategy === call.strategy && !order.isProtective && !order.isOfSystem ? order : undefined;
  }

  #journalDenial(strategy: StrategyIndex, id: ClientOrderId, denial: Denial): void {
    const { context } = this.#parts;
    this.#denials += 1;
    context.append({
      kind: 'denied',
      cause: context.seq,
      tsUs: context.nowUs,
      strategy,
      clientOrderId: id,
      denial,
    });
  }
}

/** Stops of the engine itself are the protective ones. */
const isProtective = ({ by, proposal }: Call): boolean =>
  by === 'system' && proposal.do === 'submit' && proposal.intent.kind === 'stop';

/** The journal has seen it, or there is nothing to see. */
const isAsChanged = (order: ManagedOrder, { qty, limitPrice, triggerPrice }: ModifyToSend): boolean =>
  order.qty === qty && order.limitPrice === limitPrice && order.triggerPrice === triggerPrice;
