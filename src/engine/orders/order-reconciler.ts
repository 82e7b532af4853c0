/** Compares scans of the broker's books with our orders (rulings, 8, 9, 11, 29): whose each row is, and which orders no row shows. */
import type { EngineView } from '../engine-view.ts';
import {
  type BrokerOrder,
  type BrokerTriggerOrder,
  type FilledValue,
  isDisagreeing,
  mayWork,
} from '../../domain/broker-order.ts';
import {
  type BrokerOrderKey,
  type BrokerOrderNo,
  type ClientOrderId,
  clientOrderId,
  type OrderCode,
} from '../../domain/ids.ts';
import {
  OPERATOR_INDEX,
  type PriceTicks,
  priceTicks,
  type StrategyIndex,
  type TsUs,
  tsUs,
} from '../../domain/units.ts';
import type { OrderListSnapshot, OrderOwner } from '../ports/engine-event.ts';
import { ManagedOrder, NO_PRICE } from './managed-order.ts';
import { isNumberLost, isRowOf } from './orders.ts';
import { matchOrders, matchTriggers, type RowMatches } from './row-owners.ts';
import type { RowReader, Scan } from './row-reader.ts';
import type { Contract } from '../../domain/contract.ts';
import type { OrderToSend } from '../ports/approved.ts';
import type { ClientOrderIds } from '../state/client-order-ids.ts';

export class OrderReconciler {
  readonly #view: EngineView;
  readonly #rows: RowReader;
  readonly #adoption: Adoption;
  /** When the answer was there of the scan that showed a row of the trigger book first. */
  readonly #shownSinceUs = new Map<BrokerOrderKey, TsUs>();
  /** Rows that the day's first complete scan of the trigger book shows ended, without an order that they sent; null before it. */
  #overBefore: ReadonlySet<BrokerOrderKey> | null = null;

  constructor(view: EngineView, rows: RowReader, adoption: Adoption) {
    this.#view = view;
    this.#rows = rows;
    this.#adoption = adoption;
  }

  /** Stamps orders and their rows together. */
  setClockBack(at: TsUs): void {
    this.#view.orders.brokerIds.markAllChanged();
    const { open } = this.#view.orders;
    const moments = [...open.map(({ createdUs }) => createdUs), ...this.#shownSinceUs.values()];
    const before = inOrderBefore(at, moments);
    for (const order of open) order.createdUs = before(order.createdUs);
    for (const [orderKey, sinceUs] of this.#shownSinceUs) this.#shownSinceUs.set(orderKey, before(sinceUs));
  }

  /** Every scan is evidence for the rows it shows; only a complete one shows which orders are foreign or absent. */
  take(snapshot: OrderListSnapshot): void {
    const { startedUs, complete } = snapshot;
    const scan: Scan = { startedUs, shown: complete ? new Set() : null, oldRows: 0 };
    if (snapshot.list === 'orders') this.#takeOrders(snapshot.orders, scan);
    else this.#takeTriggers(snapshot.orders, scan);
    this.#afterRows();
    if (scan.shown === null) return;
    const isTriggers = snapshot.list === 'triggers';
    const isOld = scan.oldRows > 0 && scan.oldRows === snapshot.orders.length;
    for (const order of this.#view.orders.open) {
      if (order.isTriggerOrder !== isTriggers || scan.shown.has(order)) continue;
      // The book of the day before would show an order of that day too.
      if (!isOld || (order.isCarriedOver && order.orderNo !== null))
        this.#rows.onMissing(order, startedUs, scan.shown);
      else this.#view.carriedOrders.alertNoEvidence(order, startedUs);
    }
    if (isTriggers) this.#view.exits.check(startedUs);
  }

  #takeOrders(rows: readonly BrokerOrder[], scan: Scan): void {
    const { rowOwners, session } = this.#view;
    const unowned: BrokerOrder[] = [];
    for (const row of rows) if (!this.#isRepeated(row, scan)) this.#applyToOwner(row, scan, unowned);
    if (scan.shown === null) return;
    // Read before this day's trading began, a row without an owner is of an earlier day.
    if (unowned.length > 0 && !session.mayShowDayBefore(scan.startedUs))
      this.#assignUnownedOrders(unowned, rows, scan);
    if (rowOwners.undecidedCount > 0) rowOwners.endScan(scan.startedUs);
  }

  #takeTriggers(rows: readonly BrokerTriggerOrder[], scan: Scan): void {
    const { context, orders } = this.#view;
    const unowned: BrokerTriggerOrder[] = [];
    for (const row of rows) {
      if (!this.#shownSinceUs.has(row.orderKey)) this.#shownSinceUs.set(row.orderKey, context.nowUs);
      const owner = orders.brokerIds.ownerOfTrigger(row);
      if (owner === undefined) unowned.push(row);
      else this.#rows.applyTriggerRow(owner, row, scan);
    }
    if (scan.shown !== null) this.#assignUnownedTriggers(unowned, scan);
  }

  /** Takes changed rows that a venue in the process reports: each row is of an order that it has answered. */
  onRows(rows: readonly BrokerOrder[], startedUs: TsUs): void {
    const scan: Scan = { startedUs, shown: null, oldRows: 0 };
    for (const row of rows) this.#applyToOwner(row, scan, null);
    this.#afterRows();
  }

  #afterRows(): void {
    this.#alertNumbersLost();
    const { withdrawal, positionReconciler, halt } = this.#view;
    if (withdrawal.isFollowing) withdrawal.retry(positionReconciler.unproven() === null, halt);
  }

  /** The same row as before, of an order that is over and unchanged: it says nothing new. Each poll of a busy day has hundreds of them. */
  #isRepeated(row: BrokerOrder, { startedUs, shown }: Scan): boolean {
    const order = this.#view.orders.brokerIds.byNumber(row.orderNo);
    // Two rows of one order, or an older scan: none is skipped.
    const unchanged = order === undefined ? undefined : this.#view.orders.brokerIds.unchangedRow(order);
    if (order === undefined || unchanged === undefined || order.rowUs >= startedUs) return false;
    if (!isSameRow(row, unchanged)) {
      this.#view.orders.brokerIds.markUnchanged(order, null);
      return false;
    }
    order.rowUs = startedUs;
    shown?.add(order);
    return true;
  }

  /** `unowned` receives rows without an owner; null where each row is ours, and none is read again. */
  #applyToOwner(row: BrokerOrder, scan: Scan, unowned: BrokerOrder[] | null): void {
    const owner = this.#view.orders.brokerIds.ownerOf(row, scan.startedUs);
    if (owner?.isCarriedOver === true) {
      if (this.#view.carriedOrders.endedBeforeToday(owner)) scan.oldRows += 1;
      this.#rows.applyOrderRow(owner, row, scan.startedUs, scan.shown);
      return this.#view.carriedOrders.onShown(owner, scan.startedUs);
    }
    const contradicted = owner === undefined ? this.#view.orders.brokerIds.namedBy(row) : undefined;
    if (contradicted !== undefined) {
      scan.shown?.add(contradicted);
      contradicted.clearAbsence();
      return this.#rows.contradict(contradicted, row);
    }
    if (owner === undefined) return void unowned?.push(row);
    const isFirst =
      owner.rowUs < scan.startedUs && this.#view.orders.brokerIds.unchangedRow(owner) === undefined;
    this.#rows.applyOrderRow(owner, row, scan.startedUs, scan.shown);
    if (unowned === null || !isFirst || !owner.isFinal || isDisagreeing(row)) return;
    // The same row would be found to be this order again, and change nothing of it.
    if (this.#view.orders.brokerIds.byNumber(row.orderNo) === owner && isRowOf(owner, row))
      this.#view.orders.brokerIds.markUnchanged(owner, row);
  }

  #assignUnownedOrders(unowned: readonly BrokerOrder[], all: readonly BrokerOrder[], scan: Scan): void {
    const { startedUs } = scan;
    const hasRefIds = all.some(({ refId }) => refId !== null);
    // A row of today that looks like an order of a day that is over is somebody else's.
    const nameless = this.#view.orders.open.filter(
      (order) =>
        order.isUnresolved &&
        !order.isTriggerOrder &&
        order.orderKey === null &&
        !this.#view.carriedOrders.isSurelyOver(order, startedUs),
    );
    const rows: BrokerOrder[] = [];
    for (const row of unowned) {
      const sender = this.#view.rowOwners.senderOf(row, startedUs);
      if (sender === null) rows.push(row);
      if (sender === null || sender === 'undecided') continue;
      const child = this.#adoption.adoptChild(row, sender, startedUs);
      this.#rows.onChildSent(sender, child);
      this.#rows.applyOrderRow(child, row, scan.startedUs, scan.shown);
    }
    const matched = matchOrders(rows, nameless, hasRefIds);
    for (const { order, row } of matched.pairs) {
      this.#view.orders.brokerIds.bind(order, row.orderNo, startedUs);
      this.#rows.applyOrderRow(order, row, scan.startedUs, scan.shown);
    }
    for (const order of matched.reserved) scan.shown?.add(order);
    const text = 'more orders in the book look like it than we placed; the oldest was taken for ours';
    this.#alertAmbiguous(matched, text);
    for (const row of matched.foreign) {
      const order = this.#adoption.adopt(row, startedUs);
      if (order !== undefined) this.#rows.applyOrderRow(order, row, scan.startedUs, scan.shown);
    }
  }

  #assignUnownedTriggers(unowned: readonly BrokerTriggerOrder[], scan: Scan): void {
    const { startedUs } = scan;
    const overBefore = (this.#overBefore ??= new Set(
      unowned.filter((row) => !mayWork(row) && row.children.length === 0).map(({ orderKey }) => orderKey),
    ));
    const sinceOf = ({ orderKey }: BrokerTriggerOrder): TsUs => this.#shownSinceUs.get(orderKey) ?? startedUs;
    const nameless = this.#view.orders.open.filter(
      ({ isTriggerOrder, isUnresolved }) => isTriggerOrder && isUnresolved,
    );
    const matched = matchTriggers(
      unowned,
      nameless,
      // A read that left before the order may reach the broker after it.
      (row, order) => sinceOf(row) > order.createdUs,
    );
    for (const { order, row } of matched.pairs) {
      this.#view.orders.brokerIds.bindTrigger(order, row.orderNo, row.orderKey);
      this.#rows.applyTriggerRow(order, row, scan);
    }
    for (const order of matched.reserved) scan.shown?.add(order);
    const text = 'more orders in the trigger book look like it than were sent: resolve it by hand';
    this.#alertAmbiguous(matched, text);
    const unresolved = new Set<BrokerOrderNo>();
    // A bracket's room is for exits that live: ended ones of earlier brackets may have the same prices.
    const livingFirst = matched.foreign.toSorted((a, b) => Number(mayWork(b)) - Number(mayWork(a)));
    for (const row of livingFirst) {
      const wasOver =
        overBefore.has(row.orderKey) || (!mayWork(row) && this.#view.carriedOrders.hasLapsed(row));
      const bracket = this.#view.exits.bracketOf(row, { startedUs, sinceUs: sinceOf(row), wasOver });
      if (bracket === 'undecided') {
        for (const number of row.children) unresolved.add(number);
        this.#view.reads.request('book');
        continue;
      }
      const order = this.#adoption.adoptTrigger(row, bracket);
      if (order === undefined) continue;
      this.#view.exits.pair(order);
      this.#rows.applyTriggerRow(order, row, scan);
    }
    this.#view.rowOwners.unresolved = unresolved;
  }

  #alertAmbiguous({ ambiguous }: RowMatches<unknown>, text: string): void {
    for (const order of ambiguous) {
      if (!order.markReported('ambiguous')) continue;
      const alert = `${order.describe()}: ${text}`;
      this.#view.context.alert(order.strategy, 'critical', 'look_up_ambiguous', alert);
    }
  }

  #alertNumbersLost(): void {
    for (const order of this.#view.orders.open) {
      if (!isNumberLost(order) || !order.markReported('number_lost')) continue;
      const text = `${order.describe()}: its number ${order.orderNo} is another order's now, as on a new day of the broker: it cannot be canceled, and entries are blocked, until the book shows its new number or complete scans show that it is over`;
      this.#view.context.alert(order.strategy, 'critical', 'order_number_taken', text);
    }
  }
}

/** Moments after `at` become the last microseconds before it: which of an order and its row came first still decides whose the row is. */
function inOrderBefore(at: TsUs, moments: readonly TsUs[]): (moment: TsUs) => TsUs {
  const ahead = [...new Set(moments)].filter((moment) => moment > at).toSorted((a, b) => a - b);
  const moved = new Map(ahead.map((moment, index) => [moment, tsUs(at - ahead.length + index + 1)]));
  return (moment) => moved.get(moment) ?? moment;
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

/** Owner and identity of an order that the broker shows and no call of this journal placed. */
type Owner = Pick<
  ManagedOrder,
  'clientOrderId' | 'strategy' | 'purpose' | 'instrument' | 'isAdopted' | 'parent'
>;

/**
 * Orders in the broker's books that the journal does not know: adopted under the operator's name, alerted once, never fought
 * (rulings, 40). A call of the emergency record belongs to the strategy that sent it (rulings, 30); a child order to the
 * trigger order or bracket that brought it.
 */
export class Adoption {
  readonly #view: EngineView;
  readonly #ids: Pick<ClientOrderIds, 'mayMint' | 'strangerOf'>;
  readonly #unknownContracts = new Set<string>();
  readonly #senders = new Map<string, StrategyIndex>();
  /** Installations of daemons that are no part of this journal. */
  readonly #strangers = new Set<string>();
  /** Their calls, while the contract is not listed. */
  #sent: readonly OrderToSend[] = [];

  constructor(view: EngineView, ids: Pick<ClientOrderIds, 'mayMint' | 'strangerOf'>) {
    this.#view = view;
    this.#ids = ids;
  }

  /** A row of today names a contract that is not listed: our books lack its costs. */
  get hasUnlisted(): boolean {
    return this.#unknownContracts.size > 0;
  }

  /** Orders of the emergency record, for when the book shows them. */
  expect(owners: readonly OrderOwner[]): void {
    for (const { clientOrderId: id, strategy } of owners) this.#senders.set(id, strategy);
    this.#sent = owners.flatMap(({ order, strategy }) =>
      order === undefined ? [] : [{ ...order, strategy }],
    );
  }

  /** Orders of the emergency record whose contract is listed: calls without an answer, to be looked up, and until then exits that count. */
  adoptSent(): readonly ManagedOrder[] {
    const taken: ManagedOrder[] = [];
    const unlisted: OrderToSend[] = [];
    for (const order of this.#sent) {
      const contract = this.#view.contracts.byOrderCode(order.orderCode);
      if (contract === undefined) unlisted.push(order);
      else if (this.#view.orders.get(order.clientOrderId) === undefined)
        taken.push(this.#addSent({ ...order, instrument: contract.index }));
    }
    this.#sent = unlisted;
    return taken;
  }

  #addSent(sent: OrderToSend): ManagedOrder {
    const { strategy } = sent;
    const order = new ManagedOrder(sent, this.#view.context.nowUs);
    this.#view.orders.add(order);
    const { context } = this.#view;
    context.append({ kind: 'place', ...context.head(strategy), order: sent, isLost: false });
    return order;
  }

  /**
   * Undefined when the row names a contract that is not listed: one alert, then it is left to the operator. The order has the same name in
   * every run: its own `refId`, else day and number. An unknown `refId` of our form comes from a lost journal or another process: an order
   * of ours may get the same one later.
   */
  adopt(row: BrokerOrder, readUs: TsUs): ManagedOrder | undefined {
    const contract = this.#contractOf(row, row.orderNo, 'order');
    if (contract === undefined) return undefined;
    const refId = this.#view.orders.get(row.refId) === undefined ? row.refId : null;
    const strategy = (refId === null ? undefined : this.#senders.get(refId)) ?? OPERATOR_INDEX;
    const isAdopted = strategy === OPERATOR_INDEX;
    const isNamed = refId !== null && (this.#senders.has(refId) || !this.#ids.mayMint(refId));
    const order = this.#addOrder(row, readUs, row.limitPrice ?? this.#priceNear(contract), {
      clientOrderId: isNamed ? refId : this.#dayName('A', row.orderNo),
      strategy,
      // The emergency record is for exits only.
      purpose: isAdopted ? 'entry' : 'reduce',
      instrument: contract.index,
      isAdopted,
      parent: null,
    });
    this.#alertAdopted(row, order);
    return order;
  }

  /** An order that one of our trigger orders sent. */
  adoptChild(row: BrokerOrder, sender: ManagedOrder, readUs: TsUs): ManagedOrder {
    const child = this.#addOrder(row, readUs, row.limitPrice ?? sender.limitPrice, {
      clientOrderId: this.#dayName('C', row.orderNo),
      strategy: sender.strategy,
      purpose: sender.purpose,
      instrument: sender.instrument,
      isAdopted: sender.isAdopted,
      parent: sender.clientOrderId,
    });
    // A trailing stop sends a stop, whichever way it was last shown to trigger.
    child.writableTrigger().when = sender.triggerState.kind === 'trailing_stop' ? null : sender.triggerWhen;
    // An exit lasts like the bracket that brought it.
    const bracket = this.#view.orders.get(sender.parent);
    child.isGtc = sender.isGtc || bracket?.isGtc === true;
    return child;
  }

  /** `bracket`: the row is one half of its exits. Undefined for a foreign row that has ended, and for a contract that is not listed. */
  adoptTrigger(row: BrokerTriggerOrder, bracket: ManagedOrder | null): ManagedOrder | undefined {
    if (bracket === null && !mayWork(row)) return undefined;
    const contract = this.#contractOf(row, row.orderKey, 'trigger order');
    if (contract === undefined) return undefined;
    const owner: Owner = {
      clientOrderId: this.#dayName(bracket === null ? 'W' : 'X', row.orderKey),
      strategy: bracket?.strategy ?? OPERATOR_INDEX,
      purpose: bracket === null ? 'entry' : 'reduce',
      instrument: contract.index,
      isAdopted: bracket === null,
      parent: bracket?.clientOrderId ?? null,
    };
    const order = this.#create(row, owner, row.limitPrice ?? row.triggerPrice ?? NO_PRICE, true);
    this.#view.life.addWaiting(order, row);
    if (bracket !== null) return order;
    const { contracts } = this.#view;
    const trigger =
      row.triggerPrice === null ? '' : ` at ${contracts.priceText(contract.index, row.triggerPrice)}`;
    const text = `not ours: ${row.kind} ${row.side} ${row.qty} ${row.orderCode}${trigger} waits at the broker, no. ${row.orderNo}`;
    this.#view.context.alert(OPERATOR_INDEX, 'warning', 'trigger_adopted', text);
    return order;
  }

  #addOrder(row: BrokerOrder, readUs: TsUs, limitPrice: PriceTicks, owner: Owner): ManagedOrder {
    const order = this.#create(row, owner, limitPrice, false);
    order.become('accepted');
    this.#view.orders.add(order);
    order.refId = row.refId;
    order.orderKey = row.orderKey;
    // An order that is over takes no number from a working one.
    this.#view.orders.brokerIds.bind(order, row.orderNo, mayWork(row) ? readUs : -Infinity);
    const { clientOrderId: id, strategy, parent } = owner;
    const head = this.#view.context.head(strategy);
    this.#haltForStranger(row);
    if (parent === null)
      this.#view.context.append({ ...head, kind: 'order_adopted', clientOrderId: id, order: row });
    else this.#view.context.append({ ...head, kind: 'order_adopted', clientOrderId: id, order: row, parent });
    return order;
  }

  /** A daemon of ours placed it, and this journal knows nothing of it: entries wait for a person (rulings, 40). */
  #haltForStranger({ refId, orderNo }: BrokerOrder): void {
    if (refId === null || this.#senders.has(refId) || this.#view.orders.get(refId) !== undefined) return;
    const installation = this.#ids.strangerOf(refId);
    if (installation === null) return;
    const text = `a second daemon trades this account, or this state directory was lost, copied or put back: order no. ${orderNo} was placed by a Tickwright (installation ${installation}) that is not of this journal`;
    const isNews = this.#view.halt.halt(text, 'second_daemon');
    this.#view.withdrawal.withdrawEntries(null);
    if (!isNews && !this.#strangers.has(installation))
      this.#view.context.alert(null, 'critical', 'second_daemon', text);
    this.#strangers.add(installation);
  }

  #create(
    { orderCode, side, qty }: BrokerOrder | BrokerTriggerOrder,
    owner: Owner,
    limitPrice: PriceTicks,
    isWaiting: boolean,
  ): ManagedOrder {
    const terms = { ...owner, orderCode, side, qty, limitPrice, trigger: null };
    const order = new ManagedOrder(terms, this.#view.context.nowUs, owner.parent, isWaiting);
    order.isAdopted = owner.isAdopted;
    if (owner.isAdopted) order.refId = null;
    return order;
  }

  #alertAdopted(row: BrokerOrder, order: ManagedOrder): void {
    const twin = this.#view.orders.get(row.refId);
    const what = `${row.side} ${row.qty} ${row.orderCode}, order no. ${row.orderNo}, ${row.filledQty} filled`;
    if (twin !== undefined && twin !== order) {
      const text = `the book shows ${what} with the refId of ${twin.clientOrderId}, which is another order`;
      return this.#view.context.alert(OPERATOR_INDEX, 'critical', 'duplicate_order', text);
    }
    if (!order.isAdopted) {
      const text = `sent when no row could be written: ${what}`;
      return this.#view.context.alert(order.strategy, 'warning', 'order_recovered', text);
    }
    const isForced = row.source === 'forced';
    const isOver = row.filledQty === 0 && !mayWork(row);
    const by = isForced ? 'the broker closed a position' : 'not ours';
    const severity = isForced ? 'critical' : isOver ? 'info' : 'warning';
    this.#view.context.alert(OPERATOR_INDEX, severity, 'order_adopted', `${by}: ${what}`);
  }

  /** The broker's day may begin before ours: a number may come twice. */
  #dayName(letter: string, name: string): ClientOrderId {
    const first = clientOrderId(`${letter}.${this.#view.session.tradingDay()}.${name}`);
    let free = first;
    for (let count = 2; this.#view.orders.get(free) !== undefined; count += 1)
      free = clientOrderId(`${first}.${count}`);
    return free;
  }

  /** An order without a price needs one until its fills show it. */
  #priceNear(contract: Contract): PriceTicks {
    const { market } = this.#view;
    const reference = Math.round(market.lastOrReference(contract) ?? 0);
    return market.of(contract.index).lastPrice ?? priceTicks(reference);
  }

  #contractOf(
    row: { readonly orderCode: OrderCode; readonly orderNo: string },
    name: string,
    what: string,
  ): Contract | undefined {
    const contract = this.#view.contracts.byOrderCode(row.orderCode);
    const key = `${what} ${name}`;
    if (contract !== undefined || this.#unknownContracts.has(key)) return contract;
    this.#unknownContracts.add(key);
    const text = `${what} no. ${row.orderNo} is for ${row.orderCode}, which is not in the contract list`;
    this.#view.context.alert(OPERATOR_INDEX, 'critical', 'order_in_unknown_contract', text);
    return undefined;
  }
}
