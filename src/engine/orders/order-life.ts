/** Moves orders through their table: journals each step, alerts the odd ones, and queues the update for the strategy. */
import { type BrokerTriggerOrder, isDisagreeing } from '../../domain/broker-order.ts';
import { type ClientOrderId, shortOrderId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { EngineSettings, LookUpSettings } from '../../domain/settings.ts';
import { money, qty, type StrategyIndex } from '../../domain/units.ts';
import type { Denial } from '../ports/denial.ts';
import type { BookSnapshot } from '../ports/engine-event.ts';
import type { OrderUpdate, StrategyHost } from '../ports/strategy-port.ts';
import type { DueWork } from '../state/timers.ts';
import type { EventContext } from '../state/event-context.ts';
import { IN_DOUBT, type OrderEvent, transition } from './order-table.ts';
import type { Orders } from './orders.ts';
import type { ManagedOrder } from './managed-order.ts';

/** Updates that strategies receive once the event has changed all state, never in between. */
export interface StrategyUpdate {
  readonly strategy: StrategyIndex;
  readonly update: OrderUpdate;
}

const NO_UPDATES: StrategyUpdate[] = [];

export class OrderLife {
  readonly #context: EventContext;
  readonly #orders: Orders;
  readonly #dueWork: DueWork;
  readonly #host: Pick<StrategyHost, 'isOrderHeard'>;
  #updates = NO_UPDATES;

  constructor(
    context: EventContext,
    orders: Orders,
    dueWork: DueWork,
    host: Pick<StrategyHost, 'isOrderHeard'>,
  ) {
    this.#context = context;
    this.#orders = orders;
    this.#dueWork = dueWork;
    this.#host = host;
  }

  apply(order: ManagedOrder, event: OrderEvent, detail = ''): void {
    const moved = this.#move(order, event, detail);
    if (moved) this.report(order);
  }

  /** A fill has been added to the order: its status follows, and one update carries both. */
  filled(order: ManagedOrder, lastQty: number, lastValue: number): void {
    this.#move(order, order.filledQty >= order.qty ? 'filled' : 'part_filled', '');
    this.#changed(order, lastQty, lastValue, null);
    if (order.trigger?.kind === 'bracket') this.#orders.owingExits.add(order);
  }

  report(order: ManagedOrder): void {
    if (!order.isProtective) this.#changed(order, 0, 0, null);
  }

  changeDenied(order: ManagedOrder, denial: Denial): void {
    this.#changed(order, 0, 0, denial);
  }

  /** Risk denied it; such an order has no state. */
  denied(strategy: StrategyIndex, id: ClientOrderId, intent: OrderIntent, denial: Denial): void {
    this.reportOf(strategy, deniedUpdate(id, intent, denial));
  }

  reportOf(strategy: StrategyIndex, update: OrderUpdate): void {
    if (!this.#host.isOrderHeard(strategy)) return;
    if (this.hasUpdates) this.#updates.push({ strategy, update });
    else this.#updates = [{ strategy, update }];
    this.#dueWork.open();
  }

  get hasUpdates(): boolean {
    return this.#updates.length > 0;
  }

  takeUpdates(): readonly StrategyUpdate[] {
    const taken = this.#updates;
    this.#updates = NO_UPDATES;
    return taken;
  }

  addWaiting(order: ManagedOrder, row: BrokerTriggerOrder): void {
    order.become('pending_trigger');
    this.#orders.add(order);
    const shown = order.ownTrigger();
    shown.kind = row.kind;
    shown.price = row.triggerPrice;
    shown.when = row.triggerWhen;
    this.#orders.names.bindTrigger(order, row.orderNo, row.orderKey);
  }

  /** The order may outlive the day: the next session finds its owner in this entry. */
  journalWaiting(order: ManagedOrder, row: BrokerTriggerOrder): void {
    const { clientOrderId, parent, purpose, isProtective, instrument, strategy, placedTrigger } = order;
    const waiting = { clientOrderId, parent, purpose, isProtective, instrument, row };
    const entry = isProtective && placedTrigger !== null ? { ...waiting, placedTrigger } : waiting;
    this.#context.append({ kind: 'order_waiting', ...this.#context.head(strategy), ...entry });
  }

  #changed(order: ManagedOrder, lastQty: number, lastValue: number, denial: Denial | null): void {
    if (this.#host.isOrderHeard(order.strategy))
      this.reportOf(order.strategy, order.update(lastQty, lastValue, denial));
  }

  #move(order: ManagedOrder, event: OrderEvent, detail: string): boolean {
    const from = order.status;
    const result = transition(order, event);
    if (result === null) {
      this.#alert(order, 'critical', 'order_fault', `no transition for ${event} in ${from}: status kept`);
      return false;
    }
    const isOdd = typeof result !== 'string';
    const target = isOdd ? result.to : result;
    const to = target === 'accepted' && order.filledQty > 0 ? 'partially_filled' : target;
    if (isOdd && order.isFirstReport(`${event}:${from}`))
      this.#alert(order, 'critical', 'order_oddity', result.oddity);
    if (to === from) {
      this.#orders.changed(order);
      return false;
    }
    order.become(to);
    if (to === 'canceled' && order.isWaiting) this.#orders.canceledWaiting.push(order);
    this.#orders.changed(order);
    if (IN_DOUBT.has(from) && !IN_DOUBT.has(to)) {
      const text = `${shortOrderId(order.clientOrderId)} is no longer unknown: it is ${to.replaceAll('_', ' ')}`;
      this.#context.alert(order.strategy, 'info', 'order_known', text);
    }
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

  #alert(order: ManagedOrder, severity: 'warning' | 'critical', code: string, text: string): void {
    const number = order.orderNo === null ? '' : `, no. ${order.orderNo}`;
    this.#context.alert(order.strategy, severity, code, `${order.named()}${number}: ${text}`);
  }
}

const deniedUpdate = (
  clientOrderId: ClientOrderId,
  { instrument, side, qty: wanted, limitPrice }: OrderIntent,
  denial: Denial,
): OrderUpdate => ({
  clientOrderId,
  instrument,
  side,
  status: 'denied',
  qty: wanted,
  limitPrice,
  filledQty: qty(0),
  filledValue: money(0),
  leavesQty: qty(0),
  lastFilledQty: qty(0),
  lastFilledValue: money(0),
  denial,
  reason: '',
});

export class DayEnd {
  readonly #orders: Orders;
  readonly #life: OrderLife;
  readonly #lookUp: LookUpSettings;
  readonly #isEndless: boolean;
  readonly #takesGtc: boolean;
  #closedUs = Infinity;

  constructor(
    orders: Orders,
    life: OrderLife,
    { lookUp, orders: lasting = 'day', gtcOrders = false }: DaySettings,
  ) {
    this.#orders = orders;
    this.#life = life;
    this.#lookUp = lookUp;
    this.#isEndless = lasting === 'until_canceled';
    this.#takesGtc = gtcOrders;
  }

  closed(at: number): void {
    this.#closedUs = at;
  }

  opened(): void {
    this.#closedUs = Infinity;
  }

  setClockBack(at: number): void {
    if (this.#closedUs !== Infinity) this.#closedUs = Math.min(this.#closedUs, at);
  }

  /** Day orders die with the last auction; a complete scan well after it shows all their fills, but for a row that says matched and shows none. */
  afterBook(snapshot: BookSnapshot): void {
    const { complete, startedUs, list } = snapshot;
    if (list !== 'orders' || !complete || startedUs < this.#closedUs + this.#lookUp.spread) return;
    const doubtful = snapshot.orders.filter((row) => row.filledQty === 0 && isDisagreeing(row));
    const numbers = new Set(doubtful.map(({ orderNo }) => orderNo));
    for (const order of this.#orders.open) {
      const { isWaiting, isGtc, orderNo, rowUs } = order;
      if (!isWaiting && !isGtc && orderNo !== null && rowUs === startedUs && !numbers.has(orderNo))
        this.#life.apply(order, 'day_ended');
    }
  }

  /** The day is over, and the book that could have proven it is gone. */
  over(): void {
    if (this.#isEndless) return;
    for (const order of this.#orders.open)
      if (!order.isGtc && !outlivesDay(order)) this.#life.apply(order, 'day_ended_unproven');
  }

  /** The next day begins. Entries wait until positions explain the unproven orders (rulings, 6). */
  nextDay(): void {
    this.#closedUs = Infinity;
    if (this.#isEndless) return;
    this.over();
    // Numbers go on where orders do.
    if (!this.#takesGtc) this.#orders.clear();
  }
}

type DaySettings = Pick<EngineSettings, 'lookUp' | 'orders' | 'gtcOrders'>;

/** It rests in the trigger book; the next day's scan shows whether it still does. */
const outlivesDay = ({ isWaiting, status }: ManagedOrder): boolean =>
  isWaiting && (status === 'pending_trigger' || status === 'pending_modify' || status === 'pending_cancel');
