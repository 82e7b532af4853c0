/**
 * Ends positions in contracts that have expired, once the broker no longer shows them (rulings, 3). The broker does not report
 * the final settlement price: the last trade estimates it, and an alert says so.
 */
import type { TradingCalendar } from '../../domain/calendar.ts';
import { type Contract, valueAtHundredths, valueOf } from '../../domain/contract.ts';
import { type InstrumentIndex, type Money, signedQty } from '../../domain/units.ts';
import type { HeldPosition } from '../positions/portfolio.ts';
import type { SessionActions } from './session-actions.ts';
import { dayClose, lastSession } from '../../domain/day-plan.ts';

export class Settlement {
  readonly #actions: SessionActions;
  readonly #calendar: TradingCalendar;
  /** When each contract is traded for the last time. */
  readonly #closes = new Map<Contract, number>();

  constructor(actions: SessionActions, calendar: TradingCalendar) {
    this.#actions = actions;
    this.#calendar = calendar;
  }

  /** After each read of the positions. */
  step(): void {
    for (const held of this.#actions.heldPositions()) {
      const contract = this.#actions.view.contract(held.instrument);
      if (contract !== undefined && this.#isGone(contract)) this.#settle(held, contract);
    }
  }

  /** The contract is over, and what was read after its end shows neither the position nor an order that may have closed it. */
  #isGone(contract: Contract): boolean {
    const { view } = this.#actions;
    const close = this.#closeOf(contract);
    if (view.nowUs() < close) return false;
    const isReadSince = view.positionsReadUs() >= close && view.bookReadUs() >= close;
    return isReadSince && view.brokerQty(contract.index) === 0 && !this.#hasOrders(contract.index);
  }

  #closeOf(contract: Contract): number {
    const known = this.#closes.get(contract);
    if (known !== undefined) return known;
    const close = dayClose(this.#calendar, lastSession(this.#calendar, contract)) ?? Infinity;
    this.#closes.set(contract, close);
    return close;
  }

  #hasOrders(instrument: InstrumentIndex): boolean {
    return this.#actions.view.openOrders().some((order) => order.instrument === instrument);
  }

  #settle(held: HeldPosition, contract: Contract): void {
    const { strategy, instrument, qty } = held;
    const value = this.#valueOf(held, contract);
    this.#actions.positionEvent(strategy, 'settled', instrument, signedQty(0 - qty), value);
    const text = `${qty} of ${contract.orderCode} expired: settled for ${value}, by the last price known to us`;
    this.#actions.alert(strategy, 'info', 'settled', text);
  }

  /** Without any price the position is closed at its entry: no profit, no loss, and the broker's figure decides. */
  #valueOf({ strategy, instrument, qty }: HeldPosition, { spec }: Contract): Money {
    const { view } = this.#actions;
    const size = Math.abs(qty);
    const last = view.tradedPrice(instrument);
    if (last !== undefined) return valueOf(spec, last, size);
    const band = view.band(instrument);
    if (band !== undefined) return valueAtHundredths(spec, band.reference, size);
    return view.position(strategy, instrument).openValue;
  }
}
