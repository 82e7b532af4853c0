/**
 * Exits that wait at the broker are never larger than the position they close (rulings, 14): when it has shrunk by other means,
 * they would turn it round. The youngest is withdrawn first, and its strategy hears of it.
 */
import { type Side, signOf } from '../../domain/order.ts';
import type { InstrumentIndex, StrategyIndex, TsUs } from '../../domain/units.ts';
import type { Orders } from './orders.ts';
import type { OurOrder } from './our-order.ts';
import type { Portfolio } from '../positions/portfolio.ts';
import type { EventContext } from '../state/event-context.ts';

export interface ExitCoverParts {
  readonly context: EventContext;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
}

export class ExitCover {
  readonly #parts: ExitCoverParts;

  constructor(parts: ExitCoverParts) {
    this.#parts = parts;
  }

  /** After a complete scan of the in-day book: orders seen later than it may cover what it does not show yet. */
  step(scanUs: TsUs): void {
    const { orders } = this.#parts;
    if (orders.waiting === 0) return;
    const exits = orders.open.filter((order) => isExit(order) && order.rowUs <= scanUs);
    for (const order of exits.toReversed()) {
      if (order.status !== 'pending_trigger' || order.isUnwanted || isPartnerSent(order)) continue;
      const { strategy, instrument, side } = order;
      const left = this.#heldAgainst(strategy, instrument, side);
      if (this.#waitingOn(strategy, instrument, side) > left) this.#withdraw(order, left);
    }
  }

  #heldAgainst(strategy: StrategyIndex, instrument: InstrumentIndex, side: Side): number {
    const held = this.#parts.portfolio.position(strategy, instrument).qty;
    return Math.max(0, -signOf(side) * held);
  }

  #waitingOn(strategy: StrategyIndex, instrument: InstrumentIndex, side: Side): number {
    let total = 0;
    for (const order of this.#parts.orders.open) {
      if (!isExit(order) || order.isUnwanted) continue;
      if (order.strategy === strategy && order.instrument === instrument && order.side === side)
        total += order.exposedQty;
    }
    return total;
  }

  #withdraw(order: OurOrder, left: number): void {
    const { context } = this.#parts;
    const { strategy, clientOrderId, side, qty } = order;
    const text = `${clientOrderId} would ${side} ${qty} where ${left} is left to close: it is withdrawn`;
    context.alert(strategy, 'warning', 'exit_too_large', text);
    order.isUnwanted = true;
    context.ask(strategy, 'system', { do: 'cancel', clientOrderId });
  }
}

const isExit = ({ isWaiting, purpose, isAdopted }: OurOrder): boolean =>
  isWaiting && purpose === 'reduce' && !isAdopted;

/** The broker takes the other half back by itself. */
const isPartnerSent = ({ partner }: OurOrder): boolean =>
  partner?.status === 'triggering' || partner?.status === 'triggered';
