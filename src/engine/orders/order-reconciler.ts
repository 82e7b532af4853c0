/**
 * Compares a scan of the broker's books with our orders (rulings, 8, 9, 11, 29): which row is which order, which rows are not
 * ours, and which orders no row shows.
 */
import {
  type BrokerOrder,
  type BrokerTriggerOrder,
  type FilledValue,
  isDisagreeing,
} from '../../domain/broker-order.ts';
import type { BrokerOrderKey, BrokerOrderNo } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/order.ts';
import type { LookUpSettings } from '../../domain/settings.ts';
import { type StrategyIndex, type TsUs, tsUs } from '../../domain/units.ts';
import type { BookSnapshot } from '../ports/engine-event.ts';
import type { PositionReconciler } from '../positions/position-reconciler.ts';
import type { SnapshotRequests } from '../ports/outbound.ts';
import type { EventContext } from '../state/event-context.ts';
import type { Adoption } from './adoption.ts';
import type { EarlierOrders } from './earlier-orders.ts';
import type { EntryWithdrawal } from './entry-withdrawal.ts';
import type { BracketExits } from './exits.ts';
import type { OrderExecutor } from './order-executor.ts';
import type { OrderLife } from './order-life.ts';
import type { Orders } from './orders.ts';
import { type ManagedOrder, ScanEvidence } from './managed-order.ts';
import { isSameOrder, type Matched, matchOrders, matchTriggers, type RowOwners } from './row-owners.ts';
import type { RowReader } from './row-reader.ts';

/** One scan that is being compared. */
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
  readonly toldUs: TsUs;
}

export class OrderReconciler {
  readonly #context: EventContext;
  readonly #orders: Orders;
  readonly #life: OrderLife;
  readonly #rows: RowReader;
  readonly #adoption: Adoption;
  readonly #earlier: EarlierOrders;
  readonly #owners: RowOwners;
  readonly #exits: BracketExits;
  readonly #entries: Pick<EntryWithdrawal, 'again'>;
  readonly #positionReconciler: PositionReconciler;
  readonly #lookUp: LookUpSettings;
  readonly #executor: OrderExecutor;
  readonly #snapshots: SnapshotRequests;
  /** The complete scan that showed a row of the trigger book first. */
  readonly #firstSeen = new Map<BrokerOrderKey, FirstScan>();

  constructor(
    context: EventContext,
    orders: Orders,
    life: OrderLife,
    rows: RowReader,
    adoption: Adoption,
    earlier: EarlierOrders,
    owners: RowOwners,
    exits: BracketExits,
    entries: Pick<EntryWithdrawal, 'again'>,
    positionReconciler: PositionReconciler,
    lookUp: LookUpSettings,
    executor: OrderExecutor,
    snapshots: SnapshotRequests,
  ) {
    this.#context = context;
    this.#orders = orders;
    this.#life = life;
    this.#rows = rows;
    this.#adoption = adoption;
    this.#earlier = earlier;
    this.#owners = owners;
    this.#exits = exits;
    this.#entries = entries;
    this.#positionReconciler = positionReconciler;
    this.#lookUp = lookUp;
    this.#executor = executor;
    this.#snapshots = snapshots;
  }

  /** Stamps orders and their rows together. */
  setClockBack(at: TsUs): void {
    this.#orders.unsettleAll();
    const { open } = this.#orders;
    const seen = [...this.#firstSeen.values()];
    const moments = [
      ...open.map(({ createdUs }) => createdUs),
      ...seen.flatMap(({ startedUs, toldUs }) => [startedUs, toldUs]),
    ];
    const earlier = inOrderBefore(at, moments);
    for (const order of open) order.createdUs = earlier(order.createdUs);
    for (const [orderKey, { startedUs, toldUs }] of this.#firstSeen)
      this.#firstSeen.set(orderKey, { startedUs: earlier(startedUs), toldUs: earlier(toldUs) });
  }

  /**
   * Every scan is evidence for the rows it shows; only a complete one shows which orders are foreign or absent. `isEarlierBook`: the
   * in-day book was read before this day's trading began; a row that nobody owns is of an earlier day.
   */
  take(snapshot: BookSnapshot, isEarlierBook: boolean): void {
    const { startedUs, complete } = snapshot;
    const scan: Scan = { startedUs, shown: complete ? new Set() : null, oldRows: 0 };
    if (snapshot.list === 'orders') {
      const unowned: BrokerOrder[] = [];
      for (const row of snapshot.orders) if (!this.#isSettled(row, scan)) this.#takeOwned(row, scan, unowned);
      if (complete && unowned.length > 0 && !isEarlierBook)
        this.#takeUnownedOrders(unowned, snapshot.orders, scan);
      if (complete) this.#owners.endScan(startedUs);
    } else {
      const unowned: BrokerTriggerOrder[] = [];
      for (const row of snapshot.orders) {
        const owner = this.#owners.ownerOfTrigger(row);
        if (owner === undefined) unowned.push(row);
        else this.#takeTrigger(owner, row, scan);
      }
      if (complete) this.#takeUnownedTriggers(unowned, snapshot.orders, scan);
    }
    this.#tellNumbersLost();
    this.#entries.again(this.#positionReconciler.unproven() === null);
    if (scan.shown === null) return;
    const isTriggers = snapshot.list === 'triggers';
    const isOld = scan.oldRows > 0 && scan.oldRows === snapshot.orders.length;
    for (const order of this.#orders.open) {
      if (order.isWaiting !== isTriggers || scan.shown.has(order)) continue;
      // The book of the day before would show an order of that day too.
      if (!isOld || (order.isCarriedOver && order.orderNo !== null))
        this.#countAbsence(order, startedUs, scan.shown);
      else this.#earlier.tellNoEvidence(order, startedUs, this.#lookUp);
    }
    if (isTriggers) this.#exits.check(startedUs);
  }

  /** Rows that changed, told by the venue itself: they name the orders of answers alone. */
  takeRows(rows: readonly BrokerOrder[], startedUs: TsUs): void {
    const scan: Scan = { startedUs, shown: null, oldRows: 0 };
    for (const row of rows) this.#takeOwned(row, scan, null);
    this.#tellNumbersLost();
    this.#entries.again(this.#positionReconciler.unproven() === null);
  }

  /**
   * The row is the same as in the scan before, and nothing has happened since to its order, which is over: it shows the order and says
   * nothing new. A busy day has hundreds of them, read with each poll, live and in a replay.
   */
  #isSettled(row: BrokerOrder, { startedUs, shown }: Scan): boolean {
    const order = this.#orders.byNumber(row.orderNo);
    // Two rows of one order, or an older scan: none is skipped.
    const settled = order === undefined ? undefined : this.#orders.settledRow(order);
    if (order === undefined || settled === undefined || order.rowUs >= startedUs) return false;
    if (!isSameRow(row, settled)) {
      this.#orders.settle(order, null);
      return false;
    }
    order.rowUs = startedUs;
    shown?.add(order);
    return true;
  }

  /** `unowned` receives a row that nobody owns; null where each is one of ours, and none is read again. */
  #takeOwned(row: BrokerOrder, scan: Scan, unowned: BrokerOrder[] | null): void {
    const owner = this.#owners.ownerOf(row, scan.startedUs);
    if (owner?.isCarriedOver === true) {
      if (this.#earlier.wasOver(owner)) scan.oldRows += 1;
      this.#takeOrder(owner, row, scan);
      return this.#earlier.seen(owner, scan.startedUs);
    }
    const denied =
      owner === undefined ? this.#owners.namedBy(row) : isOverfilled(owner, row) ? owner : undefined;
    if (denied !== undefined) {
      scan.shown?.add(denied);
      denied.isShown();
      return this.#rows.contradict(denied, row);
    }
    if (owner === undefined) return void unowned?.push(row);
    const isFirst = owner.rowUs < scan.startedUs && this.#orders.settledRow(owner) === undefined;
    this.#takeOrder(owner, row, scan);
    if (unowned === null || !isFirst || !owner.isFinal || isDisagreeing(row)) return;
    // The same row would be found to be this order again, and change nothing of it.
    if (this.#orders.byNumber(row.orderNo) === owner && isSameOrder(owner, row))
      this.#orders.settle(owner, row);
  }

  #takeOrder(order: ManagedOrder, row: BrokerOrder, { startedUs, shown }: Scan): void {
    shown?.add(order);
    this.#orders.unsettle(order);
    order.isShown();
    this.#rows.takeOrder(order, row, startedUs);
    if (order.cancelQueued) this.#executor.sendQueuedCancel(order);
  }

  #takeTrigger(order: ManagedOrder, row: BrokerTriggerOrder, { startedUs, shown }: Scan): void {
    shown?.add(order);
    this.#earlier.seen(order, startedUs);
    this.#rows.takeTrigger(order, row, startedUs);
    if (order.cancelQueued) this.#executor.sendQueuedCancel(order);
  }

  #takeUnownedOrders(unowned: readonly BrokerOrder[], all: readonly BrokerOrder[], scan: Scan): void {
    const { startedUs } = scan;
    const hasRefIds = all.some(({ refId }) => refId !== null);
    const nameless = this.#orders.open.filter(
      ({ isUnresolved, isWaiting, orderKey }) => isUnresolved && !isWaiting && orderKey === null,
    );
    const rows: BrokerOrder[] = [];
    for (const row of unowned) {
      const sender = this.#owners.senderOf(row, startedUs);
      if (sender === null) rows.push(row);
      if (sender === null || sender === 'hold') continue;
      const child = this.#adoption.adoptChild(row, sender, startedUs);
      this.#takeOrder(child, row, scan);
    }
    const matched = matchOrders(rows, nameless, hasRefIds);
    for (const { order, row } of matched.pairs) {
      this.#orders.bind(order, row.orderNo, startedUs);
      this.#takeOrder(order, row, scan);
    }
    const text = 'more orders in the book look like it than we placed; the oldest was taken for ours';
    this.#tellAmbiguous(matched, text);
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
    const now: FirstScan = { startedUs, toldUs: this.#context.nowUs };
    for (const { orderKey } of all) if (!this.#firstSeen.has(orderKey)) this.#firstSeen.set(orderKey, now);
    const nameless = this.#orders.open.filter(({ isWaiting, isUnresolved }) => isWaiting && isUnresolved);
    const matched = matchTriggers(
      unowned,
      nameless,
      // A read that left before the order may reach the broker after it.
      ({ orderKey }, order) => (this.#firstSeen.get(orderKey) ?? now).toldUs > order.createdUs,
    );
    for (const { order, row } of matched.pairs) {
      this.#orders.bindTrigger(order, row.orderNo, row.orderKey);
      this.#takeTrigger(order, row, scan);
    }
    for (const order of matched.held) scan.shown?.add(order);
    const text = 'more orders in the trigger book look like it than were sent: resolve it by hand';
    this.#tellAmbiguous(matched, text);
    const inDoubt = new Set<BrokerOrderNo>();
    for (const row of matched.foreign) {
      const firstSeenUs = (this.#firstSeen.get(row.orderKey) ?? now).startedUs;
      const bracket = this.#exits.bracketOf(row, { startedUs, firstSeenUs });
      if (bracket === 'hold') {
        for (const number of row.children) inDoubt.add(number);
        this.#snapshots.want('book');
        continue;
      }
      const order = this.#adoption.adoptTrigger(row, bracket);
      if (order === undefined) continue;
      if (bracket !== null) this.#exits.pair(bracket, order);
      this.#takeTrigger(order, row, scan);
    }
    this.#owners.doubt(inDoubt);
  }

  #tellAmbiguous({ ambiguous }: Matched<unknown>, text: string): void {
    for (const order of ambiguous) {
      if (!order.tellOnce('ambiguous')) continue;
      const alert = `${order.clientOrderId}: ${text}`;
      this.#context.alert(order.strategy, 'critical', 'look_up_ambiguous', alert);
    }
  }

  #tellNumbersLost(): void {
    if (this.#orders.numberLost === null) return;
    for (const order of this.#orders.open) {
      if (!order.doubt.isNumberLost || order.isCarriedOver || !order.tellOnce('number_lost')) continue;
      const text = `${order.clientOrderId}: its number ${order.orderNo} is another order's now, as on a new day of the broker: it cannot be canceled, and entries are blocked, until the book shows its new number or complete scans show that it is over`;
      this.#context.alert(order.strategy, 'critical', 'order_number_taken', text);
    }
  }

  /**
   * Orders that no scan showed never arrived where positions that were read since agree. The settings say whether that ends one; a
   * reduction it ends while its owner is flattened, else nothing could be closed. The book still wins should one turn up.
   */
  endAbsent(agreedUs: number, isFlattening: (owner: StrategyIndex) => boolean): void {
    if (this.#orders.presumedAbsent === null) return;
    for (const order of this.#orders.open) {
      const { clientOrderId, strategy, status, purpose } = order;
      const isEnded =
        this.#lookUp.resolve === 'proven_absent' || (purpose === 'reduce' && isFlattening(strategy));
      if (status !== 'presumed_absent' || !isEnded || agreedUs <= order.doubt.absentUs) continue;
      this.#life.apply(order, 'resolved_absent', 'no complete scan showed it, and positions agree');
      const text = `${clientOrderId} never arrived: no complete scan shows it, and positions read since agree`;
      this.#context.alert(strategy, 'warning', 'order_proven_absent', text);
    }
  }

  /**
   * A list that lacks an order which the broker has had today is no evidence that another never arrived (rulings, 9). The in-day book
   * keeps orders that are over until the broker's day ends, which comes before ours where our clock is behind.
   */
  #isWhole(shown: ReadonlySet<ManagedOrder>, isOfTriggers: boolean): boolean {
    return this.#orders.every(
      (order) =>
        order.isWaiting !== isOfTriggers ||
        shown.has(order) ||
        order.isCarriedOver ||
        (order.isFinal
          ? isOfTriggers || order.rowUs === -Infinity
          : !TAKEN.has(order.status) || order.doubt.isNumberLost) ||
        this.#earlier.isOfDayBefore(order),
    );
  }

  #countAbsence(order: ManagedOrder, startedUs: TsUs, shown: ReadonlySet<ManagedOrder>): void {
    this.#earlier.missing(order);
    if (order.status === 'submitted' || order.status === 'presumed_absent') return;
    if (order.status === 'unknown' && !this.#isWhole(shown, order.isWaiting))
      return this.#earlier.tellNoEvidence(order, startedUs, this.#lookUp);
    const doubt = order.inDoubt();
    const absence = (doubt.absence ??= new ScanEvidence(order.createdUs));
    absence.add(startedUs);
    if (!absence.isEnough(this.#lookUp)) return;
    const { clientOrderId, strategy } = order;
    const book = order.isWaiting ? 'the trigger book' : 'the book';
    if (order.isCarriedOver || this.#earlier.isOfDayBefore(order)) {
      const hadRow = order.isWaiting && order.status !== 'unknown' && order.status !== 'triggering';
      this.#life.apply(order, hadRow ? 'seen_gone' : 'day_ended_unproven', 'not in the book of the new day');
    } else if (doubt.isNumberLost) {
      this.#life.apply(order, 'day_ended_unproven', "not in the book of the broker's new day");
    } else if (order.status === 'unknown') {
      doubt.absentUs = startedUs;
      this.#life.apply(order, 'absent', `${absence.scans} complete scans did not show it`);
      const text = `${clientOrderId} is not in ${book}: it counts as open until it is resolved`;
      this.#context.alert(strategy, 'critical', 'order_presumed_absent', text);
    } else if (order.tellOnce('missing')) {
      const text = `${clientOrderId} was accepted, and complete scans of ${book} do not show it: if the broker does not have it, resolve it as absent`;
      this.#context.alert(strategy, 'critical', 'order_missing', text);
    }
  }
}

/** The broker has it, by its answer or by a row. */
const TAKEN: ReadonlySet<OrderStatus> = new Set<OrderStatus>([
  'accepted',
  'partially_filled',
  'pending_trigger',
]);

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
