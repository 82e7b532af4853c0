/**
 * Ends positions in contracts that are over, once the broker no longer shows them (rulings, 3). After the calendar's last day the
 * last trade estimates the price, and an alert says so. A contract that has left the broker's list before that is settled by
 * the broker's closed positions.
 */
import type { TradingCalendar } from '../../domain/calendar.ts';
import { type Contract, valueAtHundredths, valueOf } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { type InstrumentIndex, type Money, type PriceHundredths, signedQty } from '../../domain/units.ts';
import type { ClosedSnapshot } from '../ports/engine-event.ts';
import type { HeldPosition } from '../positions/portfolio.ts';
import type { SessionActions } from './session-actions.ts';
import { dayClose, lastSession } from '../../domain/day-plan.ts';

export class Settlement {
  readonly #actions: SessionActions;
  readonly #calendar: TradingCalendar;
  /** When each contract is traded for the last time. */
  readonly #closes = new Map<Contract, number>();
  readonly #left = new Map<OrderCode, number>();

  constructor(actions: SessionActions, calendar: TradingCalendar) {
    this.#actions = actions;
    this.#calendar = calendar;
  }

  /** The list is new, or the calendar. */
  onContracts(): void {
    this.#closes.clear();
    for (const contract of this.#actions.view.contracts()) this.#leftUs(contract);
  }

  /** After each read of the positions. */
  step(): void {
    const { view } = this.#actions;
    for (const held of this.#actions.heldPositions()) {
      const contract = view.contract(held.instrument);
      if (contract === undefined || view.brokerQty(held.instrument) !== 0) continue;
      if (this.#isGone(contract, this.#closeOf(contract))) this.#settle(held, contract, null);
      else if (this.#isGone(contract, this.#leftUs(contract))) this.#actions.read('closed');
      // Net zero by opposite positions is no sign of an end.
      else if (view.accountQty(held.instrument) !== 0 && !view.isEnded(held.instrument))
        this.#actions.read('contracts');
    }
  }

  onClosed({ positions, startedUs }: ClosedSnapshot): void {
    const { view } = this.#actions;
    for (const held of this.#actions.heldPositions()) {
      const contract = view.contract(held.instrument);
      if (contract === undefined) continue;
      const left = this.#leftUs(contract);
      if (startedUs < left || !this.#isGone(contract, left)) continue;
      const side: Side = held.qty > 0 ? 'buy' : 'sell';
      const row = positions.find((each) => each.orderCode === contract.orderCode && each.side === side);
      this.#settle(held, contract, row?.averageClose ?? null);
    }
  }

  /** The contract is over, and what was read after its end shows neither the position nor an order that may have closed it. */
  #isGone(contract: Contract, endUs: number): boolean {
    const { view } = this.#actions;
    if (view.nowUs() < endUs) return false;
    const isReadSince = view.positionsReadUs() >= endUs && view.bookReadUs() >= endUs;
    return isReadSince && view.brokerQty(contract.index) === 0 && !this.#hasOrders(contract.index);
  }

  /** When it was first seen to have left the broker's list; infinite while it is listed. */
  #leftUs(contract: Contract): number {
    const { view } = this.#actions;
    if (!view.isEnded(contract.index)) {
      this.#left.delete(contract.orderCode);
      return Infinity;
    }
    const left = this.#left.get(contract.orderCode) ?? view.nowUs();
    this.#left.set(contract.orderCode, left);
    return left;
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

  #settle(held: HeldPosition, contract: Contract, settledAt: PriceHundredths | null): void {
    const { strategy, instrument, qty } = held;
    const value =
      settledAt === null
        ? this.#valueOf(held, contract)
        : valueAtHundredths(contract.spec, settledAt, Math.abs(qty));
    this.#actions.positionEvent(strategy, 'settled', instrument, signedQty(0 - qty), value);
    const by = settledAt === null ? 'the last price known to us' : "the broker's closed positions";
    const text = `${qty} of ${contract.orderCode} expired: settled for ${value}, by ${by}`;
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
