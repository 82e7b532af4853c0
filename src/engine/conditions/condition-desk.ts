/**
 * Carries out what was asked of orders that wait at the broker, like the order desk of the others: risk, then the journal,
 * then the gateway, which makes it durable before it sends. In a replay the journal decides in place of risk.
 */
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, TriggerIntent } from '../../domain/order.ts';
import type { Call } from '../orders/intent-queue.ts';
import type { ContractTable } from '../state/contract-table.ts';
import { OurOrder } from '../orders/our-order.ts';
import type { OrderLife } from '../orders/order-life.ts';
import type { Orders } from '../orders/orders.ts';
import type { SendRate } from '../orders/send-rate.ts';
import { WalkEvidence } from '../orders/walk-evidence.ts';
import type { ConditionToSend, TriggerMoveToSend } from '../ports/approved.ts';
import type { Denial } from '../ports/denial.ts';
import type { ConditionGateway } from '../ports/outbound.ts';
import type { Replay } from '../replay/replay.ts';
import type { Guard, RiskView } from '../risk/risk-view.ts';
import type { EventContext } from '../state/event-context.ts';
import { conditionOf } from './condition-of.ts';
import type { ConditionOwners } from './condition-owners.ts';

export interface ConditionDeskParts {
  readonly turn: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly contracts: ContractTable;
  readonly guard: Guard;
  readonly view: RiskView;
  /** Undefined where nothing can wait at the broker. */
  readonly gateway: ConditionGateway | undefined;
  readonly replay: Replay;
  readonly rate: SendRate;
  readonly owners: ConditionOwners;
}

/** Why nothing was sent; `waits`: the journal holds no decision yet. Null when it is on its way. */
export type Obstacle = { readonly denial: Denial; readonly readFirst: boolean } | 'waits' | null;

const refusal = (denial: Denial): Obstacle => ({ denial, readFirst: false });

export class ConditionDesk {
  readonly #parts: ConditionDeskParts;

  constructor(parts: ConditionDeskParts) {
    this.#parts = parts;
  }

  submit(call: Call, id: ClientOrderId, intent: TriggerIntent): Obstacle {
    const { replay, guard, view, gateway } = this.#parts;
    if (replay.isDurable) return this.#submitRecorded(call, id, intent);
    if (gateway === undefined) return refusal({ code: 'conditions_unavailable' });
    const verdict = guard.checkCondition(
      view,
      call.strategy,
      id,
      intent,
      call.by === 'house' ? 'exit' : 'any',
    );
    if (!verdict.ok) return verdict;
    this.#place(call, verdict.order);
    if (!this.#parts.turn.isReplay) gateway.submit(verdict.order);
    return null;
  }

  /** Moves the trigger, and nothing else (rulings, 13). */
  move(call: Call, callId: ClientOrderId, order: OurOrder, change: ModifyIntent): Obstacle {
    const { replay, guard, view, gateway, turn } = this.#parts;
    if (replay.isDurable) return this.#moveRecorded(call, callId, order, change);
    if (gateway === undefined) return refusal({ code: 'conditions_unavailable' });
    const verdict = guard.checkMove(view, call.strategy, callId, change);
    if (!verdict.ok) return verdict;
    this.#open(call, order, verdict.move);
    if (!turn.isReplay) gateway.moveTrigger(verdict.move);
    return null;
  }

  /** Takes it out of the conditional book; false while it cannot be named there, or has left it. */
  cancel(order: OurOrder, callId: ClientOrderId): boolean {
    const { turn, guard, view, gateway, life, replay } = this.#parts;
    const { orderNo, orderKey, clientOrderId, strategy, orderCode, limitPrice } = order;
    if (orderNo === null || orderKey === null || order.isFinal || order.status === 'triggering') return false;
    const isLost = replay.isLostCancel(callId);
    const evidence = new WalkEvidence(turn.nowUs);
    order.queuedCancel = null;
    order.openCancel = { callId, qty: order.qty, limitPrice, isLost, answer: 'none', evidence };
    const cause = turn.seq;
    const cancel = { callId, clientOrderId, strategy, orderNo, orderCode, cause, orderKey };
    turn.append({ kind: 'cancel', cause, tsUs: turn.nowUs, strategy, cancel, isLost });
    life.apply(order, 'cancel_sent');
    if (!turn.isReplay) gateway?.cancel(guard.approveConditionCancel(view, strategy, callId, order));
    return true;
  }

  #submitRecorded(call: Call, id: ClientOrderId, intent: TriggerIntent): Obstacle {
    const { replay, contracts, turn } = this.#parts;
    const decision = replay.decisionOn(id);
    const contract = contracts.at(intent.instrument);
    if (decision.kind === 'denied') return refusal(decision.denial);
    const condition = conditionOf(intent, (leg) => contracts.at(leg)?.orderCode);
    if (decision.kind === 'waits' || contract === undefined || condition === undefined) return 'waits';
    const { instrument, side, qty, limitPrice } = intent;
    this.#place(call, {
      clientOrderId: id,
      strategy: call.strategy,
      purpose: decision.purpose,
      instrument,
      orderCode: contract.orderCode,
      side,
      qty,
      limitPrice,
      cause: turn.seq,
      condition,
    });
    return null;
  }

  #place(call: Call, order: ConditionToSend): void {
    const { turn, orders, rate, owners } = this.#parts;
    const { cause: _, ...terms } = order;
    const placed = new OurOrder({
      ...terms,
      book: order.condition.kind === 'bracket' ? 'in_day' : 'conditional',
      isAdopted: false,
      isLost: call.isLost,
      createdUs: turn.nowUs,
    });
    orders.add(placed);
    if (order.condition.kind === 'bracket') owners.expect(placed);
    rate.sent(turn.nowUs);
    turn.append({ kind: 'place', cause: turn.seq, tsUs: turn.nowUs, strategy: order.strategy, order });
  }

  #moveRecorded(call: Call, callId: ClientOrderId, order: OurOrder, change: ModifyIntent): Obstacle {
    const { replay, turn } = this.#parts;
    const decision = replay.decisionOn(callId);
    if (decision.kind === 'denied') return refusal(decision.denial);
    const { clientOrderId, strategy, orderCode, orderNo, orderKey, qty, limitPrice } = order;
    const isKnown = orderNo !== null && orderKey !== null;
    if (decision.kind === 'waits' || change.kind !== 'trigger' || !isKnown) return 'waits';
    const { triggerPrice } = change;
    const head = { callId, clientOrderId, strategy, purpose: decision.purpose, cause: turn.seq };
    this.#open(call, order, { ...head, orderNo, orderCode, qty, limitPrice, orderKey, triggerPrice });
    return null;
  }

  #open(call: Call, order: OurOrder, modify: TriggerMoveToSend): void {
    const { turn, rate, life } = this.#parts;
    const { callId, qty, limitPrice, triggerPrice } = modify;
    const evidence = new WalkEvidence(turn.nowUs);
    order.openModify = {
      callId,
      qty,
      limitPrice,
      triggerPrice,
      isLost: call.isLost,
      answer: 'none',
      evidence,
    };
    rate.sent(turn.nowUs);
    turn.append({ kind: 'modify', cause: turn.seq, tsUs: turn.nowUs, strategy: order.strategy, modify });
    life.apply(order, 'modify_sent');
  }
}
