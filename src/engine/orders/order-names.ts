/**
 * The broker's names of our orders: numbers and keys of its two books (rulings, 8, 29). A row is an order of ours by number, key or
 * reference, unless its terms are another's. Remembers the rows that say nothing new.
 */
import { assert } from '../../domain/assert.ts';
import type { BrokerOrder, BrokerTriggerOrder } from '../../domain/broker-order.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import type { TsUs } from '../../domain/units.ts';
import type { ManagedOrder } from './managed-order.ts';

interface OwnOrders {
  readonly open: readonly ManagedOrder[];
  /** The last session left orders at the exchange. */
  readonly hasEarlier: boolean;
  get(id: ClientOrderId | null): ManagedOrder | undefined;
  changed(order: ManagedOrder): void;
}

export class OrderNames {
  readonly #orders: OwnOrders;
  readonly #byNumber = new Map<BrokerOrderNo, ManagedOrder>();
  readonly #byKey = new Map<BrokerOrderKey, ManagedOrder>();
  readonly #byTriggerNo = new Map<BrokerOrderNo, ManagedOrder>();
  /** Orders of the last session by their number in its in-day book: numbers restart each day. */
  readonly #earlier = new Map<BrokerOrderNo, ManagedOrder>();
  /** Orders of the in-day book whose number went to another order, by their key. */
  readonly #outnumbered = new Map<BrokerOrderKey, ManagedOrder>();
  /** Senders of child orders, by the child's number in the in-day book. */
  readonly #senders = new Map<BrokerOrderNo, ManagedOrder>();
  /** Rows of the in-day book that say nothing new while they and all orders stay the same. */
  readonly #settled = new Map<ManagedOrder, BrokerOrder>();

  constructor(orders: OwnOrders) {
    this.#orders = orders;
  }

  /**
   * The order that a row of the in-day book shows, by number, key or reference; it has the number from here on. Undefined where none of
   * them names an order whose terms are the row's.
   */
  ownerOf(row: BrokerOrder, startedUs: TsUs): ManagedOrder | undefined {
    const { orderNo } = row;
    if (this.#orders.hasEarlier) {
      const earlier = this.#earlierOf(row);
      if (earlier !== undefined && earlier.orderNo !== orderNo) this.bind(earlier, orderNo, startedUs);
      if (earlier !== undefined) return earlier;
    }
    const numbered = this.byNumber(orderNo);
    if (numbered !== undefined && isSameOrder(numbered, row)) return numbered;
    const keyed = this.#byBookKey(row.orderKey);
    if (keyed !== undefined && isSameOrder(keyed, row)) {
      this.#renumber(keyed, orderNo, startedUs);
      return keyed;
    }
    const named = this.#orders.get(row.refId);
    // The order that a stop sends may bear the stop's id: it is another order, which `senderOf` finds.
    if (named === undefined || named.isWaiting || !isAlike(named, row)) return undefined;
    const isItsNumber = named.orderNo === null || named.orderNo === orderNo || named.doubt.isNumberLost;
    if (isItsNumber) this.bind(named, orderNo, startedUs);
    return isItsNumber ? named : undefined;
  }

  /** The order that a row names by key or reference, though its terms are not the order's. One with a number of its own has its own row. */
  namedBy({ orderNo, orderKey, refId }: BrokerOrder): ManagedOrder | undefined {
    const numbered = this.byNumber(orderNo);
    if (numbered !== undefined && orderKey !== null && numbered.orderKey === orderKey) return numbered;
    const keyed = this.#byBookKey(orderKey);
    const named = this.#orders.get(refId);
    const isNamed = named !== undefined && !named.isWaiting && (named === numbered || named.orderNo === null);
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
  #earlierOf(row: BrokerOrder): ManagedOrder | undefined {
    const named = this.#orders.get(row.refId);
    const numbered = this.earlierByNumber(row.orderNo);
    if (named?.isCarriedOver === true && !named.isWaiting && (named === numbered || isAlike(named, row)))
      return named;
    if (numbered !== undefined && this.#isEarlier(numbered, row)) return numbered;
    // Two orders of one session may have had the number.
    const keyed = this.#byBookKey(row.orderKey);
    return keyed?.isCarriedOver === true ? keyed : undefined;
  }

  /** Numbers restart each day, keys do not. */
  #isEarlier(order: ManagedOrder, row: BrokerOrder): boolean {
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
      this.#outnumbered.get(key) ?? this.#orders.open.find((each) => !each.isWaiting && each.orderKey === key)
    );
  }

  /** By its number in the last session's in-day book. */
  earlierByNumber(number: BrokerOrderNo): ManagedOrder | undefined {
    return this.#earlier.get(number);
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
    assert(order.isWaiting, 'keys of the trigger book are of orders that wait');
    const owner = key === null ? undefined : this.#byKey.get(key);
    if (owner !== undefined && owner !== order) return false;
    if (order.orderKey !== null && key !== null && order.orderKey !== key) return false;
    order.orderNo = number;
    order.orderKey ??= key;
    order.isShown();
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
    if (isOther && !order.doubt.isNumberLost && !order.isCarriedOver) return false;
    return this.#renumber(order, number, provenUs);
  }

  /** Its key proves that the order has a number of the broker's new day. */
  #renumber(order: ManagedOrder, number: BrokerOrderNo, provenUs: number): boolean {
    assert(!order.isWaiting, 'numbers of the in-day book are of orders at the exchange');
    order.isShown();
    order.orderNo = number;
    const earlier = this.#earlier.get(number);
    const owner = this.#byNumber.get(number);
    const holder = owner === order || owner?.orderNo !== number ? undefined : owner;
    const isTaken = holder !== undefined && !mayTake(order, holder, provenUs);
    if (order.isCarriedOver) this.#earlier.set(number, order);
    else if (!isTaken) this.#byNumber.set(number, order);
    // Its row was found by this number, also where its own is another one by now.
    if (owner !== undefined) this.unsettle(owner);
    if (earlier !== undefined && earlier !== order && earlier.orderNo === number) this.#lose(earlier);
    if (isTaken) this.#lose(order);
    else {
      if (order.doubt.isNumberLost) order.inDoubt().isNumberLost = false;
      if (holder !== undefined) this.#lose(holder);
    }
    this.#orders.changed(order);
    return !isTaken;
  }

  /** It keeps key and reference; a row with one of them is still its row. */
  #lose(order: ManagedOrder): void {
    if (order.orderKey !== null) this.#outnumbered.set(order.orderKey, order);
    order.inDoubt().isNumberLost = true;
    order.canCancel = false;
    order.canModify = false;
    this.#orders.changed(order);
  }

  /** The row of an order that is over was read: the same one says nothing new. */
  settle(order: ManagedOrder, row: BrokerOrder | null): void {
    if (row === null) this.#settled.delete(order);
    else this.#settled.set(order, row);
  }

  settledRow(order: ManagedOrder): BrokerOrder | undefined {
    return this.#settled.get(order);
  }

  /** The order changed: all rows are read again. */
  unsettle(order: ManagedOrder): void {
    if (this.#settled.size > 0 && this.#settled.has(order)) this.#settled.clear();
  }

  unsettleAll(): void {
    this.#settled.clear();
  }

  /** It has left. */
  forget(order: ManagedOrder): void {
    const { orderNo } = order;
    if (orderNo !== null && this.#byNumber.get(orderNo) === order) this.#byNumber.delete(orderNo);
  }

  clear(): void {
    for (const names of [this.#byNumber, this.#byTriggerNo, this.#earlier, this.#senders]) names.clear();
    for (const keys of [this.#byKey, this.#outnumbered]) keys.clear();
    this.#settled.clear();
  }
}

/**
 * Whether an order takes the number of another one that may still work. Of two that we placed the later one has it; of others the
 * one that was seen last.
 */
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
export function isSameOrder(order: ManagedOrder, row: BrokerOrder): boolean {
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
