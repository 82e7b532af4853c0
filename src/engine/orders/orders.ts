/** The orders of the trading day, by our ids and by the broker's names. */
import { assert } from '../../domain/assert.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import { appended, getOrCreate } from '../../domain/lists.ts';
import type { InstrumentIndex, TsUs } from '../../domain/units.ts';
import { type Market, PriceRange } from '../market/market.ts';
import type { DueWork } from '../state/event-context.ts';
import type { ManagedOrder } from './managed-order.ts';
import type { BrokerOrder, BrokerTriggerOrder } from '../../domain/broker-order.ts';

const NO_ORDERS: ManagedOrder[] = [];
const noChildren = (): ManagedOrder[] => [];
/** Final orders that stay known, where older ones are forgotten. */
export const FINAL_KEPT_MAX = 256;

/** All orders by our id, and a list of those that are not final. */
export class Orders {
  readonly brokerIds = new BrokerIdIndex(this);
  /** The last session left orders at the exchange. */
  hasCarried = false;
  readonly #byId = new Map<ClientOrderId, ManagedOrder>();
  readonly #children = new Map<ClientOrderId, ManagedOrder[]>();
  /** Brackets that have filled by more than their known exits cover. */
  readonly bracketsMissingExits = new Set<ManagedOrder>();
  /** Orders of the trigger book that ended canceled, until somebody takes them. */
  canceledWaiting: ManagedOrder[] = [];
  readonly #dueWork: DueWork;
  readonly #market: Market;
  readonly #untouched = new PriceRange();
  readonly #forgetsFinal: boolean;
  /** The last that ended, in turn. */
  readonly #recentFinal: ManagedOrder[] = [];
  #finalCount = 0;
  #open = NO_ORDERS;
  #version = 0;

  /** `forgetsFinal`: orders that are long over leave, since no book shows them again. */
  constructor(dueWork: DueWork, market: Market, forgetsFinal = false) {
    this.#dueWork = dueWork;
    this.#market = market;
    this.#forgetsFinal = forgetsFinal;
  }

  /** Not final, oldest first. The list is replaced, never changed: a loop over the old one goes on undisturbed. */
  get open(): readonly ManagedOrder[] {
    return this.#open;
  }

  /** Some open order of ours does more than wait at the broker. */
  get hasOwnOpen(): boolean {
    return this.#open.some(isOwnAtWork);
  }

  /** Orders without a number of their own whose fate is not known; `presumed_absent` ones are not among them. */
  get unresolved(): number {
    return this.#open.filter(isUnresolved).length;
  }

  get hasWaiting(): boolean {
    return this.#open.some(isTriggerOrder);
  }

  /** How often the trigger book is read; null: it holds no order of ours. */
  get triggerPace(): 'fast' | 'slow' | null {
    if (this.bracketsMissingExits.size > 0 || this.#open.some(isRestless)) return 'fast';
    return this.hasWaiting ? 'slow' : null;
  }

  /** The oldest order that complete scans did not show, and that a person has to resolve. */
  get presumedAbsent(): ManagedOrder | null {
    return this.#open.find(isPresumedAbsent) ?? null;
  }

  /** Counts every change of the open orders. */
  get version(): number {
    return this.#version;
  }

  add(order: ManagedOrder): void {
    const { size } = this.#byId;
    this.#byId.set(order.clientOrderId, order);
    assert(this.#byId.size === size + 1, 'an order is added once');
    this.hasCarried ||= order.isCarriedOver;
    const { parent } = order;
    if (parent !== null) getOrCreate(this.#children, parent, noChildren).push(order);
    this.changed(order);
  }

  get(id: ClientOrderId | null): ManagedOrder | undefined {
    return id === null ? undefined : this.#byId.get(id);
  }

  every(test: (order: ManagedOrder) => boolean): boolean {
    for (const order of this.#byId.values()) if (!test(order)) return false;
    return true;
  }

  /** Keeps the last final orders, and forgets the oldest of them. */
  #keepFinal(order: ManagedOrder): void {
    const turn = this.#finalCount % FINAL_KEPT_MAX;
    this.#finalCount += 1;
    const before = this.#recentFinal[turn];
    this.#recentFinal[turn] = order;
    if (before === undefined || !mayLeave(before)) return;
    this.#byId.delete(before.clientOrderId);
    this.brokerIds.forget(before);
  }

  /** Orders that an order sent or brought, oldest first. */
  childrenOf(id: ClientOrderId): readonly ManagedOrder[] {
    return this.#children.get(id) ?? NO_ORDERS;
  }

  /** Call it after any change of an order's status, quantity, price or open call. */
  changed(order: ManagedOrder): void {
    const isListed = this.#open.includes(order);
    this.#market.of(order.instrument).quietPrices.empty();
    if (isListed && order.isFinal) {
      this.#open = this.#open.length === 1 ? NO_ORDERS : this.#open.filter((each) => each !== order);
      if (this.#forgetsFinal) this.#keepFinal(order);
    }
    if (!isListed && !order.isFinal) this.#open = appended(this.#open, order);
    if (order.isCarriedOver) this.brokerIds.markAllChanged();
    else this.brokerIds.markChanged(order);
    this.#replaceOpen();
  }

  #replaceOpen(): void {
    this.#version += 1;
    this.#dueWork.markPending();
  }

  /** Prices at which a print of the contract touches no price, pending price or trigger of our orders. Valid until the next call. */
  untouchedOf(instrument: InstrumentIndex): PriceRange {
    this.#untouched.set(-Infinity, Infinity);
    for (const order of this.#open) {
      if (order.instrument !== instrument) continue;
      const { side, isTriggerOrder, triggerPrice, triggerWhen, limitPrice, pendingPrice } = order;
      if (!isTriggerOrder) this.#narrowUntouched(limitPrice, side === 'buy', side === 'sell');
      // The trigger that the broker showed last.
      const other = isTriggerOrder ? triggerPrice : pendingPrice;
      const isBelow = isTriggerOrder ? triggerWhen !== 'at_or_above' : side === 'buy';
      if (other !== null)
        this.#narrowUntouched(other, isBelow, isTriggerOrder ? triggerWhen !== 'at_or_below' : !isBelow);
    }
    return this.#untouched;
  }

  #narrowUntouched(price: number, isBelow: boolean, isAbove: boolean): void {
    const { low, high } = this.#untouched;
    this.#untouched.set(isBelow ? Math.max(low, price + 1) : low, isAbove ? Math.min(high, price - 1) : high);
  }

  clear(): void {
    this.#byId.clear();
    this.#children.clear();
    this.brokerIds.clear();
    this.hasCarried = false;
    this.bracketsMissingExits.clear();
    this.#market.emptyQuietPrices();
    this.#recentFinal.length = 0;
    this.#finalCount = 0;
    this.#open = NO_ORDERS;
    this.#replaceOpen();
  }
}

// Made once: an order pays for no closure.

const isTriggerOrder = (order: ManagedOrder): boolean => order.isTriggerOrder;
export const isPresumedAbsent = ({ status }: ManagedOrder): boolean => status === 'presumed_absent';

/** Something is expected of it soon: it does not merely rest in the trigger book. */
const isAtWork = (order: ManagedOrder): boolean =>
  !order.isTriggerOrder || (order.status !== 'pending_trigger' && order.status !== 'presumed_absent');
const isOwnAtWork = (order: ManagedOrder): boolean => !order.isAdopted && isAtWork(order);
const isRestless = (order: ManagedOrder): boolean => order.isTriggerOrder && isAtWork(order);

/** A carried order is known by key and reference alone until the new book shows it. */
export const isNumberLost = ({
  extras,
  isCarriedOver,
}: Pick<ManagedOrder, 'extras' | 'isCarriedOver'>): boolean => extras.isNumberLost && !isCarriedOver;
const isUnresolved = (order: ManagedOrder): boolean =>
  order.status !== 'presumed_absent' && (order.isUnresolved || isNumberLost(order));

/** Nothing else refers to it, no answer is to come, and no scan shows it again: only a strategy may still name it. */
const mayLeave = (order: ManagedOrder): boolean => {
  const { status, trigger, parent, isAdopted, isOfSystem, isCarriedOver, unanswered } = order;
  const isPlain = trigger === null && parent === null && !isAdopted && !isOfSystem && !isCarriedOver;
  return isPlain && unanswered === 0 && (status === 'filled' || status === 'canceled');
};

/**
 * The broker's names of our orders: numbers and keys of its two books (rulings, 8, 29). A row is an order of ours by number, key or
 * reference, unless its terms are another's. Remembers the rows that say nothing new.
 */
export class BrokerIdIndex {
  readonly #orders: Orders;
  readonly #byNumber = new Map<BrokerOrderNo, ManagedOrder>();
  readonly #byKey = new Map<BrokerOrderKey, ManagedOrder>();
  readonly #byTriggerNo = new Map<BrokerOrderNo, ManagedOrder>();
  /** Orders of the last session by their number in its in-day book: numbers restart each day. */
  readonly #carriedByNo = new Map<BrokerOrderNo, ManagedOrder>();
  /** Orders of the in-day book whose number went to another order, by their key. */
  readonly #numberLost = new Map<BrokerOrderKey, ManagedOrder>();
  /** Senders of child orders, by the child's number in the in-day book. */
  readonly #senders = new Map<BrokerOrderNo, ManagedOrder>();
  /** Rows of the in-day book that say nothing new while they and all orders stay the same. */
  readonly #unchanged = new Map<ManagedOrder, BrokerOrder>();

  constructor(orders: Orders) {
    this.#orders = orders;
  }

  /** The order that a row of the in-day book shows, by number, key or reference, on its terms; it has the number from here on. */
  ownerOf(row: BrokerOrder, startedUs: TsUs): ManagedOrder | undefined {
    const { orderNo } = row;
    if (this.#orders.hasCarried) {
      const carried = this.#carriedOf(row);
      if (carried !== undefined && carried.orderNo !== orderNo) this.bind(carried, orderNo, startedUs);
      if (carried !== undefined) return carried;
    }
    const numbered = this.byNumber(orderNo);
    if (numbered !== undefined && isRowOf(numbered, row)) return numbered;
    const keyed = this.#byBookKey(row.orderKey);
    if (keyed !== undefined && isRowOf(keyed, row)) {
      this.#renumber(keyed, orderNo, startedUs);
      return keyed;
    }
    const named = this.#orders.get(row.refId);
    // The order that a stop sends may bear the stop's id: it is another order, which `senderOf` finds.
    if (named === undefined || named.isTriggerOrder || !isAlike(named, row)) return undefined;
    const isItsNumber = named.orderNo === null || named.orderNo === orderNo || named.extras.isNumberLost;
    if (isItsNumber) this.bind(named, orderNo, startedUs);
    return isItsNumber ? named : undefined;
  }

  /** The order that a row names by key or reference, though its terms are not the order's. One with a number of its own has its own row. */
  namedBy({ orderNo, orderKey, refId }: BrokerOrder): ManagedOrder | undefined {
    const numbered = this.byNumber(orderNo);
    if (numbered !== undefined && orderKey !== null && numbered.orderKey === orderKey) return numbered;
    const keyed = this.#byBookKey(orderKey);
    const named = this.#orders.get(refId);
    const isNamed =
      named !== undefined && !named.isTriggerOrder && (named === numbered || named.orderNo === null);
    return keyed ?? (isNamed ? named : undefined);
  }

  /** Owner of a row of the trigger book, by its key, or by its number while the order has none. */
  ownerOfTrigger({ orderNo, orderKey }: BrokerTriggerOrder): ManagedOrder | undefined {
    const keyed = this.#byKey.get(orderKey);
    if (keyed !== undefined) return keyed;
    const numbered = this.#byTriggerNo.get(orderNo);
    return numbered?.orderKey === null && this.bindTrigger(numbered, orderNo, orderKey)
      ? numbered
      : undefined;
  }

  /** The order of the last session that the row shows. */
  #carriedOf(row: BrokerOrder): ManagedOrder | undefined {
    const named = this.#orders.get(row.refId);
    const numbered = this.carriedByNumber(row.orderNo);
    if (named?.isCarriedOver === true && !named.isTriggerOrder && (named === numbered || isAlike(named, row)))
      return named;
    if (numbered !== undefined && this.#isCarried(numbered, row)) return numbered;
    // Two orders of one session may have had the number.
    const keyed = this.#byBookKey(row.orderKey);
    return keyed?.isCarriedOver === true ? keyed : undefined;
  }

  /** Numbers restart each day, keys do not. */
  #isCarried(order: ManagedOrder, row: BrokerOrder): boolean {
    if (order.orderKey !== null && row.orderKey !== null) return order.orderKey === row.orderKey;
    const isOurs = !order.isAdopted && order.parent === null;
    if (isOurs && row.refId !== null) return false;
    return this.byNumber(row.orderNo) === undefined && isAlike(order, row);
  }

  byNumber(number: BrokerOrderNo): ManagedOrder | undefined {
    return this.#byNumber.get(number);
  }

  /** Owner in the in-day book of a row whose number is not the order's. */
  #byBookKey(key: BrokerOrderKey | null): ManagedOrder | undefined {
    if (key === null) return undefined;
    return (
      this.#numberLost.get(key) ??
      this.#orders.open.find((each) => !each.isTriggerOrder && each.orderKey === key)
    );
  }

  carriedByNumber(number: BrokerOrderNo): ManagedOrder | undefined {
    return this.#carriedByNo.get(number);
  }

  /** The order that sent this order of the in-day book when it triggered. */
  senderOf(number: BrokerOrderNo): ManagedOrder | undefined {
    return this.#senders.get(number);
  }

  /** False when the number is known of this sender, or of a later one: numbers restart each day. */
  noteSent(number: BrokerOrderNo, sender: ManagedOrder): boolean {
    const known = this.#senders.get(number);
    if (known !== undefined && known.createdUs >= sender.createdUs) return false;
    this.#senders.set(number, sender);
    return true;
  }

  /** Binds its row in the trigger book. False when that belongs to another order. */
  bindTrigger(order: ManagedOrder, number: BrokerOrderNo, key: BrokerOrderKey | null): boolean {
    assert(order.isTriggerOrder, 'keys of the trigger book are of orders that wait');
    const owner = key === null ? undefined : this.#byKey.get(key);
    if (owner !== undefined && owner !== order) return false;
    if (order.orderKey !== null && key !== null && order.orderKey !== key) return false;
    order.orderNo = number;
    order.orderKey ??= key;
    order.clearAbsence();
    if (key !== null) this.#byKey.set(key, order);
    this.#byTriggerNo.set(number, order);
    this.#orders.changed(order);
    return true;
  }

  /**
   * False when the order has another number, or a later order has this one. The broker's day may begin before ours, and its
   * numbers with it: the later order takes the number over. `provenUs`: start of the scan that shows the number, or the time of the
   * answer.
   */
  bind(order: ManagedOrder, number: BrokerOrderNo, provenUs: number): boolean {
    const isOther = order.orderNo !== null && order.orderNo !== number;
    if (isOther && !order.extras.isNumberLost && !order.isCarriedOver) return false;
    return this.#renumber(order, number, provenUs);
  }

  /** Its key proves that the order has a number of the broker's new day. */
  #renumber(order: ManagedOrder, number: BrokerOrderNo, provenUs: number): boolean {
    assert(!order.isTriggerOrder, 'numbers of the in-day book are of orders at the exchange');
    order.clearAbsence();
    order.orderNo = number;
    const carried = this.#orders.hasCarried ? this.#carriedByNo.get(number) : undefined;
    const owner = this.#byNumber.get(number);
    const holder = owner === order || owner?.orderNo !== number ? undefined : owner;
    const isTaken = holder !== undefined && !mayTake(order, holder, provenUs);
    if (order.isCarriedOver) this.#carriedByNo.set(number, order);
    else if (!isTaken) this.#byNumber.set(number, order);
    // Its row was found by this number, also where its own is another one by now.
    if (owner !== undefined) this.markChanged(owner);
    if (carried !== undefined && carried !== order && carried.orderNo === number) this.#loseNumber(carried);
    if (isTaken) this.#loseNumber(order);
    else {
      if (order.extras.isNumberLost) order.writableExtras().isNumberLost = false;
      if (holder !== undefined) this.#loseNumber(holder);
    }
    this.#orders.changed(order);
    return !isTaken;
  }

  /** It keeps key and reference; a row with one of them is still its row. */
  #loseNumber(order: ManagedOrder): void {
    if (order.orderKey !== null) this.#numberLost.set(order.orderKey, order);
    order.writableExtras().isNumberLost = true;
    order.canCancel = false;
    order.canModify = false;
    this.#orders.changed(order);
  }

  /** The row of an order that is over was read: the same one says nothing new. */
  markUnchanged(order: ManagedOrder, row: BrokerOrder | null): void {
    if (row === null) this.#unchanged.delete(order);
    else this.#unchanged.set(order, row);
  }

  unchangedRow(order: ManagedOrder): BrokerOrder | undefined {
    return this.#unchanged.get(order);
  }

  /** The order changed: all rows are read again. */
  markChanged(order: ManagedOrder): void {
    if (this.#unchanged.size > 0 && this.#unchanged.has(order)) this.#unchanged.clear();
  }

  markAllChanged(): void {
    this.#unchanged.clear();
  }

  forget(order: ManagedOrder): void {
    const { orderNo } = order;
    if (orderNo !== null && this.#byNumber.get(orderNo) === order) this.#byNumber.delete(orderNo);
  }

  clear(): void {
    for (const names of [this.#byNumber, this.#byTriggerNo, this.#carriedByNo, this.#senders]) names.clear();
    for (const keys of [this.#byKey, this.#numberLost]) keys.clear();
    this.#unchanged.clear();
  }
}

/** Whether an order takes the number of one that may still work: of two that we placed the later one, of others the one seen last. */
function mayTake(order: ManagedOrder, holder: ManagedOrder, provenUs: number): boolean {
  if (order.isCarriedOver || order.isFinal) return false;
  if (holder.isFinal) return true;
  const arePlaced = order.refId === order.clientOrderId && holder.refId === holder.clientOrderId;
  return arePlaced ? order.createdUs > holder.createdUs : provenUs > Math.max(holder.rowUs, holder.createdUs);
}

export const isAlike = (
  order: ManagedOrder,
  row: Pick<BrokerOrder, 'orderCode' | 'side' | 'qty' | 'limitPrice'>,
): boolean =>
  order.orderCode === row.orderCode &&
  order.side === row.side &&
  order.qty === row.qty &&
  order.limitPrice === row.limitPrice;

/**
 * Whether a row with the number of an order is that order: the broker's day, and its numbers, may begin before ours. Keys and references
 * never restart; an order that a stop sent may bear the stop's.
 */
export function isRowOf(order: ManagedOrder, row: BrokerOrder): boolean {
  if (order.orderCode !== row.orderCode || order.side !== row.side) return false;
  const isKeyKnown = order.orderKey !== null && row.orderKey !== null;
  if (isKeyKnown && order.orderKey === row.orderKey) return true;
  const isPlaced = order.refId === order.clientOrderId;
  if (isPlaced && row.refId !== null) return row.refId === order.refId;
  if (isKeyKnown || (row.refId !== null && row.refId !== order.refId)) return false;
  // Only an order that works can be changed by somebody else.
  const isPriceSame = row.limitPrice === null || row.limitPrice === order.limitPrice;
  return !order.isFinal || (row.qty === order.qty && isPriceSame);
}
