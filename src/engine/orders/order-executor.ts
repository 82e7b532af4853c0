/**
 * Carries out what was asked: proposal into the journal, risk, the approved call into the journal, then to the gateway, which
 * makes both durable before it sends (rulings, 30). In a replay the journal decides in place of risk.
 */
import { assert } from '../../domain/assert.ts';
import type { LimitIntent, ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type { StrategyIndex, TsUs } from '../../domain/units.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { Call } from './intent-queue.ts';
import type { ConditionDesk, Obstacle } from '../conditions/condition-desk.ts';
import type { ContractTable } from '../state/contract-table.ts';
import type { OrderUpdates } from './order-updates.ts';
import type { ModifyToSend, OrderToSend } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { Gateway } from '../ports/outbound.ts';
import type { Replay } from '../replay/replay.ts';
import type { Guard, RiskView } from '../risk/risk-view.ts';
import type { EventContext } from '../state/event-context.ts';
import { deniedUpdate } from './denied-update.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';
import { OurOrder } from './our-order.ts';
import type { SendRate } from './send-rate.ts';
import { WalkEvidence } from './walk-evidence.ts';

export interface OrderDeskParts {
  readonly turn: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly contracts: ContractTable;
  readonly news: OrderUpdates;
  readonly guard: Guard;
  readonly view: RiskView;
  readonly gateway: Gateway;
  /** Of orders that wait at the broker. */
  readonly conditions: ConditionDesk;
  readonly replay: Replay;
  readonly rate: SendRate;
  /** An exit waits for positions to be read (rulings, 36). */
  readonly readPositions: () => void;
}

/** A submit or a change that waits for positions to be read. */
interface Parked {
  readonly call: Call;
  readonly sinceUs: TsUs;
}

/** Null the first time a call is carried out. */
type Waited = { readonly sinceUs: TsUs; readonly isLate: boolean } | null;

/** An exit that waits longer than this for a fresh position is refused, with the reason it had. */
export const PARKED_US_MAX = 5_000_000;
/** Exits that may wait at a time. */
const PARKED_MAX = 16;

export class OrderExecutor {
  readonly #parts: OrderDeskParts;
  #parked: readonly Parked[] = [];
  #denials = 0;
  #placed = 0;

  constructor(parts: OrderDeskParts) {
    this.#parts = parts;
  }

  get denials(): number {
    return this.#denials;
  }

  get placed(): number {
    return this.#placed;
  }

  get hasParked(): boolean {
    return this.#parked.length > 0;
  }

  execute(call: Call): void {
    const { turn } = this.#parts;
    const { proposal, strategy, by, isLost } = call;
    turn.append({ kind: 'proposal', cause: turn.seq, tsUs: turn.nowUs, strategy, by, proposal, isLost });
    this.#carryOut(call, null);
  }

  /** Positions were read, or will not be: what waited for them is asked again. `isOver`: refuse what still may not go. */
  retryParked(isOver: boolean): void {
    const waiting = this.#parked;
    if (waiting.length === 0) return;
    this.#parked = [];
    for (const { call, sinceUs } of waiting) {
      const isLate = isOver || this.#parts.turn.nowUs - sinceUs >= PARKED_US_MAX;
      this.#carryOut(call, { sinceUs, isLate });
    }
  }

  #carryOut(call: Call, waited: Waited): void {
    const { proposal } = call;
    switch (proposal.do) {
      case 'submit':
        return this.#submit(call, proposal.clientOrderId, proposal.intent, waited);
      case 'modify':
        return this.#modify(call, proposal.callId, proposal.change, waited);
      case 'cancel':
        return this.#cancel(call, proposal.callId, proposal.clientOrderId);
    }
  }

  /** True when the call waits for a read instead of being refused. */
  #parks(call: Call, readFirst: boolean, waited: Waited): boolean {
    if (!readFirst || waited?.isLate === true || this.#parked.length >= PARKED_MAX) return false;
    this.#park(call, waited);
    return true;
  }

  #park(call: Call, waited: Waited): void {
    this.#parked = [...this.#parked, { call, sinceUs: waited?.sinceUs ?? this.#parts.turn.nowUs }];
    this.#parts.readPositions();
  }

  #submit(call: Call, id: ClientOrderId, intent: OrderIntent, waited: Waited): void {
    const { replay, guard, view, gateway, conditions } = this.#parts;
    if (intent.kind !== 'limit') {
      const obstacle = conditions.submit(call, id, intent);
      if (obstacle === null) this.#placed += 1;
      const denial = this.#refusedBy(obstacle, call, waited);
      if (denial !== null) this.#deny(call.strategy, id, intent, denial);
      return;
    }
    if (replay.isDurable) return this.#submitRecorded(call, id, intent, waited);
    const verdict = guard.checkSubmit(view, call.strategy, id, intent, call.by === 'house' ? 'exit' : 'any');
    if (verdict.ok) this.#place(call, verdict.order, () => gateway.submit(verdict.order));
    else if (!this.#parks(call, verdict.readFirst, waited))
      this.#deny(call.strategy, id, intent, verdict.denial);
  }

  /** Null when it was sent, or waits for a read. */
  #refusedBy(obstacle: Obstacle, call: Call, waited: Waited): Denial | null {
    if (obstacle === null) return null;
    if (obstacle !== 'waits') return this.#parks(call, obstacle.readFirst, waited) ? null : obstacle.denial;
    this.#park(call, waited);
    return null;
  }

  #submitRecorded(call: Call, id: ClientOrderId, intent: LimitIntent, waited: Waited): void {
    const { replay, contracts, turn } = this.#parts;
    const decision = replay.decisionOn(id);
    const contract = contracts.at(intent.instrument);
    if (decision.kind === 'denied') this.#deny(call.strategy, id, intent, decision.denial);
    else if (decision.kind === 'waits' || contract === undefined) this.#park(call, waited);
    else {
      const { instrument, side, limitPrice } = intent;
      const head = { clientOrderId: id, strategy: call.strategy, purpose: decision.purpose, cause: turn.seq };
      const terms = { instrument, orderCode: contract.orderCode, side, qty: intent.qty, limitPrice };
      this.#place(call, { ...head, ...terms }, null);
    }
  }

  #place(call: Call, order: OrderToSend, send: (() => void) | null): void {
    const { turn, orders, rate } = this.#parts;
    const { clientOrderId, strategy, purpose, instrument, orderCode, side, limitPrice } = order;
    orders.add(
      new OurOrder({
        clientOrderId,
        strategy,
        purpose,
        instrument,
        orderCode,
        side,
        qty: order.qty,
        limitPrice,
        isAdopted: false,
        isLost: call.isLost,
        createdUs: turn.nowUs,
      }),
    );
    rate.sent(turn.nowUs);
    this.#placed += 1;
    turn.append({ kind: 'place', cause: turn.seq, tsUs: turn.nowUs, strategy, order });
    if (!turn.isReplay && send !== null) send();
  }

  #deny(strategy: StrategyIndex, id: ClientOrderId, intent: OrderIntent, denial: Denial): void {
    const { news } = this.#parts;
    this.#journalDenial(strategy, id, denial);
    news.add(strategy, deniedUpdate(id, intent, denial));
  }

  #modify(call: Call, callId: ClientOrderId, change: ModifyIntent, waited: Waited): void {
    const { replay, guard, view, gateway, turn, conditions } = this.#parts;
    const order = this.#ownOrder(call, change.clientOrderId);
    if (order === undefined) {
      const denial: Denial = { code: 'order_not_found', clientOrderId: change.clientOrderId };
      return this.#journalDenial(call.strategy, callId, denial);
    }
    if (order.isWaiting) {
      const denial = this.#refusedBy(conditions.move(call, callId, order, change), call, waited);
      if (denial !== null) this.#denyModify(order, callId, denial);
      return;
    }
    if (replay.isDurable) return this.#modifyRecorded(call, callId, order, change, waited);
    const verdict = guard.checkModify(view, call.strategy, callId, change);
    if (verdict.ok) {
      this.#openModify(call, order, verdict.modify);
      if (!turn.isReplay) gateway.modify(verdict.modify);
    } else if (!this.#parks(call, verdict.readFirst, waited)) this.#denyModify(order, callId, verdict.denial);
  }

  #modifyRecorded(
    call: Call,
    callId: ClientOrderId,
    order: OurOrder,
    change: ModifyIntent,
    waited: Waited,
  ): void {
    const { replay, turn } = this.#parts;
    const decision = replay.decisionOn(callId);
    const { clientOrderId, strategy, orderCode, orderNo } = order;
    if (decision.kind === 'denied') this.#denyModify(order, callId, decision.denial);
    else if (decision.kind === 'waits' || orderNo === null) this.#park(call, waited);
    else {
      const head = { callId, clientOrderId, strategy, purpose: decision.purpose, cause: turn.seq };
      this.#openModify(call, order, { ...head, orderNo, orderCode, ...termsAfter(order, change) });
    }
  }

  #denyModify(order: OurOrder, callId: ClientOrderId, denial: Denial): void {
    this.#journalDenial(order.strategy, callId, denial);
    this.#parts.news.add(order.strategy, order.update(0, 0, denial));
  }

  #openModify(call: Call, order: OurOrder, modify: ModifyToSend): void {
    const { turn, rate, life, view } = this.#parts;
    if (modify.qty > order.qty) order.grow(turn.nowUs, view.accountReadUs());
    order.openModify = {
      callId: modify.callId,
      qty: modify.qty,
      limitPrice: modify.limitPrice,
      isLost: call.isLost,
      answer: 'none',
      evidence: new WalkEvidence(turn.nowUs),
    };
    rate.sent(turn.nowUs);
    turn.append({ kind: 'modify', cause: turn.seq, tsUs: turn.nowUs, strategy: order.strategy, modify });
    life.apply(order, 'modify_sent');
  }

  #cancel(call: Call, callId: ClientOrderId, id: ClientOrderId): void {
    const order = this.#ownOrder(call, id);
    if (order === undefined) {
      return this.#journalDenial(call.strategy, callId, { code: 'order_not_found', clientOrderId: id });
    }
    // Asked for already, or too late: neither is worth a call.
    if (order.isFinal || order.openCancel !== null || order.queuedCancel !== null) return;
    order.isUnwanted = true;
    order.queuedCancel = callId;
    this.sendQueuedCancel(order);
  }

  /** Sends a cancel that waited for the order's number, or for the book to allow it. */
  sendQueuedCancel(order: OurOrder): void {
    const { turn, guard, view, gateway, life, replay, conditions } = this.#parts;
    const { queuedCancel: callId, orderNo } = order;
    if (order.isWaiting && callId !== null) return void conditions.cancel(order, callId);
    if (callId === null || orderNo === null || order.isFinal || !order.canCancel) return;
    const { clientOrderId, strategy, orderCode, limitPrice } = order;
    const isLost = replay.isLostCancel(callId);
    const evidence = new WalkEvidence(turn.nowUs);
    order.queuedCancel = null;
    order.openCancel = { callId, qty: order.qty, limitPrice, isLost, answer: 'none', evidence };
    const cancel = { callId, clientOrderId, strategy, orderNo, orderCode, cause: turn.seq };
    turn.append({ kind: 'cancel', cause: turn.seq, tsUs: turn.nowUs, strategy, cancel, isLost });
    life.apply(order, 'cancel_sent');
    if (!turn.isReplay) gateway.cancel(guard.approveCancel(view, strategy, callId, order));
  }

  /** A desk reaches its own orders only; the house reaches all. */
  #ownOrder(call: Call, id: ClientOrderId): OurOrder | undefined {
    const order = this.#parts.orders.get(id);
    return order !== undefined && (call.by === 'house' || order.strategy === call.strategy)
      ? order
      : undefined;
  }

  #journalDenial(strategy: StrategyIndex, id: ClientOrderId, denial: Denial): void {
    const { turn } = this.#parts;
    this.#denials += 1;
    turn.append({ kind: 'denied', cause: turn.seq, tsUs: turn.nowUs, strategy, clientOrderId: id, denial });
  }
}

function termsAfter(order: OurOrder, change: ModifyIntent): Pick<ModifyToSend, 'qty' | 'limitPrice'> {
  assert(change.clientOrderId === order.clientOrderId, 'a change names its order');
  return {
    qty: change.kind === 'qty' ? change.qty : order.qty,
    limitPrice: change.kind === 'price' ? change.limitPrice : order.limitPrice,
  };
}
