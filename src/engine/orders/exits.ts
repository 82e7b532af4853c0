/** Exits of brackets: whose exit a row is, which two are halves of one another, and whether all that has filled is protected. */
import type { EngineCore } from '../engine-core.ts';
import { assert } from '../../domain/assert.ts';
import { type BrokerTriggerOrder, ScanEvidence } from '../../domain/broker-order.ts';
import { valueOf } from '../../domain/contract.ts';
import type { BrokerOrderKey, ClientOrderId } from '../../domain/ids.ts';
import { cover } from '../../domain/cover.ts';
import { opposite, signOf } from '../../domain/order.ts';
import { type InstrumentIndex, priceTicks, type StrategyIndex, type TsUs } from '../../domain/units.ts';
import type { ManagedOrder } from './managed-order.ts';

interface RowScan {
  readonly startedUs: TsUs;
  /** When the answer of the scan was there that showed the row first: a bracket that is younger did not bring it. */
  readonly sinceUs: TsUs;
  /** It was over before the day's first scan: an exit of a day before, which that session knew by another name. */
  readonly wasOver: boolean;
}

export class BracketExits {
  readonly #core: EngineCore;
  /** Brackets of today and those that outlived their day, whether or not they still work: exits outlive their entry. */
  readonly #brackets = new Set<ManagedOrder>();
  /** Scans that did not show the exits of a bracket that has filled. */
  readonly #scansWithoutExits = new Map<ManagedOrder, ScanEvidence>();
  /** Exits whose bracket is in doubt. */
  readonly #undecided = new Map<BrokerOrderKey, ScanEvidence>();

  constructor(core: EngineCore) {
    this.#core = core;
  }

  expect(bracket: ManagedOrder): void {
    this.#brackets.add(bracket);
  }

  /** Forgets brackets of the day; one that goes on may still bring exits. */
  nextDay(): void {
    const orders = this.#core.orders;
    for (const bracket of this.#brackets) {
      const isKnown = orders.get(bracket.clientOrderId) === bracket;
      const mayBring =
        !bracket.isFinal ||
        orders.bracketsMissingExits.has(bracket) ||
        this.#exitsOf(bracket.clientOrderId).length > 0;
      if (!isKnown || !mayBring) this.#brackets.delete(bracket);
    }
    this.#scansWithoutExits.clear();
    this.#undecided.clear();
  }

  /**
   * The bracket of ours that brought this exit; null when it is none of ours, which leaves it at the broker and alerts; `undecided`
   * when the books have to be read again first.
   */
  bracketOf(row: BrokerTriggerOrder, scan: RowScan): ManagedOrder | 'undecided' | null {
    if (row.kind !== 'exit') return null;
    const { startedUs, sinceUs } = scan;
    const named = this.#named(row, scan);
    const bracket = named === undefined ? this.#byTerms(row, scan) : named;
    if (bracket !== 'undecided') {
      this.#undecided.delete(row.orderKey);
      return bracket;
    }
    const evidence = this.#undecided.get(row.orderKey) ?? new ScanEvidence(startedUs);
    this.#undecided.set(row.orderKey, evidence);
    // The owner cannot be known as long as the in-day book cannot be read.
    if (this.#core.session.ordersReadUs < sinceUs) return 'undecided';
    evidence.add(startedUs, this.#core.settings.lookUp);
    return evidence.isEnough(this.#core.settings.lookUp) ? null : 'undecided';
  }

  /** The bracket by the number in the row; undefined for a row without one, or with one that no complete scan of the in-day book has. */
  #named(row: BrokerTriggerOrder, scan: RowScan): ManagedOrder | 'undecided' | null | undefined {
    const { parent, orderCode, side } = row;
    if (parent === null) return undefined;
    const orders = this.#core.orders;
    const isOurs = (order: ManagedOrder | undefined): order is ManagedOrder =>
      order !== undefined &&
      this.#brackets.has(order) &&
      mayBring(order, scan) &&
      order.orderCode === orderCode &&
      opposite(order.side) === side;
    const todays = orders.brokerIds.byNumber(parent);
    const left = orders.brokerIds.carriedByNumber(parent);
    if (!isOurs(left) || left === todays) {
      if (todays === undefined)
        return this.#core.session.ordersReadUs < scan.sinceUs ? 'undecided' : undefined;
      return isOurs(todays) ? todays : null;
    }
    if (!isOurs(todays)) return left;
    // Numbers restart each day: prices distinguish a bracket of the last session from one of today.
    const able = [left, todays].filter(
      (bracket) => bracket.filledQty > 0 && this.#mayHaveBrought(bracket, row),
    );
    return able.length === 1 ? able[0] : 'undecided';
  }

  /** Equal brackets differ only in their owner and their filled quantity: an exit is as large as that quantity. */
  #byTerms(row: BrokerTriggerOrder, scan: RowScan): ManagedOrder | 'undecided' | null {
    const able: ManagedOrder[] = [];
    for (const bracket of this.#brackets) {
      if (!mayBring(bracket, scan)) continue;
      const most = bracket.isFinal ? bracket.filledQty : bracket.qty;
      if (this.#mayHaveBrought(bracket, row) && most - this.#coveredHalf(bracket, row) >= row.qty)
        able.push(bracket);
    }
    const bare = (bracket: ManagedOrder): number => bracket.filledQty - this.#coveredHalf(bracket, row);
    const filled = able.filter((bracket) => bare(bracket) >= row.qty);
    const [first] = filled;
    // Its fill is not in the in-day book yet.
    if (first === undefined) return able.length > 0 ? 'undecided' : null;
    const owners = new Set(able.map(({ strategy }) => strategy));
    if (able.length === 1) return first;
    // The fills of one may have been read before its exits have grown by them: both books are read once more.
    const mayGrow = filled.some((bracket) => this.#coveredHalf(bracket, row) > 0);
    if (owners.size > 1 && mayGrow && scan.startedUs <= scan.sinceUs) return 'undecided';
    const exact = filled.find((bracket) => bare(bracket) === row.qty);
    if (exact !== undefined) return exact;
    return filled.length === 1 || owners.size === 1 ? first : 'undecided';
  }

  #mayHaveBrought(bracket: ManagedOrder, row: BrokerTriggerOrder): boolean {
    if (bracket.orderCode !== row.orderCode || opposite(bracket.side) !== row.side) return false;
    // Exits of a later fill rest at the prices to which the owner moved the first ones.
    const isMoved = this.#exitsOf(bracket.clientOrderId).some(
      ({ triggerPrice }) => triggerPrice === row.triggerPrice,
    );
    return isMoved || this.#isTriggerOf(bracket, row);
  }

  /** Exits rest at their prices, or as far from the first fill as they were requested from the limit (rulings, 13). */
  #isTriggerOf(bracket: ManagedOrder, { triggerPrice, triggerWhen }: BrokerTriggerOrder): boolean {
    const { trigger, side, filledQty } = bracket;
    if (trigger?.kind !== 'bracket' || triggerPrice === null) return false;
    const { stopLossPrice, takeProfitPrice } = trigger;
    if (triggerWhen === null) return triggerPrice === stopLossPrice || triggerPrice === takeProfitPrice;
    const isStopLoss = (triggerWhen === 'at_or_below') === (side === 'buy');
    const first = signOf(side) * ((isStopLoss ? stopLossPrice : takeProfitPrice) - triggerPrice);
    if (first === 0 || filledQty === 0) return first >= 0;
    // The first fill is the best one, and none is worse than the limit.
    const better = this.#betterTicks(bracket);
    return first > 0 && first <= better && first * filledQty > better - filledQty;
  }

  /** Ticks by which its fills together are better than its limit. */
  #betterTicks({ side, instrument, limitPrice, filledQty, filledValue }: ManagedOrder): number {
    const contract = this.#core.contracts.at(instrument);
    assert(contract !== undefined, 'a bracket is in a listed contract');
    const paid = filledValue / valueOf(contract.spec, priceTicks(1), 1);
    return Math.round(signOf(side) * (limitPrice * filledQty - paid));
  }

  /** Contracts that known exits of this half cover. */
  #coveredHalf(bracket: ManagedOrder, { triggerWhen }: BrokerTriggerOrder): number {
    let covered = 0;
    for (const exit of this.#exitsOf(bracket.clientOrderId))
      if (exit.triggerWhen === triggerWhen) covered += exit.qty;
    return covered;
  }

  /** One cancels the other: the half that was found second exposes nothing while the first may trigger. */
  pair(exit: ManagedOrder): void {
    const { parent } = exit;
    if (parent === null) return;
    const other = this.#exitsOf(parent).find(
      (each) => !each.isFinal && each.triggerState.partner === null && each.triggerWhen !== exit.triggerWhen,
    );
    if (other === undefined) return;
    assert(
      other !== exit && other.isTriggerOrder && exit.isTriggerOrder,
      'two orders that wait are halves of a bracket',
    );
    const half = exit.writableTrigger();
    half.partner = other;
    half.isSecondHalf = true;
    other.writableTrigger().partner = exit;
  }

  /** Restarts the count of scans. */
  setClockBack(): void {
    this.#scansWithoutExits.clear();
  }

  /** After a complete scan of the trigger book: a filled bracket is protected once its exits rest there. */
  check(startedUs: TsUs): void {
    const [orders, lookUp, context] = [this.#core.orders, this.#core.settings.lookUp, this.#core.context];
    for (const bracket of orders.bracketsMissingExits) {
      const bare = this.unshownQty(bracket);
      if (bare === 0) {
        orders.bracketsMissingExits.delete(bracket);
        orders.changed(bracket);
        this.#scansWithoutExits.delete(bracket);
        continue;
      }
      const evidence = this.#scansWithoutExits.get(bracket) ?? new ScanEvidence(context.nowUs);
      this.#scansWithoutExits.set(bracket, evidence);
      evidence.add(startedUs, lookUp);
      if (!evidence.isEnough(lookUp) || !bracket.markReported('exits')) continue;
      const text = `${bare} of ${bracket.orderCode} have no exits at the broker: ${bracket.describe()} has filled, and the trigger book does not show exits for all of it`;
      context.alert(bracket.strategy, 'critical', 'exits_missing', text, { about: bracket.orderCode });
    }
  }

  /** Contracts that its exits do not cover yet. */
  unshownQty(bracket: ManagedOrder): number {
    return Math.max(0, bracket.filledQty - this.#coveredBy(bracket));
  }

  /** Enough scans have not shown all of its exits. */
  areMissing(bracket: ManagedOrder): boolean {
    return this.#scansWithoutExits.get(bracket)?.isEnough(this.#core.settings.lookUp) === true;
  }

  /** What brackets have filled that no book shows yet, as their exits tell: the broker makes them of fills. Above zero: bought. */
  unseenQty(strategy: StrategyIndex, instrument: InstrumentIndex): number {
    let total = 0;
    for (const bracket of this.#brackets)
      if (bracket.strategy === strategy && bracket.instrument === instrument && !bracket.isFinal)
        total += signOf(bracket.side) * Math.max(0, this.#coveredBy(bracket, Math.max) - bracket.filledQty);
    return total;
  }

  /** Contracts of a bracket that its exits have ever covered: the smaller half counts. */
  #coveredBy(bracket: ManagedOrder, half = Math.min): number {
    const { stopQty, takeProfitQty } = cover(
      signOf(bracket.side),
      this.#exitsOf(bracket.clientOrderId),
      (exit) => ({
        ...exit.asCover,
        qty: exit.qty,
        group: null,
      }),
    );
    return half(stopQty, takeProfitQty);
  }

  #exitsOf(bracket: ClientOrderId): readonly ManagedOrder[] {
    return this.#core.orders.childrenOf(bracket).filter(({ isTriggerOrder }) => isTriggerOrder);
  }
}

const mayBring = (bracket: ManagedOrder, { sinceUs, wasOver }: RowScan): boolean =>
  bracket.createdUs <= sinceUs && !(wasOver && bracket.isCarriedOver);
