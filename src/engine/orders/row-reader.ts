/** Applies a row of a book, or its absence, to an order (rulings, 8, 9, 11): terms, fills, status, and the outcome of open calls. */
import type { EngineView } from '../engine-view.ts';
import {
  type BrokerOrder,
  type BrokerOrderStatus,
  type BrokerTriggerOrder,
  isCanceled,
  isDisagreeing,
  mayWork,
  ScanEvidence,
} from '../../domain/broker-order.ts';
import { shortOrderId } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/order.ts';
import { minutes, type PriceTicks, qty, type TsUs } from '../../domain/units.ts';
import type { OrderExecutor } from './order-executor.ts';
import type { FillSteps } from './fill-steps.ts';
import type { ManagedOrder } from './managed-order.ts';

/** After one scan without a trace a cancel that had no answer may be asked for again: the order counts as live either way. */
const SCANS_AFTER_UNKNOWN_CANCEL = 1;

/** Contradictions concern many orders at once: they are one alert. */
const CONTRADICTIONS_EVERY = minutes(5);

/** The broker has it, by its answer or by a row. */
const TAKEN: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'accepted',
  'partially_filled',
  'pending_trigger',
]);

/** A scan of one book, or rows that a venue in the process reports. */
export interface Scan {
  readonly startedUs: TsUs;
  /** Null where the scan is not complete: no order is missed then. */
  readonly shown: Set<ManagedOrder> | null;
  /** Rows of orders that were over when this day began. */
  oldRows: number;
}

export class RowReader {
  readonly #view: EngineView;
  readonly #fills: FillSteps;
  readonly #executor: OrderExecutor;
  /** How often letters and matched volume disagreed. */
  disagreements = 0;
  #contradictedUs: TsUs | null = null;
  /** Since the last alert. */
  #contradictions = 0;

  constructor(view: EngineView, fills: FillSteps, executor: OrderExecutor) {
    this.#view = view;
    this.#fills = fills;
    this.#executor = executor;
  }

  /** A row of the in-day book; one of an older scan counts for fills alone. As one object the scan is an allocation for each of a backtest. */
  applyOrderRow(order: ManagedOrder, row: BrokerOrder, startedUs: TsUs, shown: Scan['shown']): void {
    shown?.add(order);
    this.#view.orders.brokerIds.markChanged(order);
    order.clearAbsence();
    if (isOverfilled(order, row)) return this.contradict(order, row);
    const isOlder = startedUs < order.rowUs;
    if (!isOlder) this.#applyTerms(order, row, startedUs);
    this.#fills.take(order, row, isOlder);
    if (!isOlder) this.#applyState(order, row, startedUs);
    if (order.cancelQueued) this.#executor.sendQueuedCancel(order);
  }

  #applyState(order: ManagedOrder, row: BrokerOrder, startedUs: TsUs): void {
    order.rowUs = startedUs;
    const isNumberProven =
      !order.extras.isNumberLost &&
      (!order.isCarriedOver || this.#view.carriedOrders.provesNumbers(startedUs));
    order.canCancel = row.canCancel && isNumberProven;
    order.canModify = row.canModify && isNumberProven;
    if (row.orderKey !== null) order.orderKey = row.orderKey;
    if (row.reason !== '') order.reason = row.reason;
    this.#applyStatus(order, row, startedUs);
    this.#endRows(order);
  }

  /** Reads may overlap: one that began before the row of an end arrived may have been answered before it. */
  #endRows(order: ManagedOrder): void {
    if (order.isFinal) order.rowUs = this.#view.context.nowUs;
  }

  applyTriggerRow(order: ManagedOrder, row: BrokerTriggerOrder, { startedUs, shown }: Scan): void {
    shown?.add(order);
    this.#view.carriedOrders.onShown(order, startedUs);
    if (startedUs >= order.rowUs) {
      order.rowUs = startedUs;
      order.clearAbsence();
      this.#applyTriggerTerms(order, row, startedUs);
      if (order.markReported(`known:${row.qty}:${row.limitPrice}`))
        this.#view.life.journalWaiting(order, row);
      this.#applyChildren(order, row);
      this.#applyTriggerStatus(order, row, startedUs);
      this.#endRows(order);
    }
    if (order.cancelQueued) this.#executor.sendQueuedCancel(order);
  }

  #applyTerms(order: ManagedOrder, row: BrokerOrder, startedUs: TsUs): void {
    const limitPrice = row.limitPrice ?? order.limitPrice;
    const isSame = row.qty === order.qty && limitPrice === order.limitPrice;
    const { openModify } = order.extras;
    if (isSame) {
      if (openModify !== null && row.status !== 'modify_pending') this.#countModify(order, startedUs);
      return;
    }
    if (row.status === 'modify_pending') return;
    const isAsked = openModify !== null && openModify.qty === row.qty && openModify.limitPrice === limitPrice;
    if (!isAsked && !order.isFinal) this.#alertChanged(order, `changed elsewhere to ${row.qty}`, limitPrice);
    order.qty = row.qty;
    order.limitPrice = limitPrice;
    if (isAsked) order.writableExtras().openModify = null;
    const before = order.status;
    this.#view.life.apply(order, 'modify_confirmed');
    if (order.status === before) this.#view.life.publish(order);
  }

  #applyTriggerTerms(order: ManagedOrder, row: BrokerTriggerOrder, startedUs: TsUs): void {
    const isMoved = this.#applyTriggerPrice(order, row, startedUs);
    const limitPrice = row.limitPrice ?? order.limitPrice;
    const isSame = row.qty === order.qty && limitPrice === order.limitPrice;
    if (isSame && !isMoved) return;
    // An exit grows with the fills it covers, and its limit goes with its trigger.
    if (!isSame && order.triggerState.kind !== 'exit' && !order.isFinal)
      this.#alertChanged(order, `changed elsewhere to ${row.qty}`, limitPrice);
    order.qty = row.qty;
    order.limitPrice = limitPrice;
    this.#view.orders.changed(order);
    this.#view.life.publish(order);
  }

  #applyTriggerPrice(order: ManagedOrder, { triggerPrice }: BrokerTriggerOrder, startedUs: TsUs): boolean {
    const { openModify } = order.extras;
    if (openModify !== null && triggerPrice !== null && openModify.triggerPrice === triggerPrice) {
      order.writableExtras().openModify = null;
      order.writableTrigger().price = triggerPrice;
      this.#view.life.apply(order, 'modify_confirmed');
      return true;
    }
    if (triggerPrice === order.triggerPrice || triggerPrice === null) {
      this.#countModify(order, startedUs);
      return false;
    }
    if (order.triggerState.kind === 'trailing_stop') order.activateTrail();
    else if (!order.isFinal)
      this.#alertChanged(order, 'its trigger was moved elsewhere, and is', triggerPrice);
    order.writableTrigger().price = triggerPrice;
    return true;
  }

  #countModify(order: ManagedOrder, startedUs: TsUs): void {
    const { openModify } = order.extras;
    if (openModify === null || openModify.answer === 'none') return;
    openModify.evidence.add(startedUs, this.#view.settings.lookUp);
    if (!openModify.evidence.isEnough(this.#view.settings.lookUp)) return;
    order.writableExtras().openModify = null;
    this.#view.life.apply(order, 'modify_lost');
  }

  #applyStatus(order: ManagedOrder, row: BrokerOrder, startedUs: TsUs): void {
    if (row.status === 'unrecognized') this.#alertUnrecognized(order, row.statusText, 'the book');
    const isNewDoubt = isDisagreeing(row) && this.#disagree(order, row);
    if (row.filledQty >= row.qty) {
      // A change may have taken away all that was left.
      if (!order.isFinal) this.#view.life.apply(order, 'filled');
      return;
    }
    // Letters of a fill without its volume: the next scan may show it, and until then the order counts in full.
    if (isNewDoubt && isCanceled(row)) return;
    this.#contradictStatus(order, isCanceled(row) && mayWork(row) && order.extras.resolvedAs === null, row);
    if (isCanceled(row) && !order.extras.isContradicted && order.extras.resolvedAs !== 'live') {
      this.#view.life.apply(order, 'seen_canceled', row.reason);
      return;
    }
    this.#view.life.apply(order, 'seen_working');
    if (!isCancelPending(row.status)) this.#countCancel(order, startedUs);
    clearCancelRequest(order, startedUs);
  }

  #applyTriggerStatus(
    order: ManagedOrder,
    { status, statusText }: BrokerTriggerOrder,
    startedUs: TsUs,
  ): void {
    switch (status) {
      case 'pending':
        order.writableTrigger().waitedUs = startedUs;
        this.#view.life.apply(order, 'seen_waiting');
        this.#countCancel(order, startedUs);
        return clearCancelRequest(order, startedUs);
      case 'activated':
        if (order.status !== 'triggered') this.#view.life.apply(order, 'seen_triggering');
        return;
      case 'canceled':
        return this.#view.life.apply(order, 'seen_canceled', brokerWords(statusText));
      case 'rejected':
        if (!order.isFinal) this.#alertRefused(order);
        return this.#view.life.apply(order, 'seen_refused', brokerWords(statusText));
      case 'unrecognized':
        return this.#alertUnrecognized(order, statusText, 'the trigger book');
    }
  }

  /** One more scan shows no trace of a cancel. */
  #countCancel(order: ManagedOrder, startedUs: TsUs): void {
    const { openCancel, lostCancel } = order.extras;
    if (openCancel?.answer === 'none') return;
    const evidence = openCancel?.evidence ?? lostCancel;
    if (evidence === null) return;
    const extras = order.writableExtras();
    evidence.add(startedUs, this.#view.settings.lookUp);
    const isProven = evidence.isEnough(this.#view.settings.lookUp);
    if (isProven) extras.cancelFailedUs = startedUs;
    const isUnknownLost = openCancel?.answer === 'unknown' && evidence.scans >= SCANS_AFTER_UNKNOWN_CANCEL;
    if (isUnknownLost || isProven) extras.lostCancel = isProven ? null : evidence;
    if (openCancel === null || (!isUnknownLost && !isProven)) return;
    extras.openCancel = null;
    this.#view.life.apply(order, 'cancel_lost');
  }

  #applyChildren(order: ManagedOrder, { children }: BrokerTriggerOrder): void {
    for (const number of children) {
      if (!this.#view.orders.brokerIds.noteSent(number, order)) continue;
      const known = this.#view.orders.brokerIds.byNumber(number);
      // An exit is met in the book: it came after its bracket. One from before that, or one that we placed, has the number of another day.
      const bracket = this.#view.orders.get(order.parent);
      const sinceUs = bracket?.createdUs ?? order.createdUs;
      if (known === undefined || known.createdUs < sinceUs || (known.parent === null && !known.isAdopted))
        this.#view.reads.request('book');
      else if (known.parent !== order.clientOrderId) {
        const text = `${known.clientOrderId} was sent by ${order.clientOrderId}, which the broker reported late: its fills stay where they were booked`;
        this.#view.context.alert(order.strategy, 'critical', 'child_reported_late', text);
        this.onChildSent(order, known);
      }
    }
  }

  /** The child is an order of its own from here on. */
  onChildSent(sender: ManagedOrder, child: ManagedOrder): void {
    if (child.orderNo !== null) this.#view.orders.brokerIds.noteSent(child.orderNo, sender);
    const sent = sender.writableTrigger();
    sent.sentQty = qty(sent.sentQty + child.qty);
    if (sent.sentQty >= sender.qty)
      this.#view.life.apply(sender, 'triggered', `sent order no. ${child.orderNo}`);
    else this.#view.orders.changed(sender);
    this.#view.life.publish(child);
    if (child.isFinal) return;
    // The cancel crossed the trigger on the wire: it applies to the order that was sent.
    if (sender.extras.isCancelRequested) this.#view.context.cancel(child.strategy, child.clientOrderId);
    else if (sender.extras.isWithdrawn && !this.#view.withdrawal.isCover(child.clientOrderId))
      this.#view.withdrawal.withdrawOrder(child);
  }

  /** Matched volume wins (rulings, 11); it is counted each time and alerted once. True for the first row that says so. */
  #disagree(order: ManagedOrder, row: BrokerOrder): boolean {
    this.disagreements += 1;
    if (!order.markReported(`disagree:${row.statusText}`)) return false;
    const text = `${order.describe()}: the book says "${row.statusText}" with ${row.filledQty} of ${row.qty} matched`;
    this.#view.context.alert(order.strategy, 'warning', 'status_disagrees', text);
    return true;
  }

  /** The row names the order, and contract, side or quantity are another's: nothing of it counts, and entries wait (rulings, 11). */
  contradict(order: ManagedOrder, row: BrokerOrder): void {
    if (order.extras.isContradicted || order.extras.resolvedAs !== null) return;
    const shown = `${row.side} ${row.qty} ${row.orderCode}, ${row.filledQty} filled`;
    const text = `${order.clientOrderId} (no. ${row.orderNo}) is ${order.side} ${order.qty} ${order.orderCode}, and the book shows it as ${shown}: nothing of that is booked, and entries are blocked until the book agrees or you resolve it`;
    this.#markContradicted(order, 'row_contradicts', text);
  }

  /** Letters and flags of the row contradict each other: the order counts as live, and entries wait (rulings, 11). */
  #contradictStatus(order: ManagedOrder, isContradicted: boolean, row: BrokerOrder): void {
    if (order.extras.isContradicted === isContradicted) return;
    if (isContradicted) {
      const text = `${order.describe()}, no. ${row.orderNo}: the book says "${row.statusText}" and that it can be canceled: it counts as live, and entries are blocked until the book agrees or you resolve it`;
      return this.#markContradicted(order, 'status_contradicts', text);
    }
    order.writableExtras().isContradicted = false;
    this.#view.orders.changed(order);
  }

  #markContradicted(order: ManagedOrder, code: string, text: string): void {
    order.writableExtras().isContradicted = true;
    this.#view.orders.changed(order);
    if (
      this.#contradictedUs !== null &&
      this.#view.context.nowUs - this.#contradictedUs < CONTRADICTIONS_EVERY
    ) {
      this.#contradictions += 1;
      return;
    }
    const others = this.#contradictions;
    this.#contradictedUs = this.#view.context.nowUs;
    this.#contradictions = 0;
    const more = others === 0 ? '' : `; more orders since the last alert: ${others}`;
    this.#view.context.alert(order.strategy, 'critical', code, `${text}${more}`);
  }

  /**
   * Orders that no scan showed never arrived where positions that were read since agree. The settings say whether that ends one; a
   * reduction it ends while its owner is flattened, else nothing could be closed. The book still wins should one turn up.
   */
  endAbsent(): void {
    const { orders, positionReconciler, targets } = this.#view;
    if (orders.presumedAbsent === null) return;
    for (const order of orders.open) {
      const { clientOrderId, strategy, status, purpose } = order;
      const isEnded =
        this.#view.settings.lookUp.resolve === 'proven_absent' ||
        (purpose === 'reduce' && targets.isFlattening(strategy));
      if (status !== 'presumed_absent' || !isEnded || positionReconciler.agreedUs <= order.extras.absentUs)
        continue;
      this.#view.life.apply(order, 'resolved_absent', 'no complete scan showed it, and positions agree');
      const text = `${clientOrderId} never arrived: no complete scan shows it, and positions read since agree`;
      this.#view.context.alert(strategy, 'warning', 'order_proven_absent', text);
    }
  }

  /**
   * A list that lacks an order which the broker has had today is no evidence that another never arrived (rulings, 9). The in-day book
   * keeps orders that are over until the broker's day ends, which comes before ours where our clock is behind.
   */
  #isWhole(shown: ReadonlySet<ManagedOrder>, isOfTriggers: boolean): boolean {
    return this.#view.orders.every((order) => {
      if (order.isTriggerOrder !== isOfTriggers || order.isCarriedOver || shown.has(order)) return true;
      const isExpected = order.isFinal
        ? !isOfTriggers && order.rowUs !== -Infinity
        : TAKEN.has(order.status) && !order.extras.isNumberLost;
      return !isExpected || this.#view.carriedOrders.isOfDayBefore(order);
    });
  }

  /** A complete scan of its book does not show it. */
  onMissing(order: ManagedOrder, startedUs: TsUs, shown: ReadonlySet<ManagedOrder>): void {
    this.#view.carriedOrders.onMissing(order);
    if (order.status === 'submitted' || order.status === 'presumed_absent') return;
    if (order.status === 'unknown' && !this.#isWhole(shown, order.isTriggerOrder))
      return this.#view.carriedOrders.alertNoEvidence(order, startedUs);
    const extras = order.writableExtras();
    const absence = (extras.absence ??= new ScanEvidence(order.createdUs));
    absence.add(startedUs, this.#view.settings.lookUp);
    if (!absence.isEnough(this.#view.settings.lookUp)) return;
    const { clientOrderId, strategy } = order;
    const book = order.isTriggerOrder ? 'trigger book' : 'book';
    if (order.isCarriedOver || this.#view.carriedOrders.isOfDayBefore(order)) {
      const hadRow = order.isTriggerOrder && order.status !== 'unknown' && order.status !== 'triggering';
      this.#view.life.apply(
        order,
        hadRow ? 'seen_gone' : 'day_ended_unproven',
        'not in the book of the new day',
      );
    } else if (extras.isNumberLost) {
      this.#view.life.apply(order, 'day_ended_unproven', "not in the book of the broker's new day");
    } else if (order.status === 'unknown') {
      extras.absentUs = startedUs;
      this.#view.life.apply(order, 'absent', `${absence.scans} complete scans did not show it`);
      const price = this.#view.contracts.priceText(order.instrument, order.limitPrice);
      const what = `${shortOrderId(clientOrderId)} ${order.side} ${order.qty} ${order.orderCode} at ${price}`;
      const text = `${what}: not in the broker's ${book}; it counts as open until it is resolved (${clientOrderId})`;
      this.#view.context.alert(strategy, 'critical', 'order_presumed_absent', text, { about: clientOrderId });
    } else if (order.markReported('missing')) {
      const text = `${order.describe()} was accepted, and complete scans of the ${book} do not show it: if the broker does not have it, resolve it as absent`;
      this.#view.context.alert(strategy, 'critical', 'order_missing', text);
    }
  }

  #alertChanged(order: ManagedOrder, change: string, price: PriceTicks): void {
    const text = `${order.describe()}: ${change} at ${this.#view.contracts.priceText(order.instrument, price)}`;
    this.#view.context.alert(order.strategy, 'warning', 'order_changed_elsewhere', text);
  }

  #alertUnrecognized(order: ManagedOrder, statusText: string, book: string): void {
    if (!order.markReported(`status:${statusText}`)) return;
    const text = `${order.describe()}: ${book} says "${statusText}", which is no status we know`;
    this.#view.context.alert(order.strategy, 'critical', 'status_unrecognized', text);
  }

  /** A stop that the broker could not send no longer protects. */
  #alertRefused(order: ManagedOrder): void {
    const text = `the broker refused ${order.describe()} when it triggered: nothing of it was sent, and it protects nothing`;
    this.#view.context.alert(order.strategy, 'critical', 'trigger_refused', text);
  }
}

/** The broker has refused the cancel, or never got it (as enough scans prove), and shows the order at work since. */
function clearCancelRequest(order: ManagedOrder, startedUs: TsUs): void {
  if (startedUs >= order.extras.cancelFailedUs) order.writableExtras().isCancelRequested = false;
}

/** The row has matched more than the order ever had. */
const isOverfilled = (order: ManagedOrder, { filledQty, qty }: BrokerOrder): boolean =>
  filledQty > Math.max(qty, order.qty);

const isCancelPending = (status: BrokerOrderStatus): boolean =>
  status === 'cancel_pending' || status === 'matched_cancel_pending';

/** A bare code of the broker tells a person nothing. */
const brokerWords = (statusText: string): string => (/^\d+$/.test(statusText) ? '' : statusText);
