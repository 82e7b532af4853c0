/**
 * Exits are never larger than the position they close (rulings, 14). When a protective stop or a manual trade has shrunk the position,
 * larger exits would reverse it: the youngest is withdrawn first, its strategy gets the update, and a protective stop covers the rest.
 */
import { cover } from '../../domain/cover.ts';
import { isAuction } from '../../domain/calendar.ts';
import { signOf } from '../../domain/order.ts';
import { type TsUs, US_PER_MINUTE } from '../../domain/units.ts';
import type { EngineView } from '../engine-view.ts';
import type { ManagedOrder } from './managed-order.ts';

export class ExitCover {
  readonly #view: EngineView;

  constructor(view: EngineView) {
    this.#view = view;
  }

  /**
   * After a complete scan of the in-day book: orders seen later may cover a position that it does not show yet. A broker that refuses a
   * cancel gets it again once a minute (failure cases, 32).
   */
  step(scanUs: TsUs): void {
    const { orders, positionReconciler, context } = this.#view;
    // In doubt a stop stays.
    if (orders.open.length === 0 || positionReconciler.unproven() !== null) return;
    const exits = orders.open.filter(
      (order) => isExit(order) && order.leavesQty > 0 && order.rowUs <= scanUs,
    );
    for (const order of exits.toReversed()) {
      if (!this.#canGo(order) || order.cancelQueued || order.isPartnerSent) continue;
      if (context.nowUs < order.oversizedUs + US_PER_MINUTE) continue;
      const { strategy, instrument, side } = order;
      const held = this.#view.portfolio.position(strategy, instrument).qty;
      const forAll = this.#view.portfolio.leftByHand(instrument, side);
      const left = Math.max(0, Math.min(-signOf(side) * held, forAll));
      // Nothing triggers while the market is closed, and the stop that fits could not be placed before the night.
      if (left > 0 && this.#isMarketClosed) continue;
      const { increasing, oversized } = cover(held, this.#exitsOfOwner(order), ({ asCover }) => asCover);
      const isForestalled = this.#closingQty(order) > forAll;
      if (isForestalled || increasing.has(order) || oversized.has(order)) this.#withdraw(order, left);
    }
  }

  /** Contracts of all exits on its side that stay. */
  #closingQty({ instrument, side }: ManagedOrder): number {
    return this.#view.orders.open
      .filter((order) => isExit(order) && !this.#isGoing(order))
      .filter((order) => order.instrument === instrument && order.side === side)
      .reduce((sum, { exposedQty }) => sum + exposedQty, 0);
  }

  /** In an auction nothing at the exchange does. */
  #canGo({ isWaiting, status }: ManagedOrder): boolean {
    if (isWaiting) return status === 'pending_trigger';
    return (status === 'accepted' || status === 'partially_filled') && !isAuction(this.#view.session.phase);
  }

  get #isMarketClosed(): boolean {
    const { phase } = this.#view.session;
    return phase === 'closed' || phase === 'break';
  }

  /** Exits of its owner in its contract, with itself. */
  #exitsOfOwner({ strategy, instrument }: ManagedOrder): readonly ManagedOrder[] {
    return this.#view.orders.open.filter(
      (order) =>
        isExit(order) &&
        !this.#isGoing(order) &&
        order.strategy === strategy &&
        order.instrument === instrument,
    );
  }

  #isGoing({ isBeingCanceled, oversizedUs }: ManagedOrder): boolean {
    return isBeingCanceled || oversizedUs === this.#view.context.nowUs;
  }

  #withdraw(order: ManagedOrder, left: number): void {
    const { context } = this.#view;
    const { strategy, clientOrderId, side, qty } = order;
    order.inDoubt().oversizedUs = context.nowUs;
    context.withdraw(strategy, clientOrderId);
    if (!order.isFirstReport('too_large')) return;
    const text = `${clientOrderId} would ${side} ${qty} where ${left} is left to close: it is withdrawn`;
    context.alert(strategy, 'warning', 'exit_too_large', text);
  }
}

/** Protective stops are sized by their own procedure. */
const isExit = ({ purpose, isAdopted, isProtective }: ManagedOrder): boolean =>
  purpose === 'reduce' && !isAdopted && !isProtective;
