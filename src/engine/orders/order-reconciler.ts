/**
 * Compares a scan of the broker's books with our orders (rulings, 8, 9, 11, 29): which row is which order, which rows are not
 * ours, and which orders no row shows.
 */
import type { EngineView } from '../engine-view.ts';
import {
  type BrokerOrder,
  type BrokerTriggerOrder,
  type FilledValue,
  isDisagreeing,
} from '../../domain/broker-order.ts';
import type { BrokerOrderKey, BrokerOrderNo } from '../../domain/ids.ts';
import { type TsUs, tsUs } from '../../domain/units.ts';
import type { BookSnapshot } from '../ports/engine-event.ts';
import type { Adoption } from './adoption.ts';
import type { ManagedOrder } from './managed-order.ts';
import { isSameOrder } from './order-names.ts';
import { type RowMatches, matchOrders, matchTriggers } from './row-owners.ts';
import type { RowReader } from './row-reader.ts';

interface Scan {
  readonly startedUs: TsUs;
  /** Null where the scan is not complete: no order is missed then. */
  readonly shown: Set<ManagedOrder> | null;
  /** Rows of orders that were over when this day began. */
  oldRows: number;
}

interface FirstScan {
  readonly startedUs: TsUs;
  /** When its answer was there. */
  readonly reportedUs: TsUs;
}

export class OrderReconciler {
  readonly #view: EngineView;
  readonly #rows: RowReader;
  readonly #adoption: Adoption;
  /** The complete scan that showed a row of the trigger book first. */
  readonly #firstSeen = new Map<BrokerOrderKey, FirstScan>();

  constructor(view: EngineView, rows: RowReader, adoption: Adoption) {
    this.#view = view;
    this.#rows = rows;
    this.#adoption = adoption;
  }

  /** Stamps orders and their rows together. */
  setClockBack(at: TsUs): void {
    this.#view.orders.names.unsettleAll();
    const { open } = this.#view.orders;
    const seen = [...this.#firstSeen.values()];
    const moments = [
      ...open.map(({ createdUs }) => createdUs),
      ...seen.flatMap(({ startedUs, reportedUs }) => [startedUs, reportedUs]),
    ];
    const earlier = inOrderBefore(at, moments);
    for (const order of open) order.createdUs = earlier(order.createdUs);
    for (const [orderKey, { startedUs, reportedUs }] of this.#firstSeen)
      this.#firstSeen.set(orderKey, { startedUs: earlier(startedUs), reportedUs: earlier(reportedUs) });
  }

  /**
   * Every scan is evidence for the rows it shows; only a complete one shows which orders are foreign or absent. `isEarlierBook`: the in-day
   * book was read before this day's trading began; a row without an owner is of an earlier day.
   */
  take(snapshot: BookSnapshot, isEarlierBook: boolean): void {
    const { startedUs, complete } = snapshot;
    const scan: Scan = { startedUs, shown: complete ? new Set() : null, oldRows: 0 };
    if (snapshot.list === 'orders') {
      const unowned: BrokerOrder[] = [];
      for (const row of snapshot.orders) if (!this.#isSettled(row, scan)) this.#takeOwned(row, scan, unowned);
      if (complete && unowned.length > 0 && !isEarlierBook)
        this.#takeUnownedOrders(unowned, snapshot.orders, scan);
      if (complete) this.#view.rowOwners.endScan(startedUs);
    } else {
      const unowned: BrokerTriggerOrder[] = [];
      for (const row of snapshot.orders) {
        const owner = this.#view.orders.names.ownerOfTrigger(row);
        if (owner === undefined) unowned.push(row);
        else this.#takeTrigger(owner, row, scan);
      }
      if (complete) this.#takeUnownedTriggers(unowned, snapshot.orders, scan);
    }
    this.#alertNumbersLost();
    this.#view.entries.again(this.#view.positionReconciler.unproven() === null, this.#view.halt);
    if (scan.shown === null) return;
    const isTriggers = snapshot.list === 'triggers';
    const isOld = scan.oldRows > 0 && scan.oldRows === snapshot.orders.length;
    for (const order of this.#view.orders.open) {
      if (order.isWaiting !== isTriggers || scan.shown.has(order)) continue;
      // The book of the day before would show an order of that day too.
      if (!isOld || (order.isCarriedOver && order.orderNo !== null))
        this.#rows.missed(order, startedUs, scan.shown);
      else this.#view.earlier.alertNoEvidence(order, startedUs);
    }
    if (isTriggers) this.#view.exits.check(startedUs);
  }

  /** Changed rows that the venue itself reports: they name only orders of its answers. */
  takeRows(rows: readonly BrokerOrder[], startedUs: TsUs): void {
    const scan: Scan = { startedUs, shown: null, oldRows: 0 };
    for (const row of rows) this.#takeOwned(row, scan, null);
    this.#alertNumbersLost();
    this.#view.entries.again(this.#view.positionReconciler.unproven() === null, this.#view.halt);
  }

  /**
   * The row is the same as in the scan before, and nothing has happened since to its order, which is over: it shows the order and says
   * nothing new. A busy day has hundreds of them, read with each poll, live and in a replay.
   */
  #isSettled(row: BrokerOrder, { startedUs, shown }: Scan): boolean {
    const order = this.#view.orders.names.byNumber(row.orderNo);
    // Two rows of one order, or an older scan: none is skipped.
    const settled = order === undefined ? undefined : this.#view.orders.names.settledRow(order);
    if (order === undefined || settled === undefined || order.rowUs >= startedUs) return false;
    if (!isSameRow(row, settled)) {
      this.#view.orders.names.settle(order, null);
      return false;
    }
    order.rowUs = startedUs;
    shown?.add(order);
    return true;
  }

  /** `unowned` receives rows without an owner; null where each row is ours, and none is read again. */
  #takeOwned(row: BrokerOrder, scan: Scan, unowned: BrokerOrder[] | null): void {
    const owner = this.#view.orders.names.ownerOf(row, scan.startedUs);
    if (owner?.isCarriedOver === true) {
      if (this.#view.earlier.wasOver(owner)) scan.oldRows += 1;
      this.#takeOrder(owner, row, scan);
      return this.#view.earlier.seen(owner, scan.startedUs);
    }
    const denied =
      owner === undefined
        ? this.#view.orders.names.namedBy(row)
        : isOverfilled(owner, row)
          ? owner
          : undefined;
    if (denied !== undefined) {
      scan.shown?.add(denied);
      denied.isShown();
      return this.#rows.contradict(denied, row);
    }
    if (owner === undefined) return void unowned?.push(row);
    const isFirst = owner.rowUs < scan.startedUs && this.#view.orders.names.settledRow(owner) === undefined;
    this.#takeOrder(owner, row, scan);
    if (unowned === null || !isFirst || !owner.isFinal || isDisagreeing(row)) return;
    // The same row would be found to be this order again, and change nothing of it.
    if (this.#view.orders.names.byNumber(row.orderNo) === owner && isSameOrder(owner, row))
      this.#view.orders.names.settle(owner, row);
  }

  #takeOrder(order: ManagedOrder, row: BrokerOrder, { startedUs, shown }: Scan): void {
    shown?.add(order);
    this.#view.orders.names.unsettle(order);
    order.isShown();
    this.#rows.takeOrder(order, row, startedUs);
  }

  #takeTrigger(order: ManagedOrder, row: BrokerTriggerOrder, { startedUs, shown }: Scan): void {
    shown?.add(order);
    this.#view.earlier.seen(order, startedUs);
    this.#rows.takeTrigger(order, row, startedUs);
  }

  #takeUnownedOrders(unowned: readonly BrokerOrder[], all: readonly BrokerOrder[], scan: Scan): void {
    const { startedUs } = scan;
    const hasRefIds = all.some(({ refId }) => refId !== null);
    const nameless = this.#view.orders.open.filter(
      ({ isUnresolved, isWaiting, orderKey }) => isUnresolved && !isWaiting && orderKey === null,
    );
    const rows: BrokerOrder[] = [];
    for (const row of unowned) {
      const sender = this.#view.rowOwners.senderOf(row, startedUs);
      if (sender === null) rows.push(row);
      if (sender === null || sender === 'hold') continue;
      const child = this.#adoption.adoptChild(row, sender, startedUs);
      this.#rows.sent(sender, child);
      this.#takeOrder(child, row, scan);
    }
    const matched = matchOrders(rows, nameless, hasRefIds);
    for (const { order, row } of matched.pairs) {
      this.#view.orders.names.bind(order, row.orderNo, startedUs);
      this.#takeOrder(order, row, scan);
    }
    for (const order of matched.held) scan.shown?.add(order);
    const text = 'more orders in the book look like it than we placed; the oldest was taken for ours';
    this.#alertAmbiguous(matched, text);
    for (const row of matched.foreign) {
      const order = this.#adoption.adopt(row, startedUs);
      if (order !== undefined) this.#takeOrder(order, row, scan);
    }
  }

  #takeUnownedTriggers(
    unowned: readonly BrokerTriggerOrder[],
    all: readonly BrokerTriggerOrder[],
    scan: Scan,
  ): void {
    const { startedUs } = scan;
    const now: FirstScan = { startedUs, reportedUs: this.#view.context.nowUs };
    for (const { orderKey } of all) if (!this.#firstSeen.has(orderKey)) this.#firstSeen.set(orderKey, now);
    const nameless = this.#view.orders.open.filter(
      ({ isWaiting, isUnresolved }) => isWaiting && isUnresolved,
    );
    const matched = matchTriggers(
      unowned,
      nameless,
      // A read that left before the order may reach the broker after it.
      ({ orderKey }, order) => (this.#firstSeen.get(orderKey) ?? now).reportedUs > order.createdUs,
    );
    for (const { order, row } of matched.pairs) {
      this.#view.orders.names.bindTrigger(order, row.orderNo, row.orderKey);
      this.#takeTrigger(order, row, scan);
    }
    for (const order of matched.held) scan.shown?.add(order);
    const text = 'more orders in the trigger book look like it than were sent: resolve it by hand';
    this.#alertAmbiguous(matched, text);
    const inDoubt = new Set<BrokerOrderNo>();
    for (const row of matched.foreign) {
      const firstSeenUs = (this.#firstSeen.get(row.orderKey) ?? now).startedUs;
      const bracket = this.#view.exits.bracketOf(row, { startedUs, firstSeenUs });
      if (bracket === 'hold') {
        for (const number of row.children) inDoubt.add(number);
        this.#view.snapshots.want('book');
        continue;
      }
      const order = this.#adoption.adoptTrigger(row, bracket);
      if (order === undefined) continue;
      if (bracket !== null) this.#view.exits.pair(bracket, order);
      this.#takeTrigger(order, row, scan);
    }
    this.#view.rowOwners.doubt(inDoubt);
  }

  #alertAmbiguous({ ambiguous }: RowMatches<unknown>, text: string): void {
    for (const order of ambiguous) {
      if (!order.isFirstReport('ambiguous')) continue;
      const alert = `${order.named()}: ${text}`;
      this.#view.context.alert(order.strategy, 'critical', 'look_up_ambiguous', alert);
    }
  }

  #alertNumbersLost(): void {
    if (this.#view.orders.numberLost === null) return;
    for (const order of this.#view.orders.open) {
      if (!order.doubt.isNumberLost || order.isCarriedOver || !order.isFirstReport('number_lost')) continue;
      const text = `${order.named()}: its number ${order.orderNo} is another order's now, as on a new day of the broker: it cannot be canceled, and entries are blocked, until the book shows its new number or complete scans show that it is over`;
      this.#view.context.alert(order.strategy, 'critical', 'order_number_taken', text);
    }
  }
}

/** More has matched than it ever had. */
const isOverfilled = (order: ManagedOrder, { filledQty, qty }: BrokerOrder): boolean =>
  filledQty > Math.max(qty, order.qty);

/** Moments after `at` become the last microseconds before it: which of an order and its row came first still decides whose the row is. */
function inOrderBefore(at: TsUs, moments: readonly TsUs[]): (moment: TsUs) => TsUs {
  const ahead = [...new Set(moments)].filter((moment) => moment > at).toSorted((a, b) => a - b);
  const places = new Map(ahead.map((moment, place) => [moment, tsUs(at - ahead.length + place + 1)]));
  return (moment) => places.get(moment) ?? moment;
}

/** In a replay a row that has not changed is the same object. */
const isSameRow = (a: BrokerOrder, b: BrokerOrder): boolean =>
  a === b ||
  (a.orderNo === b.orderNo &&
    a.filledQty === b.filledQty &&
    a.status === b.status &&
    a.orderKey === b.orderKey &&
    a.refId === b.refId &&
    a.orderCode === b.orderCode &&
    a.side === b.side &&
    a.qty === b.qty &&
    a.limitPrice === b.limitPrice &&
    isSameValue(a.filledValue, b.filledValue) &&
    a.statusText === b.statusText &&
    a.canCancel === b.canCancel &&
    a.canModify === b.canModify &&
    a.source === b.source &&
    a.reason === b.reason);

const isSameValue = (a: FilledValue | null, b: FilledValue | null): boolean =>
  a === b ||
  (a !== null &&
    b !== null &&
    a.value === b.value &&
    a.quality === b.quality &&
    a.costs?.fee === b.costs?.fee &&
    a.costs?.tax === b.costs?.tax);
