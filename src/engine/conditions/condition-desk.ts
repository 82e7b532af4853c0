/** Carries out approved calls of orders that wait at the broker: the journal, then the gateway, which commits before it sends. */
import type { ClientOrderId } from '../../domain/ids.ts';
import { OurOrder } from '../orders/our-order.ts';
import type { OrderLife } from '../orders/order-life.ts';
import type { Orders } from '../orders/orders.ts';
import type { SendRate } from '../orders/send-rate.ts';
import { ScanEvidence } from '../orders/scan-evidence.ts';
import type { ApprovedCondition, ApprovedTriggerMove } from '../ports/approved.ts';
import type { ConditionGateway } from '../ports/outbound.ts';
import type { Guard, RiskView } from '../risk/risk-view.ts';
import type { EventContext } from '../state/event-context.ts';
import type { BracketExits } from '../orders/bracket-exits.ts';

export interface ConditionDeskParts {
  readonly turn: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly guard: Guard;
  readonly view: RiskView;
  /** Undefined where nothing can wait at the broker. */
  readonly gateway: ConditionGateway | undefined;
  readonly rate: SendRate;
  readonly exits: BracketExits;
}

export class ConditionDesk {
  readonly #parts: ConditionDeskParts;

  constructor(parts: ConditionDeskParts) {
    this.#parts = parts;
  }

  place(order: ApprovedCondition): void {
    const { turn, orders, rate, exits, gateway } = this.#parts;
    const { cause: _, condition, ...terms } = order;
    const placed = new OurOrder({
      ...terms,
      trigger: condition,
      isWaiting: condition.kind !== 'bracket',
      parent: null,
      isAdopted: false,
      createdUs: turn.nowUs,
    });
    orders.add(placed);
    if (!placed.isWaiting) exits.expect(placed);
    rate.sent(turn.nowUs);
    turn.append({ kind: 'place', cause: turn.seq, tsUs: turn.nowUs, strategy: order.strategy, order });
    gateway?.submit(order);
  }

  /** Moves the trigger, and nothing else (rulings, 13). */
  move(order: OurOrder, modify: ApprovedTriggerMove): void {
    const { turn, rate, life, gateway } = this.#parts;
    const { callId, qty, limitPrice, triggerPrice } = modify;
    const evidence = new ScanEvidence(turn.nowUs);
    order.openModify = { callId, qty, limitPrice, triggerPrice, answer: 'none', evidence };
    rate.sent(turn.nowUs);
    turn.append({ kind: 'modify', cause: turn.seq, tsUs: turn.nowUs, strategy: order.strategy, modify });
    life.apply(order, 'modify_sent');
    gateway?.moveTrigger(modify);
  }

  /** Takes it out of the conditional book; false while it cannot be named there, or has left it. */
  cancel(order: OurOrder, callId: ClientOrderId): boolean {
    const { turn, guard, view, gateway, life } = this.#parts;
    const { orderNo, orderKey, strategy, limitPrice } = order;
    if (orderNo === null || orderKey === null || order.isFinal || order.status === 'triggering') return false;
    const isLost = turn.decisions.isLost(callId);
    const evidence = new ScanEvidence(turn.nowUs);
    order.queuedCancel = null;
    order.openCancel = { callId, qty: order.qty, limitPrice, answer: 'none', evidence };
    const cancel = guard.approveConditionCancel(view, strategy, callId, order);
    turn.append({ kind: 'cancel', cause: turn.seq, tsUs: turn.nowUs, strategy, cancel, isLost });
    life.apply(order, 'cancel_sent');
    gateway?.cancel(cancel);
    return true;
  }
}
