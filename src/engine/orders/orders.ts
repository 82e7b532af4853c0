/** The orders of the trading day by our id; the ones that are not final also in a list. */
import { assert } from '../../domain/assert.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { withOne } from '../../domain/lists.ts';
import type { InstrumentIndex } from '../../domain/units.ts';
import { type Market, PriceRange } from '../market/market.ts';
import type { DueWork } from '../state/timers.ts';
import type { ManagedOrder } from './managed-order.ts';
import { OrderNames } from './order-names.ts';
import { RejectionMemory, SendRate } from '../risk/send-history.ts';

const NO_ORDERS: ManagedOrder[] = [];
/** Orders that are over and still known where those before them leave. */
export const OVER_MAX = 256;

export class Orders {
  readonly names = new OrderNames(this);
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
  readonly #untouched = new PriceRange();
  readonly #doLeave: boolean;
  /** The last that ended, in turn. */
  readonly #over: ManagedOrder[] = [];
  #ended = 0;
  #open = NO_ORDERS;
  #version = 0;

  /** `doLeave`: orders that are long over leave, since no book shows them again. */
  constructor(dueWork: DueWork, market: Market, doLeave = false) {
    this.#dueWork = dueWork;
    this.#market = market;
    this.#doLeave = doLeave;
  }

  /** Not final, oldest first. The list is replaced, never changed: a loop over the old one goes on undisturbed. */
  get open(): readonly ManagedOrder[] {
    return this.#open;
  }

  /** One of the open orders is not adopted, and not merely waiting at the broker. */
  get hasOwnOpen(): boolean {
    return this.#open.some(isOwnAtWork);
  }

  /** Orders without a number of their own whose fate is not known; `presumed_absent` ones are not among them. */
  get unresolved(): number {
    return this.#open.filter(isUnresolved).length;
  }

  /** One of the open orders is in the trigger book. */
  get hasWaiting(): boolean {
    return this.#open.some(isWaiting);
  }

  /** How often the trigger book is read; null: it holds no order of ours. */
  get triggerTempo(): 'fast' | 'slow' | null {
    if (this.owingExits.size > 0 || this.#open.some(isRestless)) return 'fast';
    return this.hasWaiting ? 'slow' : null;
  }

  /** The oldest order that complete scans did not show, and that a person has to resolve. */
  get presumedAbsent(): ManagedOrder | null {
    return this.#open.find(isPresumedAbsent) ?? null;
  }

  /** The oldest order whose row contradicts itself. */
  get contradicted(): ManagedOrder | null {
    return this.#open.find(isContradicted) ?? null;
  }

  /** The oldest order whose number another order has. */
  get numberLost(): ManagedOrder | null {
    return this.#open.find(isNumberLost) ?? null;
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

  /** It is over, and one that ended long before leaves, so that no order outlives the memory that it was made in. */
  #end(order: ManagedOrder): void {
    const turn = this.#ended % OVER_MAX;
    this.#ended += 1;
    const before = this.#over[turn];
    this.#over[turn] = order;
    if (before === undefined || !mayLeave(before)) return;
    this.#byId.delete(before.clientOrderId);
    this.names.forget(before);
  }

  /** Orders that an order sent or brought, oldest first. */
  childrenOf(id: ClientOrderId): readonly ManagedOrder[] {
    return this.#children.get(id) ?? NO_ORDERS;
  }

  /** To be called after any change of an order's status, quantity, price or open call. */
  changed(order: ManagedOrder): void {
    const isListed = this.#open.includes(order);
    this.#market.of(order.instrument).noOp.shut();
    if (isListed && order.isFinal) {
      this.#open = this.#open.length === 1 ? NO_ORDERS : this.#open.filter((each) => each !== order);
      if (this.#doLeave) this.#end(order);
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

  /** Prices at which a print of the contract touches none of our orders: at rest, asked for, or to be triggered. Until the next call. */
  untouchedOf(instrument: InstrumentIndex): PriceRange {
    this.#untouched.set(-Infinity, Infinity);
    for (const order of this.#open) {
      if (order.instrument !== instrument) continue;
      const { side, isWaiting, triggerPrice, triggerWhen, limitPrice, pendingPrice } = order;
      if (!isWaiting) this.#touch(limitPrice, side === 'buy', side === 'sell');
      // The trigger that the broker showed last.
      const other = isWaiting ? triggerPrice : pendingPrice;
      const isBelow = isWaiting ? triggerWhen !== 'at_or_above' : side === 'buy';
      if (other !== null) this.#touch(other, isBelow, isWaiting ? triggerWhen !== 'at_or_below' : !isBelow);
    }
    return this.#untouched;
  }

  #touch(price: number, isBelow: boolean, isAbove: boolean): void {
    const { low, high } = this.#untouched;
    this.#untouched.set(isBelow ? Math.max(low, price + 1) : low, isAbove ? Math.min(high, price - 1) : high);
  }

  clear(): void {
    this.#byId.clear();
    this.#children.clear();
    this.names.clear();
    this.hasEarlier = false;
    this.owingExits.clear();
    this.#market.invalidateBand();
    this.#over.length = 0;
    this.#ended = 0;
    this.#open = NO_ORDERS;
    this.#turn();
  }
}

// Made once: an order pays for no closure.

const isWaiting = (order: ManagedOrder): boolean => order.isWaiting;
const isPresumedAbsent = ({ status }: ManagedOrder): boolean => status === 'presumed_absent';
const isContradicted = ({ doubt }: ManagedOrder): boolean => doubt.isContradicted;

/** Something is expected of it soon: it does not merely rest in the trigger book. */
const isAtWork = (order: ManagedOrder): boolean =>
  !order.isWaiting || (order.status !== 'pending_trigger' && order.status !== 'presumed_absent');
const isOwnAtWork = (order: ManagedOrder): boolean => !order.isAdopted && isAtWork(order);
const isRestless = (order: ManagedOrder): boolean => order.isWaiting && isAtWork(order);

/** A carried order is known by key and reference alone until the new book shows it. */
const isNumberLost = ({ doubt, isCarriedOver }: ManagedOrder): boolean =>
  doubt.isNumberLost && !isCarriedOver;
const isUnresolved = (order: ManagedOrder): boolean =>
  order.status !== 'presumed_absent' && (order.isUnresolved || isNumberLost(order));

/** Nothing else refers to it, no answer is to come, and no scan shows it again: only a strategy may still name it. */
const mayLeave = (order: ManagedOrder): boolean => {
  const { status, trigger, parent, isAdopted, isOfSystem, isCarriedOver, unanswered } = order;
  const isPlain = trigger === null && parent === null && !isAdopted && !isOfSystem && !isCarriedOver;
  return isPlain && unanswered === 0 && (status === 'filled' || status === 'canceled');
};
