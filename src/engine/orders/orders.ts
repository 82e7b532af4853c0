/** The orders of the trading day by our id and by the broker's number; the ones that are not final also in a list. */
import { assert } from '../../domain/assert.ts';
import type { BrokerOrder } from '../../domain/broker-order.ts';
import type { BrokerOrderKey, BrokerOrderNo, ClientOrderId } from '../../domain/ids.ts';
import type { OrderStatus } from '../../domain/order.ts';
import {
  type InstrumentIndex,
  instrumentIndex,
  money,
  priceTicks,
  qty,
  type StrategyIndex,
} from '../../domain/units.ts';
import type { Market } from '../market/market.ts';
import type { OrderUpdate } from '../ports/strategy-port.ts';
import { countOf, startOf } from '../state/client-order-ids.ts';
import type { DueWork } from '../state/timer-heap.ts';
import type { ManagedOrder } from './managed-order.ts';
import { RejectionMemory, SendRate } from './send-history.ts';

const NO_CHILDREN: readonly ManagedOrder[] = [];

export class Orders {
  readonly touch = new TouchPrices(() => this.#open);
  readonly rate = new SendRate();
  readonly rejections = new RejectionMemory();
  readonly #byId = new Map<ClientOrderId, ManagedOrder>();
  readonly #children = new Map<ClientOrderId, ManagedOrder[]>();
  readonly #byNumber = new Map<BrokerOrderNo, ManagedOrder>();
  readonly #byKey = new Map<BrokerOrderKey, ManagedOrder>();
  readonly #byTriggerNo = new Map<BrokerOrderNo, ManagedOrder>();
  /** Orders of the last session by their number in its in-day book: today's numbers begin anew. */
  readonly #earlier = new Map<BrokerOrderNo, ManagedOrder>();
  /** Orders of the in-day book whose number went to another order, by their key. */
  readonly #outnumbered = new Map<BrokerOrderKey, ManagedOrder>();
  /** Senders of child orders, by the child's number in the in-day book. */
  readonly #senders = new Map<BrokerOrderNo, ManagedOrder>();
  /** Brackets that have filled by more than their known exits cover. */
  readonly owingExits = new Set<ManagedOrder>();
  /** Orders of the trigger book that ended canceled, until somebody takes them. */
  canceledWaiting: ManagedOrder[] = [];
  readonly #dueWork: DueWork;
  readonly #market: Market;
  readonly #doLeave: boolean;
  /** Over, and about to leave. */
  #over: ManagedOrder[] = [];
  readonly #left = new LeftOrders();
  #open: ManagedOrder[] = [];
  #ownOpen = 0;
  #waiting = 0;
  #hasEarlier = false;
  #isRestless = false;
  #unresolved = 0;
  #presumedAbsent: ManagedOrder | null = null;
  #contradicted: ManagedOrder | null = null;
  #numberLost: ManagedOrder | null = null;
  #version = 0;
  /** Counts the changes after which a row that was read may say something else: of its order, or of whose it is. */
  #unsettled = 0;
  /** The version that the counts are of. */
  #counted = 0;

  /** `doLeave`: orders that are over leave, since no book shows them again. */
  constructor(dueWork: DueWork, market: Market, doLeave = false) {
    this.#dueWork = dueWork;
    this.#market = market;
    this.#doLeave = doLeave;
  }

  /** Not final, oldest first. The list is replaced, never changed: a loop over the old one goes on undisturbed. */
  get open(): readonly ManagedOrder[] {
    return this.#open;
  }

  /** Of the open ones, those that are not adopted, and not merely waiting at the broker. */
  get ownOpen(): number {
    this.#count();
    return this.#ownOpen;
  }

  /** Orders without a number of their own whose fate is not known; `presumed_absent` ones are not among them. */
  get unresolved(): number {
    this.#count();
    return this.#unresolved;
  }

  /** Open orders in the trigger book. */
  get waiting(): number {
    this.#count();
    return this.#waiting;
  }

  /** How often the trigger book is read; null: it holds no order of ours. */
  get triggerTempo(): 'fast' | 'slow' | null {
    this.#count();
    if (this.#isRestless || this.owingExits.size > 0) return 'fast';
    return this.#waiting > 0 ? 'slow' : null;
  }

  /** The oldest order that complete scans did not show, and that a person has to resolve. */
  get presumedAbsent(): ManagedOrder | null {
    this.#count();
    return this.#presumedAbsent;
  }

  /** The oldest order whose row contradicts itself. */
  get contradicted(): ManagedOrder | null {
    this.#count();
    return this.#contradicted;
  }

  /** The oldest order whose number another order has. */
  get numberLost(): ManagedOrder | null {
    this.#count();
    return this.#numberLost;
  }

  /** Counts every change of what is open. */
  get version(): number {
    return this.#version;
  }

  add(order: ManagedOrder): void {
    const { size } = this.#byId;
    this.#byId.set(order.clientOrderId, order);
    assert(this.#byId.size === size + 1, 'an order is added once');
    const { parent } = order;
    this.#hasEarlier ||= order.isCarriedOver;
    if (parent !== null) {
      const siblings = this.#children.get(parent);
      if (siblings === undefined) this.#children.set(parent, [order]);
      else siblings.push(order);
    }
    this.changed(order);
  }

  get(id: ClientOrderId | null): ManagedOrder | undefined {
    return id === null ? undefined : this.#byId.get(id);
  }

  /** Of those that are over too. */
  every(test: (order: ManagedOrder) => boolean): boolean {
    for (const order of this.#byId.values()) if (!test(order)) return false;
    return true;
  }

  /** The end of an order of this strategy that has left; undefined: there was none. */
  left(id: ClientOrderId, strategy: StrategyIndex): OrderUpdate | undefined {
    return this.#left.updateOf(id, strategy);
  }

  /** The event is over, and so are orders: those that a strategy placed by themselves leave once each call about them is answered. */
  dismiss(): void {
    if (this.#over.length === 0) return;
    const kept: ManagedOrder[] = [];
    for (const order of this.#over) {
      if (!order.isFinal) continue;
      if (order.unanswered > 0) kept.push(order);
      else if (mayLeave(order)) this.#leave(order);
    }
    this.#over = kept;
  }

  #leave(order: ManagedOrder): void {
    const { clientOrderId: id, orderNo } = order;
    this.#left.add(order);
    this.#byId.delete(id);
    if (orderNo !== null && this.#byNumber.get(orderNo) === order) this.#byNumber.delete(orderNo);
  }

  byNumber(number: BrokerOrderNo): ManagedOrder | undefined {
    return this.#byNumber.get(number);
  }

  /** Of the in-day book, for a row whose number is not the order's. */
  byBookKey(key: BrokerOrderKey | null): ManagedOrder | undefined {
    if (key === null) return undefined;
    return this.#outnumbered.get(key) ?? this.#open.find((each) => !each.isWaiting && each.orderKey === key);
  }

  get hasEarlier(): boolean {
    return this.#hasEarlier;
  }

  /** By its number in the last session's in-day book. */
  earlierByNumber(number: BrokerOrderNo): ManagedOrder | undefined {
    return this.#earlier.get(number);
  }

  /** Of the trigger book. */
  byKey(key: BrokerOrderKey): ManagedOrder | undefined {
    return this.#byKey.get(key);
  }

  /** Of the trigger book, while its key is not known. */
  byTriggerNo(number: BrokerOrderNo): ManagedOrder | undefined {
    const order = this.#byTriggerNo.get(number);
    return order?.orderKey === null ? order : undefined;
  }

  /** The order that sent this order of the in-day book when it triggered. */
  senderOf(number: BrokerOrderNo): ManagedOrder | undefined {
    return this.#senders.get(number);
  }

  /** Orders that an order sent or brought, oldest first. */
  childrenOf(id: ClientOrderId): readonly ManagedOrder[] {
    return this.#children.get(id) ?? NO_CHILDREN;
  }

  /** False when the number is known of this sender, or of a later one: numbers begin anew each day. */
  noteSent(number: BrokerOrderNo, sender: ManagedOrder): boolean {
    const known = this.#senders.get(number);
    if (known !== undefined && known.createdUs >= sender.createdUs) return false;
    this.#senders.set(number, sender);
    return true;
  }

  /** Its row in the trigger book. False when that belongs to another order. */
  bindTrigger(order: ManagedOrder, number: BrokerOrderNo, key: BrokerOrderKey | null): boolean {
    assert(order.isWaiting, 'keys of the trigger book are of orders that wait');
    const owner = key === null ? undefined : this.#byKey.get(key);
    if (owner !== undefined && owner !== order) return false;
    if (order.orderKey !== null && key !== null && order.orderKey !== key) return false;
    order.orderNo = number;
    order.orderKey ??= key;
    order.absence = null;
    if (key !== null) this.#byKey.set(key, order);
    this.#byTriggerNo.set(number, order);
    this.changed(order);
    return true;
  }

  /**
   * False when the order has another number, or a later order has this one. The broker's day may begin before ours, and its
   * numbers with it: the later order takes the number over. `provenUs`: start of the scan that shows the number, or the time of the
   * answer.
   */
  bind(order: ManagedOrder, number: BrokerOrderNo, provenUs: number): boolean {
    const isOther = order.orderNo !== null && order.orderNo !== number;
    if (isOther && !order.isNumberLost && !order.isCarriedOver) return false;
    return this.renumber(order, number, provenUs);
  }

  /** Its key proves that the order has a number of the broker's new day. */
  renumber(order: ManagedOrder, number: BrokerOrderNo, provenUs: number): boolean {
    assert(!order.isWaiting, 'numbers of the in-day book are of orders at the exchange');
    order.absence = null;
    order.orderNo = number;
    const earlier = this.#earlier.get(number);
    const owner = this.#byNumber.get(number);
    const holder = owner === order || owner?.orderNo !== number ? undefined : owner;
    const isKept = holder !== undefined && !mayTake(order, holder, provenUs);
    if (order.isCarriedOver) this.#earlier.set(number, order);
    else if (!isKept) this.#byNumber.set(number, order);
    // Its row was found by this number, also where its own is another one by now.
    if (owner !== undefined) this.unsettle(owner);
    if (earlier !== undefined && earlier !== order && earlier.orderNo === number) this.#lose(earlier);
    if (isKept) this.#lose(order);
    else {
      order.isNumberLost = false;
      if (holder !== undefined) this.#lose(holder);
    }
    this.changed(order);
    return !isKept;
  }

  /** It keeps key and reference; a row with one of them is still its row. */
  #lose(order: ManagedOrder): void {
    if (order.orderKey !== null) this.#outnumbered.set(order.orderKey, order);
    order.isNumberLost = true;
    order.canCancel = false;
    order.canModify = false;
    this.changed(order);
  }

  /** To be called after any change of an order's status, quantity, price or open call. */
  changed(order: ManagedOrder): void {
    const isListed = this.#open.includes(order);
    this.#market.of(order.instrument).invalidateBand();
    if (isListed && order.isFinal) {
      this.#open = this.#open.filter((each) => each !== order);
      if (this.#doLeave) this.#over.push(order);
    }
    if (!isListed && !order.isFinal) this.#open.push(order);
    if (order.isCarriedOver) this.#unsettled += 1;
    else this.unsettle(order);
    this.#turn();
  }

  /** The row of an order that is over was read: the same one says nothing new. */
  settle(order: ManagedOrder, row: BrokerOrder): void {
    order.settledRow = row;
    order.settledAt = this.#unsettled;
  }

  isSettled({ settledAt }: ManagedOrder): boolean {
    return settledAt === this.#unsettled;
  }

  /** The order changed: all rows are read again. */
  unsettle(order: ManagedOrder): void {
    if (this.isSettled(order)) this.unsettleAll();
  }

  unsettleAll(): void {
    this.#unsettled += 1;
  }

  #turn(): void {
    this.#version += 1;
    this.touch.isStale = true;
    this.#dueWork.open();
  }

  /** Counts are made when they are read: an event may change an order several times. */
  #count(): void {
    if (this.#counted === this.#version) return;
    this.#counted = this.#version;
    this.#ownOpen = 0;
    this.#unresolved = 0;
    this.#presumedAbsent = null;
    this.#contradicted = null;
    this.#numberLost = null;
    this.#waiting = 0;
    this.#isRestless = false;
    for (const each of this.#open) {
      const isQuiet =
        each.isWaiting && (each.status === 'pending_trigger' || each.status === 'presumed_absent');
      if (each.isWaiting) this.#waiting += 1;
      if (each.isWaiting && !isQuiet) this.#isRestless = true;
      if (!each.isAdopted && !isQuiet) this.#ownOpen += 1;
      if (each.isContradicted) this.#contradicted ??= each;
      // A carried order is known by key and reference alone until the new book shows it.
      const isLost = each.isNumberLost && !each.isCarriedOver;
      if (isLost) this.#numberLost ??= each;
      if (each.status === 'presumed_absent') this.#presumedAbsent ??= each;
      else if (each.isUnresolved || isLost) this.#unresolved += 1;
    }
  }

  /** A new trading day: numbers begin anew. */
  clear(): void {
    this.#byId.clear();
    this.#children.clear();
    this.#byNumber.clear();
    this.#byKey.clear();
    this.#byTriggerNo.clear();
    this.#senders.clear();
    this.#earlier.clear();
    this.#outnumbered.clear();
    this.#hasEarlier = false;
    this.owingExits.clear();
    this.#market.invalidateBand();
    this.#over = [];
    this.#left.clear();
    this.#open = [];
    this.#unsettled += 1;
    this.#turn();
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

/** The price at which a print touches one of our resting orders, one comparison a print and side. */
class TouchPrices {
  /** Highest resting buy by instrument, -Infinity without one. */
  readonly #buys: number[] = [];
  /** Lowest resting sell by instrument, Infinity without one. */
  readonly #sells: number[] = [];
  readonly #open: () => readonly ManagedOrder[];
  /** Orders changed since: the next look goes through them. */
  isStale = false;

  constructor(open: () => readonly ManagedOrder[]) {
    this.#open = open;
  }

  isTouched(instrument: InstrumentIndex, price: number): boolean {
    return price <= this.buyOf(instrument) || price >= this.sellOf(instrument);
  }

  buyOf(instrument: InstrumentIndex): number {
    if (this.isStale) this.#refresh();
    return this.#buys[instrument] ?? -Infinity;
  }

  sellOf(instrument: InstrumentIndex): number {
    if (this.isStale) this.#refresh();
    return this.#sells[instrument] ?? Infinity;
  }

  #refresh(): void {
    this.isStale = false;
    for (let at = 0; at < this.#buys.length; at += 1) {
      this.#buys[at] = -Infinity;
      this.#sells[at] = Infinity;
    }
    for (const order of this.#open()) {
      this.#grow(order.instrument);
      if (order.isWaiting) this.#addTrigger(order);
      else {
        this.#add(order, order.limitPrice);
        if (order.pendingPrice !== null) this.#add(order, order.pendingPrice);
      }
    }
  }

  /** The trigger that the broker showed last. */
  #addTrigger({ instrument, triggerPrice, triggerWhen }: ManagedOrder): void {
    if (triggerPrice === null) return;
    if (triggerWhen !== 'at_or_above')
      this.#buys[instrument] = Math.max(this.#buys[instrument] ?? -Infinity, triggerPrice);
    if (triggerWhen !== 'at_or_below')
      this.#sells[instrument] = Math.min(this.#sells[instrument] ?? Infinity, triggerPrice);
  }

  #add(order: ManagedOrder, price: number): void {
    const { instrument, side } = order;
    if (side === 'buy') this.#buys[instrument] = Math.max(this.#buys[instrument] ?? -Infinity, price);
    else this.#sells[instrument] = Math.min(this.#sells[instrument] ?? Infinity, price);
  }

  #grow(instrument: InstrumentIndex): void {
    while (this.#buys.length <= instrument) {
      this.#buys.push(-Infinity);
      this.#sells.push(Infinity);
    }
  }
}

/** Ends that no scan shows again, as it does those that come with the end of the day. */
const ENDS: readonly OrderStatus[] = ['filled', 'canceled'];

/** Nothing else refers to it, and nobody but a strategy may still name it. */
const mayLeave = (order: ManagedOrder): boolean => {
  const { status, trigger, parent, isAdopted, isOfSystem, isCarriedOver, reason } = order;
  const isPlain = trigger === null && parent === null && !isAdopted && !isOfSystem && !isCarriedOver;
  return isPlain && reason === '' && ENDS.includes(status);
};

/** Numbers an order: how it ended and whose it was, contract and side, quantity, limit, and what filled. */
const FIELDS = 6;
/** Orders a block. */
const BLOCK = 512;

class LeftOrders {
  /** By start of their ids: blocks of orders, each at its count. */
  readonly #starts = new Map<string, (Float64Array | undefined)[]>();

  add(order: ManagedOrder): void {
    const { clientOrderId: id, strategy, instrument } = order;
    const count = countOf(id);
    const start = startOf(id);
    let blocks = this.#starts.get(start);
    if (blocks === undefined) this.#starts.set(start, (blocks = []));
    const block = Math.floor(count / BLOCK);
    const fields = (blocks[block] ??= new Float64Array(BLOCK * FIELDS));
    const at = (count % BLOCK) * FIELDS;
    fields[at] = 1 + ENDS.indexOf(order.status) + ENDS.length * strategy;
    fields[at + 1] = 2 * instrument + (order.side === 'buy' ? 0 : 1);
    fields[at + 2] = order.qty;
    fields[at + 3] = order.limitPrice;
    fields[at + 4] = order.filledQty;
    fields[at + 5] = order.filledValue;
  }

  updateOf(id: ClientOrderId, strategy: StrategyIndex): OrderUpdate | undefined {
    const blocks = this.#starts.size === 0 ? undefined : this.#starts.get(startOf(id));
    const count = countOf(id);
    const at = (count % BLOCK) * FIELDS;
    const [end, traded, size, limitPrice, filledQty, filledValue] =
      blocks?.[Math.floor(count / BLOCK)]?.subarray(at, at + FIELDS) ?? [];
    if (end === undefined || end === 0 || Math.floor((end - 1) / ENDS.length) !== strategy) return undefined;
    const status = ENDS[(end - 1) % ENDS.length];
    assert(
      status !== undefined && traded !== undefined && size !== undefined,
      'an order that has left has its fields',
    );
    assert(
      limitPrice !== undefined && filledQty !== undefined && filledValue !== undefined,
      'an order that has left has its figures',
    );
    return {
      clientOrderId: id,
      instrument: instrumentIndex(traded >> 1),
      side: traded % 2 === 0 ? 'buy' : 'sell',
      status,
      qty: qty(size),
      limitPrice: priceTicks(limitPrice),
      filledQty: qty(filledQty),
      filledValue: money(filledValue),
      leavesQty: qty(0),
      lastFilledQty: qty(0),
      lastFilledValue: money(0),
      denial: null,
      reason: '',
    };
  }

  clear(): void {
    this.#starts.clear();
  }
}
