/**
 * The life of an order as one table: status x event -> status. A row that should not happen carries its reason, which is
 * alerted; a pair that is not in the table is a fault: the status stays, and a person is alerted.
 *
 * An order with a trigger waits in the broker's trigger book until it sends its limit order, which is an order of its own; a
 * trigger crosses our calls on the wire as a fill does.
 */
import type { EngineCore } from '../engine-core.ts';
import { type BrokerTriggerOrder, isDisagreeing } from '../../domain/broker-order.ts';
import { CLOSE_REPORTED_AFTER } from '../../domain/calendar.ts';
import { type ClientOrderId, shortOrderId } from '../../domain/ids.ts';
import { appended } from '../../domain/lists.ts';
import { isFateUnknown, type OrderIntent, type OrderStatus } from '../../domain/order.ts';
import { money, qty, type StrategyIndex } from '../../domain/units.ts';
import type { Denial } from '../ports/denial.ts';
import type { OrderListSnapshot } from '../ports/engine-event.ts';
import type { OrderUpdate, StrategyHost, StrategyUpdate } from '../ports/strategy-port.ts';
import type { ManagedOrder } from './managed-order.ts';
import { assert } from '../../domain/assert.ts';

const NO_UPDATES: StrategyUpdate[] = [];

/** Moves orders through their table: journals each step, alerts the odd ones, and queues the update for the strategy. */
export class OrderLife {
  readonly #core: EngineCore;
  readonly #host: Pick<StrategyHost, 'hasOrderListener'>;
  #updates = NO_UPDATES;

  constructor(core: EngineCore, host: Pick<StrategyHost, 'hasOrderListener'>) {
    this.#core = core;
    this.#host = host;
  }

  apply(order: ManagedOrder, event: OrderEvent, detail = ''): void {
    const moved = this.#move(order, event, detail);
    if (moved) this.publish(order);
  }

  /** A fill has been added to the order: its status follows, and one update carries both. */
  onFilled(order: ManagedOrder, lastQty: number, lastValue: number): void {
    this.#move(order, order.filledQty >= order.qty ? 'filled' : 'part_filled', '');
    this.#afterChange(order, lastQty, lastValue, null);
    if (order.trigger?.kind === 'bracket') this.#core.orders.bracketsMissingExits.add(order);
  }

  publish(order: ManagedOrder): void {
    if (!order.isProtective) this.#afterChange(order, 0, 0, null);
  }

  onChangeDenied(order: ManagedOrder, denial: Denial): void {
    this.#afterChange(order, 0, 0, denial);
  }

  /** Risk denied it; such an order has no state. */
  onDenied(strategy: StrategyIndex, id: ClientOrderId, intent: OrderIntent, denial: Denial): void {
    if (this.#host.hasOrderListener(strategy)) this.#queue(strategy, deniedUpdate(id, intent, denial));
  }

  #queue(strategy: StrategyIndex, update: OrderUpdate): void {
    this.#updates = appended(this.#updates, { strategy, update });
    this.#core.dueWork.markPending();
  }

  drainUpdates(): readonly StrategyUpdate[] {
    const taken = this.#updates;
    this.#updates = NO_UPDATES;
    return taken;
  }

  addWaiting(order: ManagedOrder, row: BrokerTriggerOrder): void {
    order.become('pending_trigger');
    this.#core.orders.add(order);
    const shown = order.writableTrigger();
    shown.kind = row.kind;
    shown.price = row.triggerPrice;
    shown.when = row.triggerWhen;
    this.#core.orders.brokerIds.bindTrigger(order, row.orderNo, row.orderKey);
  }

  /** The order may outlive the day: the next session finds its owner in this entry. */
  journalWaiting(order: ManagedOrder, row: BrokerTriggerOrder): void {
    const { clientOrderId, parent, purpose, isProtective, instrument, strategy } = order;
    const { placedPrice: placedTrigger } = order.triggerState;
    const waiting = { clientOrderId, parent, purpose, isProtective, instrument, row };
    const entry = isProtective && placedTrigger !== null ? { ...waiting, placedTrigger } : waiting;
    this.#core.context.append({ kind: 'order_waiting', ...this.#core.context.head(strategy), ...entry });
  }

  #afterChange(order: ManagedOrder, lastQty: number, lastValue: number, denial: Denial | null): void {
    if (this.#host.hasOrderListener(order.strategy))
      this.#queue(order.strategy, order.asUpdate(lastQty, lastValue, denial));
    // The reason of a refused call does not concern later updates.
    order.reason = '';
  }

  #move(order: ManagedOrder, event: OrderEvent, detail: string): boolean {
    const from = order.status;
    const result = transition(order, event);
    if (result === null) {
      this.#alert(order, 'order_fault', `no transition for ${event} in ${from}: status kept`);
      return false;
    }
    const isOdd = typeof result !== 'string';
    const target = isOdd ? result.to : result;
    const to = target === 'accepted' && order.filledQty > 0 ? 'partially_filled' : target;
    if (isOdd && order.markReported(`${event}:${from}`)) this.#alert(order, 'order_oddity', result.oddity);
    if (to === from) {
      this.#core.orders.changed(order);
      return false;
    }
    order.become(to);
    if (to === 'canceled' && order.isTriggerOrder) this.#core.orders.canceledWaiting.push(order);
    this.#core.orders.changed(order);
    if (isFateUnknown(from) && !isFateUnknown(to)) {
      const text = `${shortOrderId(order.clientOrderId)} is no longer unknown: it is ${to.replaceAll('_', ' ')}`;
      this.#core.context.alert(order.strategy, 'info', 'order_known', text, { about: order.clientOrderId });
    }
    this.#core.context.append({
      kind: 'order_status',
      cause: this.#core.context.seq,
      tsUs: this.#core.context.nowUs,
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

  #alert(order: ManagedOrder, code: 'order_fault' | 'order_oddity', text: string): void {
    const number = order.orderNo === null ? '' : `, no. ${order.orderNo}`;
    this.#core.context.alert(order.strategy, 'critical', code, `${order.describe()}${number}: ${text}`);
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
  readonly #core: EngineCore;
  readonly #life: OrderLife;
  #closedUs = Infinity;

  constructor(core: EngineCore, life: OrderLife) {
    this.#core = core;
    this.#life = life;
  }

  get #isEndless(): boolean {
    return this.#core.settings.orders === 'until_canceled';
  }

  onClose(at: number): void {
    this.#closedUs = at;
  }

  onOpen(): void {
    this.#closedUs = Infinity;
  }

  setClockBack(at: number): void {
    if (this.#closedUs !== Infinity) this.#closedUs = Math.min(this.#closedUs, at);
  }

  /**
   * Day orders die with the last auction; a complete scan once the broker has reported it, by its own clock too, shows all their fills, but
   * for a row that says matched and shows none.
   */
  afterOrderList(snapshot: OrderListSnapshot): void {
    const { complete, startedUs, list } = snapshot;
    const { session } = this.#core;
    const closedUs = this.#closedUs + Math.max(0, session.clockSkewUs);
    if (list !== 'orders' || !complete || startedUs < closedUs + CLOSE_REPORTED_AFTER) return;
    const doubtful = snapshot.orders.filter((row) => row.filledQty === 0 && isDisagreeing(row));
    const numbers = new Set(doubtful.map(({ orderNo }) => orderNo));
    for (const order of this.#core.orders.open) {
      const { isTriggerOrder, isGtc, orderNo, rowUs } = order;
      if (!isTriggerOrder && !isGtc && orderNo !== null && rowUs === startedUs && !numbers.has(orderNo))
        this.#life.apply(order, 'day_ended');
    }
  }

  /** Ends day orders as unproven: the book that could have proven their end is gone. */
  endUnproven(): void {
    if (this.#isEndless) return;
    for (const order of this.#core.orders.open) {
      if (order.isGtc || outlivesDay(order)) continue;
      this.#core.session.hasUnprovenEnds = true;
      this.#life.apply(order, 'day_ended_unproven');
    }
  }

  /** The next day begins. Entries wait until positions explain the unproven orders (rulings, 6). */
  nextDay(): void {
    this.#closedUs = Infinity;
    if (this.#isEndless) return;
    this.endUnproven();
    // Numbers go on where orders do.
    if (this.#core.settings.gtcOrders !== true) this.#core.orders.clear();
  }
}

/** It rests in the trigger book; the next day's scan shows whether it still does. */
const outlivesDay = ({ isTriggerOrder, status }: ManagedOrder): boolean =>
  isTriggerOrder &&
  (status === 'pending_trigger' || status === 'pending_modify' || status === 'pending_cancel');

export const ORDER_EVENTS = [
  'place_accepted',
  'place_rejected',
  'place_unknown',
  'place_not_sent',
  'modify_sent',
  'modify_accepted',
  'modify_rejected',
  'modify_unknown',
  'modify_not_sent',
  'modify_confirmed',
  'modify_lost',
  'cancel_sent',
  'cancel_accepted',
  'cancel_rejected',
  'cancel_unknown',
  'cancel_not_sent',
  'cancel_lost',
  /** The in-day book shows it at the exchange. */
  'seen_working',
  /** The trigger book shows it: waiting, activated, refused when it triggered. */
  'seen_waiting',
  'seen_triggering',
  'seen_refused',
  /** Left over from an earlier day, and in no complete scan of the trigger book today. */
  'seen_gone',
  /** Either book shows it canceled. */
  'seen_canceled',
  /** All orders that it was to send are known. */
  'triggered',
  'part_filled',
  'filled',
  'absent',
  'resolved_absent',
  'resolved_live',
  'day_ended',
  'day_ended_unproven',
] as const;

export type OrderEvent = (typeof ORDER_EVENTS)[number];

/** Events of orders in the trigger book alone; any other order that meets one is a bug. */
export const TRIGGER_EVENTS: ReadonlySet<OrderEvent> = new Set<OrderEvent>([
  'seen_waiting',
  'seen_triggering',
  'seen_refused',
  'seen_gone',
  'triggered',
]);

/** Events that an order in the trigger book cannot meet: its fills are those of the order it sends. */
export const EXCHANGE_EVENTS: ReadonlySet<OrderEvent> = new Set<OrderEvent>([
  'seen_working',
  'part_filled',
  'filled',
  'day_ended',
]);

/** `=` keeps the status; `<` returns to the one before the call that failed; `live` is the status of an accepted order. */
type TransitionTarget = OrderStatus | '=' | '<' | 'live';
/** A cell with a reason: the step happens, and is alerted. */
type Cell = TransitionTarget | readonly [TransitionTarget, string];
type TransitionRow = Partial<Record<OrderEvent, Cell>>;

/** Answers that arrive after the book has shown the order: the book wins. */
const LATE_ANSWERS: TransitionRow = {
  place_accepted: '=',
  place_unknown: '=',
  place_rejected: ['=', 'refused by the answer, yet the book shows it'],
  place_not_sent: ['=', 'not sent, yet the book shows it'],
  modify_accepted: '=',
  modify_rejected: '=',
  modify_unknown: '=',
  modify_not_sent: '=',
  cancel_accepted: '=',
  cancel_rejected: '=',
  cancel_unknown: '=',
  cancel_not_sent: '=',
};

/** A book may show an order whose place had no answer that can be trusted. */
const FOUND: TransitionRow = {
  place_accepted: 'live',
  place_rejected: 'rejected',
  place_not_sent: 'not_sent',
  modify_confirmed: '=', // found with other terms than we sent
  seen_working: 'accepted',
  seen_waiting: 'pending_trigger',
  seen_triggering: 'triggering',
  seen_refused: 'rejected',
  seen_canceled: 'canceled',
  triggered: 'triggered',
  part_filled: 'partially_filled',
  filled: 'filled',
  day_ended: 'expired_unproven',
  day_ended_unproven: 'expired_unproven',
};

const UNPROVEN: TransitionRow = {
  ...FOUND,
  place_unknown: '=',
  resolved_absent: 'not_sent',
  resolved_live: 'live',
};

/** It rests in the trigger book, or did until now. */
const IN_TRIGGER_BOOK: TransitionRow = {
  seen_waiting: '=',
  seen_triggering: 'triggering',
  seen_refused: 'rejected',
  seen_gone: 'expired',
  triggered: 'triggered',
};

const WORKING: TransitionRow = {
  ...LATE_ANSWERS,
  modify_sent: 'pending_modify',
  modify_confirmed: '=', // somebody else changed it, or a change we held for lost
  cancel_sent: 'pending_cancel',
  seen_working: '=',
  seen_canceled: 'canceled', // by somebody else, by the broker, by the kill path, or with its other half
  part_filled: 'partially_filled',
  filled: 'filled',
  resolved_absent: 'canceled', // no scan shows it any more, and a person has checked
  day_ended: 'expired',
  day_ended_unproven: 'expired_unproven',
};

const WAITING: TransitionRow = {
  ...LATE_ANSWERS,
  ...IN_TRIGGER_BOOK,
  resolved_absent: 'canceled',
  modify_confirmed: '=',
  seen_canceled: 'canceled',
};

/** As far as we know the order never reached the broker; the book still wins (failure cases, 3). */
const GIVEN_UP: TransitionRow = {
  place_accepted: ['live', 'accepted after it was given up'],
  modify_confirmed: '=',
  seen_working: ['accepted', 'working after it was given up'],
  seen_waiting: ['pending_trigger', 'waiting after it was given up'],
  seen_triggering: ['triggering', 'triggered after it was given up'],
  triggered: ['triggered', 'triggered after it was given up'],
  part_filled: ['partially_filled', 'filled after it was given up'],
  filled: ['filled', 'filled after it was given up'],
};

const FINAL: TransitionRow = {
  ...LATE_ANSWERS,
  modify_confirmed: '=',
  seen_canceled: '=',
  day_ended: '=',
  day_ended_unproven: '=',
};

/** It may have been in the trigger book before it ended. */
const OVER: TransitionRow = {
  ...FINAL,
  seen_waiting: ['pending_trigger', 'waiting after it was over'],
  seen_triggering: ['triggering', 'triggered after it was over'],
  seen_refused: '=',
  seen_gone: '=',
  triggered: ['triggered', 'triggered after it was over'],
};

const ORDER_TABLE: Readonly<Record<OrderStatus, TransitionRow>> = {
  submitted: { ...FOUND, place_unknown: 'unknown' },
  unknown: { ...UNPROVEN, absent: 'presumed_absent' },
  presumed_absent: { ...UNPROVEN, absent: '=' },
  accepted: WORKING,
  partially_filled: WORKING,
  pending_trigger: { ...WAITING, modify_sent: 'pending_modify', cancel_sent: 'pending_cancel' },
  pending_modify: {
    ...WORKING,
    ...IN_TRIGGER_BOOK,
    modify_sent: ['=', 'changed while a change was open'],
    modify_rejected: '<',
    modify_not_sent: '<',
    modify_confirmed: '<',
    modify_lost: ['<', 'the book shows no trace of the change'],
    part_filled: '=', // PC can end resting or matched
  },
  pending_cancel: {
    ...WORKING,
    ...IN_TRIGGER_BOOK,
    modify_sent: ['=', 'changed while a cancel was open'],
    modify_lost: '=',
    cancel_sent: ['=', 'canceled while a cancel was open'],
    cancel_rejected: '<',
    cancel_not_sent: '<',
    cancel_lost: ['<', 'the book shows no trace of the cancel'],
    part_filled: '=', // PW can end as PM: filled first
  },
  triggering: {
    ...WAITING,
    modify_lost: '=',
    cancel_lost: '=',
    seen_waiting: ['=', 'shown as waiting after it triggered'],
    seen_triggering: '=',
    seen_canceled: ['=', 'canceled after it triggered'],
    seen_gone: '=', // its order is still to come, and counts until a person resolves it
    resolved_live: '=',
    day_ended_unproven: 'expired_unproven',
  },
  triggered: {
    ...OVER,
    cancel_accepted: ['=', 'cancel confirmed for an order that has triggered'],
    seen_triggering: '=',
    triggered: '=',
  },
  denied: {},
  not_sent: {
    ...GIVEN_UP,
    place_not_sent: '=',
    seen_canceled: ['canceled', 'in the book after it was given up'],
  },
  rejected: {
    ...GIVEN_UP,
    place_rejected: '=',
    seen_refused: '=',
    seen_canceled: '=',
    day_ended: '=',
    day_ended_unproven: '=',
  },
  filled: {
    ...FINAL,
    filled: '=',
    cancel_accepted: ['=', 'cancel confirmed for an order that is filled'],
    seen_working: ['=', 'shown as working after it was filled'],
  },
  canceled: {
    ...OVER,
    seen_working: ['accepted', 'shown as working after it was canceled'],
    seen_triggering: ['triggering', 'a trigger crossed our cancel on the wire'],
    triggered: ['triggered', 'a trigger crossed our cancel on the wire'],
    part_filled: ['=', 'a fill crossed our cancel on the wire'],
    filled: ['filled', 'a fill crossed our cancel on the wire'],
  },
  expired: {
    ...OVER,
    seen_working: '=', // letters of the last phase stay in the book after the close
    part_filled: ['=', 'filled after the day ended'],
    filled: ['filled', 'filled after the day ended'],
  },
  expired_unproven: {
    ...OVER,
    resolved_absent: '=',
    seen_working: ['accepted', 'turned up after the day ended'],
    part_filled: ['partially_filled', 'turned up after the day ended'],
    filled: ['filled', 'turned up after the day ended'],
  },
};

interface OddStep {
  readonly to: OrderStatus;
  readonly oddity: string;
}

type TableOrder = Pick<ManagedOrder, 'status' | 'statusBefore' | 'isTriggerOrder'>;

export function transition(order: TableOrder, event: OrderEvent): OrderStatus | OddStep | null {
  const foreign = order.isTriggerOrder ? EXCHANGE_EVENTS : TRIGGER_EVENTS;
  assert(!foreign.has(event), 'a book reports its own orders');
  const cell = ORDER_TABLE[order.status][event];
  if (cell === undefined) return null;
  return typeof cell === 'string' ? statusOf(cell, order) : { to: statusOf(cell[0], order), oddity: cell[1] };
}

function statusOf(target: TransitionTarget, order: TableOrder): OrderStatus {
  if (target === '=') return order.status;
  if (target === '<') return order.statusBefore;
  if (target === 'live') return order.isTriggerOrder ? 'pending_trigger' : 'accepted';
  return target;
}
