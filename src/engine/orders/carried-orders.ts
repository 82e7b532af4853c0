/**
 * Orders at the exchange that the last session left. A row that a book still shows of them, or a late answer, belongs to their owner,
 * and only the fills that are new are booked. One whose end was not seen may explain a difference of positions (rulings, 6).
 */
import { changeWithoutFill, type EngineCore } from '../engine-core.ts';
import { assert } from '../../domain/assert.ts';
import type { BrokerTriggerOrder } from '../../domain/broker-order.ts';
import { surelyBegunUs } from '../../domain/calendar.ts';
import { momentOf } from '../../domain/civil-date.ts';
import { valueOf } from '../../domain/contract.ts';
import { hasProvenEnd, type OrderStatus, type Side, signOf, waitsInTriggerBook } from '../../domain/order.ts';
import {
  type InstrumentIndex,
  money,
  OPERATOR_INDEX,
  type PriceTicks,
  qty,
  type SignedQty,
  type StrategyIndex,
  signedQty,
  type TsUs,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { CarriedOrder } from '../ports/engine-event.ts';
import type { BracketExits } from './exits.ts';
import { ManagedOrder, NO_PRICE } from './managed-order.ts';
import type { OrderLife } from './order-life.ts';

/** Both reads that show a difference, or none, are at least this far apart: the broker's figures may lag a moment behind the book. */
export const CONFIRM_AFTER_US = 3 * US_PER_SECOND;

export class CarriedOrders {
  readonly #core: EngineCore;
  readonly #exits: BracketExits;
  readonly #life: OrderLife;
  /** Their end is unproven: they may have filled after the last read of their book. */
  readonly #unproven = new Set<ManagedOrder>();
  /** Start of the first read of positions that agreed after its end. */
  readonly #agreedUs = new WeakMap<ManagedOrder, number>();
  readonly #endedBefore = new Set<ManagedOrder>();
  /** Trading stopped since the session of the orders, unless it never does; else the clock was set back, and they are of this day. */
  #wasNight = false;
  #isNoEvidenceAlerted = false;

  constructor(core: EngineCore, exits: BracketExits, life: OrderLife) {
    this.#core = core;
    this.#exits = exits;
    this.#life = life;
  }

  carryOver(left: CarriedOrder, wasNight: boolean): void {
    this.#wasNight = wasNight;
    const { clientOrderId, strategy, status, trigger, row, orderNo, orderKey } = left;
    const orderCode = row?.orderCode ?? this.#core.contracts.at(left.instrument)?.orderCode;
    if (orderCode === undefined || this.#core.orders.get(clientOrderId) !== undefined) return;
    const isWaiting = row !== undefined || waitsInTriggerBook(trigger);
    const { parent, isProtective } = left;
    const order = new ManagedOrder({ ...left, orderCode }, this.#core.context.nowUs, parent, isWaiting);
    order.isAdopted = strategy === OPERATOR_INDEX;
    if (order.isAdopted) order.refId = null;
    order.isProtective = isProtective;
    order.isCarriedOver = true;
    if (row !== undefined) return this.#carryWaiting(order, row, left);
    if (!isWaiting) order.orderKey = orderKey;
    order.filledQty = left.filledQty;
    order.filledValue = left.filledValue;
    order.fillQuality = left.fillQuality;
    order.fee = left.fee;
    order.tax = left.tax;
    // Its number may be another order's by now: a row of the book allows it again.
    order.canCancel = false;
    order.canModify = false;
    const isDayOver = wasNight && !this.#isMidnightTraded();
    order.become(this.#statusToday(left, isDayOver));
    if ((order.isFinal && wasNight) || (isDayOver && !isWaiting)) this.#endedBefore.add(order);
    this.#core.orders.add(order);
    if (orderNo !== null && isWaiting) this.#core.orders.brokerIds.bindTrigger(order, orderNo, orderKey);
    else if (orderNo !== null) this.#core.orders.brokerIds.bind(order, orderNo, this.#core.context.nowUs);
    const isOver = hasProvenEnd(status);
    if (!isOver) this.#unproven.add(order);
    if (trigger?.kind === 'bracket' && (!isOver || left.owesExits === true)) this.#exits.expect(order);
  }

  /**
   * After a night it is over if its last day was before this one, unless a book shows it. Where trading goes on over midnight, the clock
   * proves nothing.
   */
  #carryWaiting(
    order: ManagedOrder,
    row: BrokerTriggerOrder,
    { placedTrigger = null }: { readonly placedTrigger?: PriceTicks | null },
  ): void {
    this.#life.addWaiting(order, row);
    this.#exits.pair(order);
    order.writableTrigger().placedPrice = placedTrigger;
    // The next day may know the order only from this entry.
    this.#life.journalWaiting(order, row);
    if (!this.#wasNight || !this.hasLapsed(row)) return;
    this.onMissing(order);
    this.#life.apply(order, 'seen_gone', `its last day was ${row.lastDay}`);
  }

  /** Its last day was before this one, so it cannot have triggered today. */
  hasLapsed({ lastDay }: BrokerTriggerOrder): boolean {
    return lastDay !== undefined && lastDay < this.#core.session.tradingDay() && !this.#isMidnightTraded();
  }

  /** A book of this day shows it: from here on its rows report its fills. */
  onShown(order: ManagedOrder, startedUs: TsUs): void {
    if (this.#unproven.size > 0 && startedUs >= this.#dayBeganUs()) this.#unproven.delete(order);
  }

  /**
   * A scan of the broker's day before proves no number of that day's orders: another may have it by now. Where trading never stops, that
   * day may end later than ours.
   */
  provesNumbers(startedUs: TsUs): boolean {
    return startedUs >= this.#surelyBegunUs();
  }

  /** Its row is of the day before: today's book does not have it. */
  endedBeforeToday(order: ManagedOrder): boolean {
    return this.#endedBefore.has(order);
  }

  /** A row of today without a reference that looks like it is another order: the broker too has begun a new day. */
  isSurelyOver(order: ManagedOrder, startedUs: TsUs): boolean {
    const isOfPastDay = order.isCarriedOver && this.#wasNight;
    return this.#endedBefore.has(order) || (isOfPastDay && this.provesNumbers(startedUs));
  }

  /** The book has only rows of the day before, or lacks rows that it had: it proves nothing about an order of today. */
  alertNoEvidence(order: ManagedOrder, startedUs: TsUs): void {
    if (this.#isNoEvidenceAlerted || startedUs - order.createdUs < this.#core.settings.lookUp.spread) return;
    this.#isNoEvidenceAlerted = true;
    const book = order.isTriggerOrder ? 'trigger book' : 'in-day book';
    const text = `the ${book} is of another day or lacks orders: it does not show whether ${order.clientOrderId} arrived`;
    this.#core.context.alert(order.strategy, 'warning', 'book_of_another_day', text);
  }

  /** A complete scan does not show it. A stop that no book of this day has shown may have sent its order before the day ended. */
  onMissing(order: ManagedOrder): void {
    const isUnseen = order.isCarriedOver && order.isTriggerOrder && order.rowUs < this.#dayBeganUs();
    if ((isUnseen || this.isOfDayBefore(order)) && order.limitPrice !== NO_PRICE) this.#unproven.add(order);
  }

  /** Created in the first minute of a day, where trading never stops: the broker's day may begin later than ours, and take its book away. */
  isOfDayBefore({ createdUs }: ManagedOrder): boolean {
    return createdUs < this.#surelyBegunUs();
  }

  /** Two reads of positions agree (one may come empty), no complete scan shows it: nothing of it is missing. True where there was one. */
  onPositionsAgreed(readUs: number): boolean {
    const { size } = this.#unproven;
    for (const order of this.#unproven) {
      if (!order.isFinal) continue;
      const firstUs = this.#agreedUs.get(order);
      if (firstUs === undefined) {
        this.#agreedUs.set(order, readUs);
        if (order.isTriggerOrder && leavesOf(order) > 0) this.#alertDropped(order);
      } else if (readUs - firstUs >= CONFIRM_AFTER_US) this.#unproven.delete(order);
    }
    return this.#unproven.size < size;
  }

  /** A stop that the broker has not kept over the night. One of the engine's own is placed again where it is configured. */
  #alertDropped(order: ManagedOrder): void {
    const { strategy, instrument, side, isProtective } = order;
    const held = this.#core.portfolio.position(strategy, instrument).qty;
    if (held === 0 || Math.sign(held) === signOf(side)) return;
    const bare = Math.min(Math.abs(held), leavesOf(order));
    const text = `${bare} of ${order.orderCode} may have no stop: ${order.describe()} waited at the broker in the last session, and its trigger book no longer shows it`;
    const severity = isProtective ? 'warning' : 'critical';
    this.#core.context.alert(strategy, severity, 'exits_missing', text, { about: order.orderCode });
  }

  /** Gives a difference to the strategy whose orders alone can explain it; false where none or several may: then a person decides. */
  explain(instrument: InstrumentIndex, difference: SignedQty): boolean {
    const able = [...this.#unproven].filter(
      (order) => order.instrument === instrument && leavesOf(order) > 0,
    );
    const same = able.filter(({ side }) => signOf(side) === Math.sign(difference));
    const most = same.reduce((sum, order) => sum + leavesOf(order), 0);
    const wanted = Math.abs(difference);
    // The difference equals all open quantity of this side, so nothing of the other side has filled.
    const areAllFilled = most === wanted;
    const owners = new Set(able.map(({ strategy }) => strategy));
    if (most < wanted || (owners.size > 1 && !areAllFilled)) return false;
    // The better price fills first, then the older order.
    const inTurn = same.toSorted((a, b) => signOf(a.side) * (b.limitPrice - a.limitPrice));
    let left = wanted;
    for (const order of inTurn) {
      const taken = Math.min(left, leavesOf(order));
      if (taken > 0) this.#book(order, taken);
      left -= taken;
    }
    return true;
  }

  /** Contracts that orders which are over may have traded unseen; none once a read of positions has agreed. */
  unseenQty(strategy: StrategyIndex, instrument: InstrumentIndex, side: Side): number {
    let total = 0;
    if (this.#unproven.size === 0) return total;
    for (const order of this.#unproven) {
      const isOf = order.strategy === strategy && order.instrument === instrument && order.side === side;
      if (isOf && order.isFinal && !this.#agreedUs.has(order)) total += leavesOf(order);
    }
    return total;
  }

  /** The orders that may explain a difference, in words; empty when there are none. */
  describe(): string {
    const left = [...this.#unproven].filter((order) => leavesOf(order) > 0);
    return left.map((order) => `${order.clientOrderId} ${order.side} ${leavesOf(order)}`).join(', ');
  }

  /** Books a fill at the limit price, as no other figure is left. */
  #book(order: ManagedOrder, filled: number): void {
    const { instrument, strategy, side, limitPrice, clientOrderId } = order;
    const contract = this.#core.contracts.at(instrument);
    assert(contract !== undefined, 'a carried order is in a listed contract');
    const value = money(valueOf(contract.spec, limitPrice, filled));
    const change = signedQty(signOf(side) * filled);
    changeWithoutFill(this.#core, order, 'adopted', change, value);
    const text = `${clientOrderId} filled ${filled} unseen before the day ended: the broker's position shows it, booked at its limit price`;
    this.#core.context.alert(strategy, 'warning', 'fill_unseen', text);
    if (order.isTriggerOrder) {
      const sent = order.writableTrigger();
      sent.sentQty = qty(sent.sentQty + filled);
    } else {
      order.filledQty = qty(order.filledQty + filled);
      order.filledValue = money(order.filledValue + value);
      order.fillQuality = 'estimated';
      if (order.trigger?.kind === 'bracket') this.#core.orders.bracketsMissingExits.add(order);
    }
    this.#core.orders.changed(order);
    this.#life.publish(order);
  }

  /** An order without a number is looked up. Where its day is over, one with a number is too. */
  #statusToday({ status, orderNo, filledQty, trigger }: CarriedOrder, isDayOver: boolean): OrderStatus {
    if (hasProvenEnd(status)) return status;
    if (orderNo === null) return status === 'submitted' ? 'submitted' : 'unknown';
    if (waitsInTriggerBook(trigger)) return 'pending_trigger';
    if (isDayOver) return 'expired';
    return filledQty > 0 ? 'partially_filled' : 'accepted';
  }

  #isMidnightTraded(): boolean {
    return this.#surelyBegunUs() > this.#dayBeganUs();
  }

  #surelyBegunUs(): TsUs {
    return surelyBegunUs(this.#core.calendar, this.#core.session.tradingDay());
  }

  #dayBeganUs(): number {
    return momentOf(this.#core.session.tradingDay(), 0, this.#core.calendar.utcOffsetMinutes);
  }
}

/** Contracts that may have filled unseen; `leavesQty` counts none of an order that is over. */
const leavesOf = (order: ManagedOrder): number =>
  Math.max(0, order.qty - (order.isTriggerOrder ? order.triggerState.sentQty : order.filledQty));
