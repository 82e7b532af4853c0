/**
 * Orders of the in-day book that one of our trigger orders sent: they belong to its strategy. The in-day book says only that the
 * broker made them (`SYS`), the trigger book says which order did. Until it has been read, such a row is held back rather than
 * taken for somebody else's.
 */
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { BrokerOrderNo } from '../../domain/ids.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import { qty, type TsUs } from '../../domain/units.ts';
import type { EventContext } from '../state/event-context.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';
import type { OurOrder } from './our-order.ts';
import { ScanEvidence } from './scan-evidence.ts';

export interface ChildOrdersParts {
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly context: EventContext;
  readonly lookUp: LookUpSettings;
  /** When the last complete scan of the trigger book began. */
  readonly triggersReadUs: () => number;
  readonly readTriggers: () => void;
}

export class ChildOrders {
  readonly #parts: ChildOrdersParts;
  readonly #held = new Map<BrokerOrderNo, ScanEvidence>();

  constructor(parts: ChildOrdersParts) {
    this.#parts = parts;
  }

  /** Rows whose owner is not known yet: what they filled is booked nowhere. */
  get held(): number {
    return this.#held.size;
  }

  /** The order that sent it; `hold`: asked again with the next scan; null: none of our orders. */
  senderOf(row: BrokerOrder, startedUs: TsUs): OurOrder | 'hold' | null {
    const told = this.#parts.orders.senderOf(row.orderNo);
    if (told !== undefined) return this.#release(row, told);
    if (row.source !== 'system') return null;
    if (this.#parts.triggersReadUs() < startedUs) return this.#hold(row, startedUs);
    const alike = this.#parts.orders.open.filter((order) => mayHaveSent(order, row));
    const triggered = alike.find(({ status }) => status === 'triggering');
    if (triggered !== undefined) return this.#release(row, triggered);
    const evidence = this.#held.get(row.orderNo);
    // The two books may tell of one moment at different ones.
    if (alike.length > 0 && evidence?.isEnough(this.#parts.lookUp) !== true)
      return this.#hold(row, startedUs);
    return this.#release(row, null);
  }

  /** The child is an order of its own from here on. */
  sent(sender: OurOrder, child: OurOrder): void {
    const { orders, life, context } = this.#parts;
    if (child.orderNo !== null) orders.noteSent(child.orderNo, sender);
    sender.sentQty = qty(sender.sentQty + child.qty);
    if (sender.sentQty >= sender.qty) life.apply(sender, 'triggered', `sent order no. ${child.orderNo}`);
    else orders.changed(sender);
    life.tell(child);
    // The cancel crossed the trigger on the wire: it goes on to what was sent.
    if (!sender.isUnwanted) return;
    context.ask(child.strategy, 'system', { do: 'cancel', clientOrderId: child.clientOrderId });
  }

  nextDay(): void {
    this.#held.clear();
  }

  #hold({ orderNo }: BrokerOrder, startedUs: TsUs): 'hold' {
    const evidence = this.#held.get(orderNo) ?? new ScanEvidence(startedUs);
    evidence.add(startedUs);
    this.#held.set(orderNo, evidence);
    this.#parts.readTriggers();
    return 'hold';
  }

  #release<Sender>({ orderNo }: BrokerOrder, sender: Sender): Sender {
    this.#held.delete(orderNo);
    return sender;
  }
}

/** A stop sends all of it at once, an arbitrage order as much as its leg has filled. */
function mayHaveSent(order: OurOrder, row: BrokerOrder): boolean {
  if (!order.isWaiting || order.orderCode !== row.orderCode || order.side !== row.side) return false;
  if (row.limitPrice !== null && row.limitPrice !== order.limitPrice) return false;
  return order.triggerKind === 'arbitrage' ? row.qty <= order.leavesQty : row.qty === order.leavesQty;
}
