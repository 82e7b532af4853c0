/** What a row of the book says of an order that is known: its terms, its fills, its status, and what became of open calls. */
import type { BrokerOrder, BrokerOrderStatus } from '../../domain/broker-order.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import type { TsUs } from '../../domain/units.ts';
import type { EventContext } from '../state/event-context.ts';
import type { FillSteps } from './fill-steps.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';
import type { OpenCall, OurOrder } from './our-order.ts';

/** After one walk without a trace a cancel that had no answer may be asked for again: the order counts as live either way. */
const WALKS_AFTER_UNKNOWN_CANCEL = 1;

export interface RowStatusParts {
  readonly turn: EventContext;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly fills: FillSteps;
  readonly lookUp: LookUpSettings;
  /** Letters and matched volume disagreed. */
  readonly disagreed: () => void;
}

export class RowStatus {
  readonly #parts: RowStatusParts;

  constructor(parts: RowStatusParts) {
    this.#parts = parts;
  }

  take(order: OurOrder, row: BrokerOrder, startedUs: TsUs): void {
    const isOlder = startedUs < order.rowUs;
    if (!isOlder) this.#takeTerms(order, row, startedUs);
    this.#parts.fills.take(order, row, isOlder);
    if (isOlder) return;
    order.rowUs = startedUs;
    order.canCancel = row.canCancel;
    order.canModify = row.canModify;
    if (row.orderKey !== null) order.orderKey = row.orderKey;
    if (row.reason !== '') order.reason = row.reason;
    this.#takeStatus(order, row, startedUs);
  }

  #takeTerms(order: OurOrder, row: BrokerOrder, startedUs: TsUs): void {
    const limitPrice = row.limitPrice ?? order.limitPrice;
    const isSame = row.qty === order.qty && limitPrice === order.limitPrice;
    const { openModify } = order;
    if (isSame) {
      if (openModify !== null && row.status !== 'modify_pending') this.#countModify(order, startedUs);
      return;
    }
    if (row.status === 'modify_pending') return;
    const isAsked = openModify !== null && openModify.qty === row.qty && openModify.limitPrice === limitPrice;
    if (!isAsked && !order.isFinal) {
      const text = `${order.clientOrderId}: changed elsewhere to ${row.qty} at ${limitPrice} ticks`;
      this.#parts.turn.alert(order.strategy, 'warning', 'order_changed_elsewhere', text);
    }
    order.qty = row.qty;
    order.limitPrice = limitPrice;
    if (isAsked) order.openModify = null;
    const before = order.status;
    this.#parts.life.apply(order, 'modify_confirmed');
    if (order.status === before) this.#parts.life.tell(order);
  }

  #countModify(order: OurOrder, startedUs: TsUs): void {
    const { openModify } = order;
    if (openModify === null || openModify.answer === 'none') return;
    openModify.evidence.add(startedUs);
    if (!openModify.evidence.isEnough(this.#parts.lookUp)) return;
    order.openModify = null;
    this.#parts.life.apply(order, 'modify_lost');
  }

  #takeStatus(order: OurOrder, row: BrokerOrder, startedUs: TsUs): void {
    if (row.status === 'unrecognized' && order.tellOnce(`status:${row.statusText}`)) {
      const text = `${order.clientOrderId}: the book says "${row.statusText}", which is no status we know`;
      this.#parts.turn.alert(order.strategy, 'critical', 'status_unrecognized', text);
    }
    if (isDisagreeing(row)) this.#disagree(order, row);
    const { life } = this.#parts;
    if (row.filledQty >= row.qty) {
      // A change may have taken away all that was left.
      if (!order.isFinal) life.apply(order, 'filled');
      return;
    }
    if (row.status === 'canceled' || row.status === 'matched_canceled') {
      life.apply(order, 'seen_canceled', row.reason);
      return;
    }
    life.apply(order, 'seen_working');
    if (order.openCancel !== null && !isCancelPending(row.status)) this.#countCancel(order, startedUs);
  }

  #countCancel(order: OurOrder, startedUs: TsUs): void {
    const { openCancel } = order;
    if (openCancel === null || !cancelIsLost(openCancel, startedUs, this.#parts.lookUp)) return;
    order.openCancel = null;
    this.#parts.life.apply(order, 'cancel_lost');
  }

  /** Matched volume wins (rulings, 11); it is counted each time and told once. */
  #disagree(order: OurOrder, row: BrokerOrder): void {
    this.#parts.disagreed();
    if (!order.tellOnce(`disagree:${row.statusText}`)) return;
    const text = `${order.clientOrderId}: the book says "${row.statusText}" with ${row.filledQty} of ${row.qty} matched`;
    this.#parts.turn.alert(order.strategy, 'warning', 'status_disagrees', text);
  }
}

/** One more walk shows no trace of a cancel: whether that is enough to ask for it again. */
export function cancelIsLost(
  { answer, evidence }: OpenCall,
  startedUs: TsUs,
  lookUp: LookUpSettings,
): boolean {
  if (answer === 'none') return false;
  evidence.add(startedUs);
  const isUnknownLost = answer === 'unknown' && evidence.walks >= WALKS_AFTER_UNKNOWN_CANCEL;
  return isUnknownLost || evidence.isEnough(lookUp);
}

const isCancelPending = (status: BrokerOrderStatus): boolean =>
  status === 'cancel_pending' || status === 'matched_cancel_pending';

/** The letters claim what the matched volume denies. */
const LETTERS_DENIED: Readonly<Record<BrokerOrderStatus, (filled: number, total: number) => boolean>> = {
  queued: (filled) => filled > 0,
  resting: (filled) => filled > 0,
  modify_pending: (filled, total) => filled === total,
  modified: (filled, total) => filled === total,
  cancel_pending: (filled, total) => filled === total,
  canceled: (filled, total) => filled === total,
  matched: (filled) => filled === 0,
  matched_cancel_pending: (filled) => filled === 0,
  matched_canceled: (filled, total) => filled === 0 || filled === total,
  unrecognized: () => false,
};

const isDisagreeing = ({ status, filledQty, qty }: BrokerOrder): boolean =>
  filledQty > qty || (qty > 0 && LETTERS_DENIED[status](filledQty, qty));
