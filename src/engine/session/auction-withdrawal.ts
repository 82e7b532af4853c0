/**
 * Takes entries back before an auction begins: there nothing can be cancelled (rulings, 27). Reductions are carried in, they can
 * only shrink a position; adopted orders belong to the operator.
 */
import type { SessionPhase, TradingCalendar } from '../../domain/calendar.ts';
import type { CancelTimer } from '../../domain/clock.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import { addUs } from '../../domain/units.ts';
import type { SessionActions } from './session-actions.ts';
import type { OrderView } from '../risk/risk-view.ts';
import { auctionStarts } from './day-plan.ts';
import type { SessionTimers } from './session-timers.ts';

export interface SessionParts {
  readonly actions: SessionActions;
  readonly timers: SessionTimers;
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
}

export class AuctionWithdrawal {
  readonly #parts: SessionParts;
  #cancelTimers: readonly CancelTimer[] = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Sets the day's moments; one that has passed is made up for at once, so that a start at any time is right. */
  plan(): void {
    const { actions, timers, settings, calendar } = this.#parts;
    for (const cancel of this.#cancelTimers) cancel();
    const now = actions.view.nowUs();
    this.#cancelTimers = auctionStarts(calendar, actions.view.tradingDay())
      .filter((start) => now < start)
      .map((start) => timers.at(addUs(start, 0 - settings.cancelBeforeAuction), () => this.#withdraw()));
  }

  onPhase(phase: SessionPhase): void {
    if (phase !== 'opening_auction' && phase !== 'closing_auction') return;
    const carried = this.#meant();
    if (carried.length === 0) return;
    const names = carried.map(({ clientOrderId }) => clientOrderId).join(', ');
    const text = `in the auction, where nothing can be cancelled: ${names}`;
    this.#parts.actions.alert(null, 'warning', 'orders_in_auction', text);
  }

  #withdraw(): void {
    const { actions } = this.#parts;
    if (actions.view.phase() !== 'continuous') return;
    for (const order of this.#meant()) actions.cancel(order.strategy, order.clientOrderId);
  }

  #meant(): readonly OrderView[] {
    const { actions, settings } = this.#parts;
    if (settings.risk.auctionEntries === true) return [];
    return actions.view.openOrders().filter(({ purpose, isAdopted }) => purpose === 'entry' && !isAdopted);
  }
}
