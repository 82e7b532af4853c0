/** The orders of the trading day by our id; the ones that are not final also in a list. */
import { assert } from '../../domain/assert.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { withOne } from '../../domain/lists.ts';
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
import type { DueWork } from '../state/timers.ts';
import type { ManagedOrder } from './managed-order.ts';
import { OrderNames } from './order-names.ts';
import { RejectionMemory, SendRate } from '../risk/send-history.ts';

const NO_ORDERS: ManagedOrder[] = [];

export class Orders {
  readonly names = new OrderNames(this);
  readonly touch = new TouchPrices(this);
  readonly rate = new SendRate();
  readonly rejections = new RejectionMemory();
  /** The last session left orders at the exchange. */
  hasEarlier = false;
  readonly #byId = new Map<ClientOrderId, ManagedOrder>();
  readonly #children = new Map<ClientOrderId, ManagedOrder[]>();
  /** Brackets that have filled by more than their known exits cover. */
  readonly owingExits = new Set<ManagedOrder>();
  /** Orders of the trigger book that ended canceled, until somebody takes them. */
  canceledWaiting: ManagedOrder[] = [];
  readonly #dueWork: DueWork;
  readonly #market: Market;
  readonly #doLeave: boolean;
  /** Over, and about to leave. */
  #over = NO_ORDERS;
  /** The last one that may leave; the next one removes it: a map that runs empty would be allocated again each time. */
  #last: ManagedOrder | null = null;
  readonly #left = new LeftOrders();
  #open = NO_ORDERS;
  #ownOpen = 0;
  #waiting = 0;
  #isRestless = false;
  #unresolved = 0;
  #presumedAbsent: ManagedOrder | null = null;
  #contradicted: ManagedOrder | null = null;
  #numberLost: ManagedOrder | null = null;
  #version = 0;
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

  /** Open orders that are not adopted, and not merely waiting at the broker. */
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

  /** Counts every change of the open orders. */
  get version(): number {
    return this.#version;
  }

  add(order: ManagedOrder): void {
    const { size } = this.#byId;
    this.#byId.set(order.clientOrderId, order);
    assert(this.#byId.size === size + 1, 'an order is added once');
    this.hasEarlier ||= order.isCarriedOver;
    const { parent } = order;
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
    let kept = NO_ORDERS;
    for (const order of this.#over) {
      if (!order.isFinal) continue;
      if (order.unanswered > 0) kept = withOne(kept, order);
      else if (mayLeave(order)) {
        if (this.#last?.isFinal === true) this.#leave(this.#last);
        this.#last = order;
      }
    }
    this.#over = kept;
  }

  #leave(order: ManagedOrder): void {
    this.#left.add(order);
    this.#byId.delete(order.clientOrderId);
    this.names.forget(order);
  }

  /** Orders that an order sent or brought, oldest first. */
  childrenOf(id: ClientOrderId): readonly ManagedOrder[] {
    return this.#children.get(id) ?? NO_ORDERS;
  }

  /** To be called after any change of an order's status, quantity, price or open call. */
  changed(order: ManagedOrder): void {
    const isListed = this.#open.includes(order);
    this.#market.of(order.instrument).invalidateBand();
    if (isListed && order.isFinal) {
      this.#open = this.#open.length === 1 ? NO_ORDERS : this.#open.filter((each) => each !== order);
      if (this.#doLeave) this.#over = withOne(this.#over, order);
    }
    if (!isListed && !order.isFinal) this.#open = withOne(this.#open, order);
    if (order.isCarriedOver) this.names.unsettleAll();
    else this.names.unsettle(order);
    this.#turn();
  }

  #turn(): void {
    this.#version += 1;
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
      if (each.doubt.isContradicted) this.#contradicted ??= each;
      // A carried order is known by key and reference alone until the new book shows it.
      const isLost = each.doubt.isNumberLost && !each.isCarriedOver;
      if (isLost) this.#numberLost ??= each;
      if (each.status === 'presumed_absent') this.#presumedAbsent ??= each;
      else if (each.isUnresolved || isLost) this.#unresolved += 1;
    }
  }

  clear(): void {
    this.#byId.clear();
    this.#children.clear();
    this.names.clear();
    this.hasEarlier = false;
    this.owingExits.clear();
    this.#market.invalidateBand();
    this.#over = NO_ORDERS;
    this.#last = null;
    this.#left.clear();
    this.#open = NO_ORDERS;
    this.#turn();
  }
}

/** The prices at which a print of a contract touches one of our orders: at rest, asked for, or to be triggered. */
class TouchPrices {
  readonly #orders: Orders;
  #instrument = -1;
  #version = -1;
  /** Highest resting buy, -Infinity without one. */
  #buy = -Infinity;
  /** Lowest resting sell, Infinity without one. */
  #sell = Infinity;

  constructor(orders: Orders) {
    this.#orders = orders;
  }

  isTouched(instrument: InstrumentIndex, price: number): boolean {
    return price <= this.buyOf(instrument) || price >= this.sellOf(instrument);
  }

  buyOf(instrument: InstrumentIndex): number {
    this.#measure(instrument);
    return this.#buy;
  }

  sellOf(instrument: InstrumentIndex): number {
    this.#measure(instrument);
    return this.#sell;
  }

  #measure(instrument: InstrumentIndex): void {
    const { version, open } = this.#orders;
    if (version === this.#version && instrument === this.#instrument) return;
    this.#version = version;
    this.#instrument = instrument;
    this.#buy = -Infinity;
    this.#sell = Infinity;
    for (const order of open) {
      if (order.instrument !== instrument) continue;
      const { side, isWaiting, triggerPrice, triggerWhen, limitPrice, pendingPrice } = order;
      if (!isWaiting) this.#add(limitPrice, side === 'buy', side === 'sell');
      // The trigger that the broker showed last.
      const other = isWaiting ? triggerPrice : pendingPrice;
      const isBelow = isWaiting ? triggerWhen !== 'at_or_above' : side === 'buy';
      if (other !== null) this.#add(other, isBelow, isWaiting ? triggerWhen !== 'at_or_below' : !isBelow);
    }
  }

  #add(price: number, isBelow: boolean, isAbove: boolean): void {
    if (isBelow) this.#buy = Math.max(this.#buy, price);
    if (isAbove) this.#sell = Math.min(this.#sell, price);
  }
}

/** Ends that no scan shows again, as it does those that come with the end of the day. */
const ENDS: readonly OrderStatus[] = ['filled', 'canceled'];

/** Nothing else refers to it, and only a strategy may still name it. */
const mayLeave = (order: ManagedOrder): boolean => {
  const { status, trigger, parent, isAdopted, isOfSystem, isCarriedOver, reason } = order;
  const isPlain = trigger === null && parent === null && !isAdopted && !isOfSystem && !isCarriedOver;
  return isPlain && reason === '' && ENDS.includes(status);
};

/** Numbers an order: its end and owner, contract and side, quantity, limit, and fills. */
const FIELDS = 6;
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
