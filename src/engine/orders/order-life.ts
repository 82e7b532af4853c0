/** Moves orders through their table: journals each step, alerts the odd ones, and leaves word for the strategy. */
import type { EventContext } from '../state/event-context.ts';
import type { OrderUpdates } from './order-updates.ts';
import { type OrderEvent, transition } from './order-table.ts';
import type { Orders } from './orders.ts';
import type { OurOrder } from './our-order.ts';

export class OrderLife {
  readonly #context: EventContext;
  readonly #orders: Orders;
  readonly #news: OrderUpdates;

  constructor(context: EventContext, orders: Orders, news: OrderUpdates) {
    this.#context = context;
    this.#orders = orders;
    this.#news = news;
  }

  apply(order: OurOrder, event: OrderEvent, detail = ''): void {
    const moved = this.#move(order, event, detail);
    if (moved) this.tell(order);
  }

  /** A fill has been added to the order: its status follows, and the strategy hears of both at once. */
  filled(order: OurOrder, lastQty: number, lastValue: number): void {
    this.#move(order, order.filledQty >= order.qty ? 'filled' : 'part_filled', '');
    this.#news.add(order.strategy, order.update(lastQty, lastValue, null));
    if (order.trigger?.kind === 'bracket') this.#orders.owingExits.add(order);
  }

  tell(order: OurOrder): void {
    this.#news.add(order.strategy, order.update(0, 0, null));
  }

  #move(order: OurOrder, event: OrderEvent, detail: string): boolean {
    const from = order.status;
    const result = transition(order, event);
    if (result.isFault) {
      this.#alert(order, 'critical', 'order_fault', `no transition for ${event} in ${from}: status kept`);
      return false;
    }
    const to = result.to === 'accepted' && order.filledQty > 0 ? 'partially_filled' : result.to;
    if (result.oddity !== null && order.tellOnce(`${event}:${from}`)) {
      this.#alert(order, 'critical', 'order_oddity', result.oddity);
    }
    if (to === from) {
      this.#orders.changed(order);
      return false;
    }
    order.status = to;
    if (order.isFinal) settle(order);
    this.#orders.changed(order);
    this.#context.append({
      kind: 'order_status',
      cause: this.#context.seq,
      tsUs: this.#context.nowUs,
      strategy: order.strategy,
      clientOrderId: order.clientOrderId,
      orderNo: order.orderNo,
      from,
      to,
      event,
      detail,
    });
    return true;
  }

  #alert(order: OurOrder, severity: 'warning' | 'critical', code: string, text: string): void {
    const name =
      order.orderNo === null ? order.clientOrderId : `${order.clientOrderId} (no. ${order.orderNo})`;
    this.#context.alert(order.strategy, severity, code, `${name}: ${text}`);
  }
}

/** What was asked for of an order that is final no longer matters. */
function settle(order: OurOrder): void {
  order.openModify = null;
  order.openCancel = null;
  order.queuedCancel = null;
  order.absence = null;
}
