/** Withdraws orders that do not fit the position of their owner: entries while they are off, and exits that are too large (rulings, 14). */
import type { EngineCore } from '../engine-core.ts';
import { cover } from '../../domain/cover.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import { OPERATOR_INDEX, seconds, type StrategyIndex, type TsUs, US_PER_MINUTE } from '../../domain/units.ts';
import type { CarriedOrder } from '../ports/engine-event.ts';
import type { BracketExits } from './exits.ts';
import type { ManagedOrder } from './managed-order.ts';
import { isAuction, isStandstill } from '../../domain/calendar.ts';
import { signOf } from '../../domain/order.ts';

/** Orders of one owner: those that can enlarge its position, and those that only shrink it. */
export interface OrderSplit {
  readonly increasing: readonly ManagedOrder[];
  readonly reducing: readonly ManagedOrder[];
}

/** Pause between two cancels of one entry. */
export const CANCEL_AGAIN = seconds(5);

/** Cancels open orders that can enlarge a position, again when a cancel fails, and leaves those that protect it; all on a person's word. */
export class EntryWithdrawal {
  readonly #core: EngineCore;
  readonly #exits: Pick<BracketExits, 'unseenQty'>;
  /** Entries whose end is awaited, and when each cancel was asked for last. */
  readonly #awaited = new Map<ManagedOrder, number>();
  /** A person asked for their end, and has not heard that a cancel came to nothing. */
  readonly #asked = new Set<ManagedOrder>();

  /** Placed as entries, and left because they protect a position: without it they would open another. */
  readonly #kept = new Set<ManagedOrder>();
  /** Stops that were open when this process began. They may protect fills that no read shows yet, so they stay until positions are proven. */
  #unread = new Set<ManagedOrder>();

  constructor(core: EngineCore, exits: Pick<BracketExits, 'unseenQty'>) {
    this.#core = core;
    this.#exits = exits;
  }

  /** Some order is to be looked at with the next book. */
  get isFollowing(): boolean {
    return this.#awaited.size + this.#kept.size + this.#unread.size > 0;
  }

  /** A process begins: until positions are proven it cancels none of the stops that were open before it. */
  onBooted(): void {
    this.#unread = new Set(this.#core.orders.open.filter(waitsOrWasSent));
  }

  /** The entries of one strategy, or of all: adopted orders are the operator's to decide. */
  withdrawEntries(strategy: StrategyIndex | null): void {
    const owners = new Set(
      strategy === null ? this.#core.orders.open.map((order) => order.strategy) : [strategy],
    );
    if (strategy === null) owners.delete(OPERATOR_INDEX);
    for (const owner of owners) this.#splitAndWithdraw(owner, (order) => this.#cancel(order));
  }

  /** Cancels the entries of a stopped strategy. Returns them, and the orders that stay. */
  withdrawEntriesOf(strategy: StrategyIndex): OrderSplit {
    return this.#splitAndWithdraw(strategy, (order) => this.withdrawOrder(order));
  }

  /** A replayed stop of this strategy takes effect, or ends: the entries that are left are canceled once positions are proven. */
  withdrawLeft(strategy: StrategyIndex): void {
    const { increasing } = this.#split(strategy);
    for (const order of this.#core.orders.open) {
      const isLeft = order.strategy === strategy && order.purpose === 'entry' && order.extras.isWithdrawn;
      if (isLeft || (this.#unread.has(order) && increasing.includes(order))) this.#withdrawOnceProven(order);
    }
  }

  #splitAndWithdraw(strategy: StrategyIndex, withdrawOrder: (order: ManagedOrder) => void): OrderSplit {
    const split = this.#split(strategy);
    for (const order of split.increasing) withdrawOrder(order);
    for (const order of split.reducing) this.#keep(order);
    return split;
  }

  /** A stop, waiting or triggered, that can only shrink its strategy's position; also one that was placed before its entry filled. */
  isCover(id: ClientOrderId): boolean {
    const order = this.#core.orders.get(id);
    if (order === undefined || order.isFinal || !waitsOrWasSent(order)) return false;
    return this.#split(order.strategy).reducing.includes(order);
  }

  /** A stop of before this process, whose position was not proven since. */
  isUnread(id: ClientOrderId): boolean {
    const order = this.#core.orders.get(id);
    return order !== undefined && this.#unread.has(order);
  }

  /** Orders that the session before left: of some it asked for the cancel, and saw no end. */
  carryOver(left: readonly CarriedOrder[]): void {
    for (const { clientOrderId, isWithdrawn } of left) {
      const order = this.#core.orders.get(clientOrderId);
      if (order === undefined || order.isFinal) continue;
      this.#keep(order);
      if (isWithdrawn === true) this.#withdrawOnceProven(order);
    }
  }

  #withdrawOnceProven(order: ManagedOrder): void {
    order.writableExtras().isWithdrawn = true;
    this.#awaited.set(order, -Infinity);
  }

  #keep(order: ManagedOrder): void {
    if (order.purpose === 'entry' && order.strategy !== OPERATOR_INDEX) this.#kept.add(order);
  }

  /**
   * A book was read: entries that still work there, because a cancel was refused or got lost, are canceled again. `isProven`: positions
   * are. Those of the session or the process before wait for it: one may protect a position by now. `halt`: knows whose entries are off.
   */
  retry(isProven: boolean, halt: { isOff(strategy: StrategyIndex): boolean }): void {
    if (isProven) this.#unread.clear();
    const context = this.#core.context;
    for (const [order, askedUs] of this.#awaited) {
      if (order.isFinal) {
        this.#awaited.delete(order);
        this.#asked.delete(order);
      } else if (askedUs === -Infinity && !isProven) continue;
      else if (!order.isBeingCanceled && Math.abs(context.nowUs - askedUs) >= CANCEL_AGAIN)
        this.#cancelAgain(order);
    }
    for (const order of this.#kept) {
      if (order.isFinal || this.#awaited.has(order) || !halt.isOff(order.strategy)) this.#kept.delete(order);
      else if (isProven && !order.isBeingCanceled) this.#cancelUseless(order);
    }
  }

  #cancelUseless(order: ManagedOrder): void {
    const { clientOrderId, strategy } = order;
    if (!this.#split(strategy).increasing.includes(order)) return;
    const text = `${clientOrderId} protects no position, and the entries of its strategy are off: it is canceled`;
    this.#core.context.alert(strategy, 'warning', 'stop_without_position', text);
    this.withdrawOrder(order);
  }

  #cancelAgain(order: ManagedOrder): void {
    const { clientOrderId, strategy, reason, purpose, extras } = order;
    const why = reason === '' ? '' : ` (${reason})`;
    const isAsked = this.#asked.delete(order);
    // A take-profit that a flatten withdraws protects nothing; another order may have come to protect a position.
    const isInWay = purpose === 'reduce' && extras.isWithdrawn && !waitsOrWasSent(order);
    if (!isInWay && !this.#split(strategy).increasing.includes(order)) {
      const text = `${clientOrderId} still works, its cancel came to nothing${why}: it shrinks a position and stays, ask again if you still want it gone`;
      if (isAsked) this.#core.context.alert(strategy, 'warning', 'exit_still_works', text);
      return;
    }
    const code = isInWay ? 'exit_still_works' : 'entry_still_works';
    const text = `${clientOrderId} still works, its cancel came to nothing or waited for positions${why}: canceled until it is gone`;
    if (order.markReported(code)) this.#core.context.alert(strategy, 'warning', code, text);
    this.withdrawOrder(order);
  }

  /** Cancels it, and again until it is over or protects a position; a stop of before this process once positions are proven. */
  withdrawOrder(order: ManagedOrder): void {
    if (this.#unread.has(order)) this.#withdrawOnceProven(order);
    else this.#cancel(order);
  }

  #cancel(order: ManagedOrder): void {
    const context = this.#core.context;
    this.#awaited.set(order, context.nowUs);
    context.withdraw(order.strategy, order.clientOrderId);
  }

  /** Everything the broker's books hold for us: adopted orders (failure cases, 4) and protective orders too. */
  cancelAll(): void {
    const context = this.#core.context;
    const { open } = this.#core.orders;
    if (open.length === 0)
      return context.alert(null, 'info', 'cancel_all', 'no order was open: nothing is canceled');
    const stops = open.filter(({ isTriggerOrder, purpose }) => isTriggerOrder && purpose === 'reduce').length;
    const exits = open.filter(
      ({ isTriggerOrder, purpose }) => !isTriggerOrder && purpose === 'reduce',
    ).length;
    const text = `cancels all: entries ${open.length - stops - exits}, exits ${exits}, stops ${stops}; positions are left without them`;
    context.alert(null, 'warning', 'cancel_all', text);
    for (const order of open) this.#cancelAsked(order);
  }

  #cancelAsked(order: ManagedOrder): void {
    const context = this.#core.context;
    this.#asked.add(order);
    if (this.#split(order.strategy).increasing.includes(order)) return this.#cancel(order);
    this.#awaited.set(order, context.nowUs);
    context.cancel(order.strategy, order.clientOrderId);
  }

  /** Cancels one order of any owner, but no protective stop: the engine would place it again at once. */
  cancelOrder(id: ClientOrderId): void {
    const context = this.#core.context;
    const order = this.#core.orders.get(id);
    if (order === undefined || order.isFinal)
      return context.alert(null, 'warning', 'order_not_found', `there is no open order ${id} to cancel`);
    const { strategy, isProtective, isTriggerOrder, purpose } = order;
    if (isProtective) {
      const text = `${id} is not canceled: the engine keeps it as the stop of an open position; flatten closes the position`;
      return context.alert(strategy, 'warning', 'cancel_refused', text);
    }
    // A stop that was placed before its entry filled is no reduction by its purpose.
    if (purpose === 'reduce' || this.#split(strategy).reducing.includes(order)) {
      const text = `cancels the ${isTriggerOrder ? 'stop' : 'exit'} ${id}: its position is left without it`;
      context.alert(strategy, 'warning', 'cancel_order', text);
    }
    if (!order.canBeCanceled && order.extras.openCancel === null) {
      const text = `the cancel of ${id} waits until the broker's books show that it can be canceled`;
      context.alert(strategy, 'warning', 'cancel_waits', text);
    }
    this.#cancelAsked(order);
  }

  #split(strategy: StrategyIndex): OrderSplit {
    const own = this.#core.orders.open.filter((order) => order.strategy === strategy);
    const increasing = new Set<ManagedOrder>();
    for (const instrument of new Set(own.map((order) => order.instrument))) {
      const booked = this.#core.portfolio.position(strategy, instrument).qty;
      const held = booked + this.#exits.unseenQty(strategy, instrument);
      const list = own.filter((order) => order.instrument === instrument);
      for (const order of cover(held, list, ({ asCover }) => asCover).increasing) increasing.add(order);
    }
    return { increasing: [...increasing], reducing: own.filter((order) => !increasing.has(order)) };
  }
}

/** An order that a stop sent when it triggered is the stop at work. */
const waitsOrWasSent = ({ isTriggerOrder, parent }: ManagedOrder): boolean =>
  isTriggerOrder || parent !== null;

/**
 * Exits are never larger than the position they close. When a protective stop or a manual trade has shrunk the position, larger exits would
 * reverse it: the youngest is withdrawn first, its strategy gets the update, and a protective stop covers the rest.
 */
export class ExitCover {
  readonly #core: EngineCore;

  constructor(core: EngineCore) {
    this.#core = core;
  }

  /**
   * After a complete scan of the in-day book, while positions are proven: in doubt a stop stays, and orders seen later may cover a position
   * that the scan does not show yet. A broker that refuses a cancel gets it again once a minute (failure cases, 32).
   */
  step(scanUs: TsUs): void {
    const { orders, portfolio, session, context } = this.#core;
    const exits = orders.open.filter(
      (order) => isExit(order) && order.leavesQty > 0 && order.rowUs <= scanUs,
    );
    for (const order of exits.toReversed()) {
      if (!this.#canGo(order) || order.cancelQueued || order.isPartnerSent) continue;
      if (context.nowUs < order.extras.oversizedUs + US_PER_MINUTE) continue;
      const { strategy, instrument, side } = order;
      const held = portfolio.position(strategy, instrument).qty;
      const forAll = portfolio.leftToCloseByHand(instrument, side);
      const left = Math.max(0, Math.min(-signOf(side) * held, forAll));
      // Nothing triggers while the market is closed, and the stop that fits could not be placed before the night.
      if (left > 0 && isStandstill(session.phase)) continue;
      const staying = orders.open.filter(
        (each) => isExit(each) && !this.#isGoing(each) && each.instrument === instrument,
      );
      const closing = staying.reduce((sum, each) => sum + (each.side === side ? each.exposedQty : 0), 0);
      const own = staying.filter((each) => each.strategy === strategy);
      const { increasing, oversized } = cover(held, own, ({ asCover }) => asCover);
      if (closing > forAll || increasing.has(order) || oversized.has(order)) this.#withdraw(order, left);
    }
  }

  /** False for an order at the exchange in an auction. */
  #canGo({ isTriggerOrder, status }: ManagedOrder): boolean {
    if (isTriggerOrder) return status === 'pending_trigger';
    return (status === 'accepted' || status === 'partially_filled') && !isAuction(this.#core.session.phase);
  }

  #isGoing({ isBeingCanceled, extras }: ManagedOrder): boolean {
    return isBeingCanceled || extras.oversizedUs === this.#core.context.nowUs;
  }

  #withdraw(order: ManagedOrder, left: number): void {
    const { context } = this.#core;
    const { strategy, clientOrderId, side, qty } = order;
    order.writableExtras().oversizedUs = context.nowUs;
    context.withdraw(strategy, clientOrderId);
    if (!order.markReported('too_large')) return;
    const text = `${clientOrderId} would ${side} ${qty} where ${left} is left to close: it is withdrawn`;
    context.alert(strategy, 'warning', 'exit_too_large', text);
  }
}

/** Protective stops are sized by their own procedure. */
const isExit = ({ purpose, isAdopted, isProtective }: ManagedOrder): boolean =>
  purpose === 'reduce' && !isAdopted && !isProtective;
