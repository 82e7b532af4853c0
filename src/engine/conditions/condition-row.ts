/** What a row of the conditional book says of an order that is known: its terms, what it sent, and what became of open calls. */
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import type { TsUs } from '../../domain/units.ts';
import type { OrderLife } from '../orders/order-life.ts';
import type { Orders } from '../orders/orders.ts';
import type { OurOrder } from '../orders/our-order.ts';
import { cancelIsLost } from '../orders/row-status.ts';
import type { EventContext } from '../state/event-context.ts';

export interface ConditionRowParts {
  readonly turn: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly lookUp: LookUpSettings;
  /** An order that it sent is not known yet: it stands in the in-day book. */
  readonly readBook: () => void;
}

export class ConditionRowReader {
  readonly #parts: ConditionRowParts;

  constructor(parts: ConditionRowParts) {
    this.#parts = parts;
  }

  take(order: OurOrder, row: BrokerTriggerOrder, startedUs: TsUs): void {
    if (startedUs < order.rowUs) return;
    order.rowUs = startedUs;
    order.absence = null;
    this.#takeTerms(order, row, startedUs);
    if (order.tellOnce(`known:${row.qty}:${row.limitPrice}`)) this.#know(order, row);
    this.#takeChildren(order, row);
    this.#takeStatus(order, row, startedUs);
  }

  /** It may outlive the day: who owns it is found again by what stands here. */
  #know(order: OurOrder, row: BrokerTriggerOrder): void {
    const { turn } = this.#parts;
    const { clientOrderId, parent, purpose, instrument, strategy } = order;
    const head = { cause: turn.seq, tsUs: turn.nowUs, strategy };
    turn.append({ ...head, kind: 'condition_known', clientOrderId, parent, purpose, instrument, row });
  }

  #takeTerms(order: OurOrder, row: BrokerTriggerOrder, startedUs: TsUs): void {
    const isMoved = this.#takeTrigger(order, row, startedUs);
    const limitPrice = row.limitPrice ?? order.limitPrice;
    const isSame = row.qty === order.qty && limitPrice === order.limitPrice;
    if (isSame && !isMoved) return;
    // An exit grows with the fills it covers, and its limit goes with its trigger.
    if (!isSame && order.conditionKind !== 'exit' && !order.isFinal) {
      const text = `${order.clientOrderId}: changed elsewhere to ${row.qty} at ${limitPrice} ticks`;
      this.#parts.turn.alert(order.strategy, 'warning', 'order_changed_elsewhere', text);
    }
    order.qty = row.qty;
    order.limitPrice = limitPrice;
    this.#parts.orders.changed(order);
    this.#parts.life.tell(order);
  }

  /** True when it triggers elsewhere than before. */
  #takeTrigger(order: OurOrder, row: BrokerTriggerOrder, startedUs: TsUs): boolean {
    const { triggerPrice } = row;
    const { openModify, conditionKind } = order;
    const isAsked = openModify !== null && openModify.triggerPrice === triggerPrice;
    if (isAsked) {
      order.openModify = null;
      order.triggerPrice = triggerPrice;
      this.#parts.life.apply(order, 'modify_confirmed');
      return true;
    }
    if (triggerPrice === order.triggerPrice || triggerPrice === null) {
      this.#countModify(order, startedUs);
      return false;
    }
    if (conditionKind === 'trailing_stop') follow(order);
    else if (!order.isFinal) {
      const text = `${order.clientOrderId}: its trigger was moved elsewhere to ${triggerPrice} ticks`;
      this.#parts.turn.alert(order.strategy, 'warning', 'order_changed_elsewhere', text);
    }
    order.triggerPrice = triggerPrice;
    return true;
  }

  #countModify(order: OurOrder, startedUs: TsUs): void {
    const { openModify } = order;
    if (openModify === null || openModify.answer === 'none') return;
    openModify.evidence.add(startedUs);
    if (!openModify.evidence.isEnough(this.#parts.lookUp)) return;
    order.openModify = null;
    this.#parts.life.apply(order, 'modify_lost');
  }

  #takeChildren(order: OurOrder, { children }: BrokerTriggerOrder): void {
    const { orders, readBook } = this.#parts;
    for (const number of children) {
      if (orders.senderOf(number) !== undefined) continue;
      orders.noteSent(number, order);
      const known = orders.byNumber(number);
      if (known === undefined) readBook();
      else if (known.parent !== order.clientOrderId) this.#tellLate(order, known);
    }
  }

  #takeStatus(order: OurOrder, row: BrokerTriggerOrder, startedUs: TsUs): void {
    const { life, turn } = this.#parts;
    switch (row.status) {
      case 'pending':
        life.apply(order, 'seen_waiting');
        if (order.openCancel !== null && cancelIsLost(order.openCancel, startedUs, this.#parts.lookUp)) {
          order.openCancel = null;
          life.apply(order, 'cancel_lost');
        }
        return;
      case 'activated':
        if (order.status !== 'triggered') life.apply(order, 'seen_triggering');
        return;
      case 'canceled':
        return life.apply(order, 'seen_canceled', row.statusText);
      case 'rejected':
        if (!order.isFinal) this.#tellRefused(order);
        return life.apply(order, 'seen_refused', row.statusText);
      case 'unrecognized':
        if (!order.tellOnce(`status:${row.statusText}`)) return;
        return turn.alert(
          order.strategy,
          'critical',
          'status_unrecognized',
          `${order.clientOrderId}: the conditional book says "${row.statusText}", which is no status we know`,
        );
    }
  }

  /** A stop that the broker could not send protects nothing any more. */
  #tellRefused(order: OurOrder): void {
    const text = `${order.clientOrderId} was refused by the broker when it triggered: nothing of it was sent`;
    this.#parts.turn.alert(order.strategy, 'critical', 'trigger_refused', text);
  }

  #tellLate(order: OurOrder, child: OurOrder): void {
    const text = `${child.clientOrderId} turns out to be sent by ${order.clientOrderId}: its fills stay where they were booked`;
    this.#parts.turn.alert(order.strategy, 'critical', 'child_told_late', text);
  }
}

/** From its activation on a trailing stop triggers the other way. */
function follow(order: OurOrder): void {
  order.triggerWhen = order.side === 'sell' ? 'at_or_below' : 'at_or_above';
  order.openModify = null;
}
