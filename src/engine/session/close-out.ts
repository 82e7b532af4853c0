/**
 * Closes positions that may not stay: before the close the positions of strategies that do not hold overnight, before its last close a
 * contract that expires. A position left open overnight is alerted, and closed when trading goes on.
 */
import {
  auctionStarts,
  CLOSE_REPORTED_AFTER,
  dayClose,
  expiryFlatFrom,
  flatFrom,
  type SessionPhase,
} from '../../domain/calendar.ts';
import { addNew } from '../../domain/lists.ts';
import { addUs, type InstrumentIndex, minutes, type StrategyIndex, tsUs } from '../../domain/units.ts';
import type { AlertSeverity } from '../ports/journal-entry.ts';
import type { HeldPosition } from '../positions/portfolio.ts';
import { CANCEL_AGAIN } from '../orders/withdrawal.ts';
import { mayFill, ordersOf, type OrderView } from '../engine-view.ts';
import type { EngineState } from '../engine-state.ts';

/** A position that nobody closes is alerted this long before an expiry. */
const EXPIRY_ALERT_BEFORE = minutes(5);

export class CloseOut {
  readonly #state: EngineState;
  readonly #alerted = new Set<string>();
  #nightFromUs = Infinity;
  #closeUs = Infinity;
  /** From here on each step may have something to do. */
  dueUs = Infinity;
  /** By instrument, for contracts whose last session is today. */
  #expiryFromUs = new Map<InstrumentIndex, number>();

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** Sets the day's moments; to be called when the day or the contract table is new. */
  plan(): void {
    const { settings, calendar, session, contracts } = this.#state;
    const day = session.tradingDay();
    const before = settings.flatBeforeClose;
    this.#nightFromUs = flatFrom(calendar, day, before) ?? Infinity;
    this.#closeUs = dayClose(calendar, day) ?? Infinity;
    this.#expiryFromUs = new Map();
    for (const contract of contracts.all) {
      const from = expiryFlatFrom(calendar, contract, day, before ?? EXPIRY_ALERT_BEFORE);
      if (from !== undefined) this.#expiryFromUs.set(contract.index, from);
    }
    this.dueUs = Math.min(this.#closeUs, ...this.#moments);
    this.#arm();
  }

  get #moments(): readonly number[] {
    return [this.#nightFromUs, ...this.#expiryFromUs.values(), this.#reportedUs];
  }

  get #reportedUs(): number {
    return this.#closeUs + CLOSE_REPORTED_AFTER;
  }

  #arm(): void {
    const { timers, context } = this.#state;
    const next = Math.min(...this.#moments.filter((moment) => moment > context.nowUs));
    if (next === Infinity) return timers.stop(this);
    timers.at(this, tsUs(next), () => {
      this.step();
      this.#arm();
    });
  }

  /**
   * A position of a strategy that does not hold overnight was carried over a night: it is closed as soon as possible. One of a day that
   * restarts after its opening may be of that day.
   */
  onSession(wasNight: boolean): void {
    this.#alerted.clear();
    this.plan();
    const { session, context } = this.#state;
    if (this.#nightFromUs === Infinity || !(wasNight || session.mayShowDayBefore(context.nowUs))) return;
    for (const held of this.#state.portfolio.held())
      if (this.#mustBeFlatOvernight(held.strategy))
        this.#state.targetExecutor.flatten(held, 'carried overnight');
  }

  step(): void {
    const now = this.#state.context.nowUs;
    if (now >= this.#closeUs) return this.#alertOvernight();
    if (now >= this.#nightFromUs) this.#closeForTheNight();
    for (const [instrument, from] of this.#expiryFromUs) if (now >= from) this.#closeExpiring(instrument);
  }

  /** Waits for a scan of the book after the close, and for the end of orders whose fills in the last auction it may not show yet. */
  #alertOvernight(): void {
    const { portfolio, targets, session, context } = this.#state;
    if (session.ordersReadUs < this.#closeUs) return;
    const isNight = this.#nightFromUs !== Infinity;
    const text = 'stays open overnight; stops that wait at the broker end with the close';
    const isReported = (held: HeldPosition): boolean =>
      context.nowUs >= this.#reportedUs || !ordersOf(this.#state, held).some(mayFill);
    for (const held of portfolio.held().filter(isReported))
      if (this.#expiryFromUs.has(held.instrument)) this.#alertExpiry('critical', held);
      else if ((isNight && this.#mustBeFlatOvernight(held.strategy)) || targets.has(held))
        this.#alertOnce('critical', 'held_overnight', held, text);
  }

  #closeForTheNight(): void {
    const { registry, portfolio, targets } = this.#state;
    const positions = portfolio.held();
    for (const { index: strategy } of registry.registered) {
      if (!this.#mustBeFlatOvernight(strategy)) continue;
      const isHolding = positions.some((held) => held.strategy === strategy && !targets.has(held));
      // Late fills may reopen its position; working orders are withdrawn once.
      if (addNew(this.#alerted, `orders ${strategy}`) || isHolding)
        this.#state.targetExecutor.flattenOwner(strategy, 'flat before the close', 'settings');
    }
  }

  #closeExpiring(instrument: InstrumentIndex): void {
    const { settings, portfolio, orders, targets } = this.#state;
    const why = 'the contract expires today';
    // Adopted positions are for the operator to decide.
    const closes = ({ strategy }: HeldPosition | OrderView): boolean =>
      settings.strategies[strategy]?.onExpiry === 'flatten';
    for (const held of portfolio.held()) {
      if (held.instrument !== instrument) continue;
      if (!closes(held)) this.#alertExpiry('warning', held);
      // A flatten that was given up tries again; later ones alert nothing.
      else if (addNew(this.#alerted, `expires ${held.strategy} ${instrument}`) || !targets.has(held))
        this.#state.targetExecutor.flatten(held, why);
    }
    // An entry would be closed as soon as it fills.
    for (const order of orders.open) {
      if (order.instrument !== instrument || !closes(order)) continue;
      if (addNew(this.#alerted, `orders ${order.strategy} ${instrument}`))
        this.#state.targetExecutor.flatten(order, why);
    }
  }

  #alertExpiry(severity: AlertSeverity, held: HeldPosition): void {
    this.#alertOnce(severity, 'held_into_expiry', held, 'expires today and is held into its settlement');
  }

  #alertOnce(
    severity: AlertSeverity,
    code: string,
    { strategy, instrument, qty }: HeldPosition,
    text: string,
  ): void {
    const { context, contracts } = this.#state;
    if (addNew(this.#alerted, `${code} ${strategy} ${instrument}`))
      context.alert(strategy, severity, code, `${qty} of ${contracts.codeOf(instrument)} ${text}`);
  }

  #mustBeFlatOvernight(strategy: StrategyIndex): boolean {
    return this.#state.settings.strategies[strategy]?.overnight === false;
  }
}

/** Withdraws entries before an auction, where nothing can be canceled (rulings, 27). Reductions, covers and adopted orders stay in. */
export class AuctionWithdrawal {
  readonly #state: EngineState;

  constructor(state: EngineState) {
    this.#state = state;
  }

  /**
   * Sets the day's moments, by the broker's clock where that is ahead (rulings, 28); one that has passed is made up for at once, so that a
   * start at any time is right.
   */
  plan(afterUs = -Infinity): void {
    const { settings, calendar, timers, context, session } = this.#state;
    const aheadUs = Math.max(0, 0 - Math.round(session.clockSkewUs));
    const [next] = auctionStarts(calendar, session.tradingDay())
      .filter((start) => context.nowUs < start)
      .map((start) => addUs(start, 0 - settings.cancelBeforeAuction - aheadUs))
      .filter((moment) => moment > afterUs);
    if (next === undefined) return timers.stop(this);
    timers.at(this, next, () => {
      this.#withdraw();
      this.plan(next);
    });
  }

  onPhase(phase: SessionPhase): void {
    if (phase !== 'opening_auction' && phase !== 'closing_auction') return;
    const carried = this.#entriesToWithdraw();
    if (carried.length === 0) return;
    const names = carried.map(({ clientOrderId }) => clientOrderId).join(', ');
    const text = `in the auction, where nothing can be canceled: ${names}`;
    this.#state.context.alert(null, 'warning', 'orders_in_auction', text);
  }

  /** Again, until the auction begins: a broker that refuses a cancel may take the next one. */
  #withdraw(): void {
    const { context, timers, session } = this.#state;
    const entries = this.#entriesToWithdraw();
    if (session.phase !== 'continuous' || entries.length === 0) return;
    for (const { isBeingCanceled, strategy, clientOrderId } of entries)
      if (!isBeingCanceled) context.withdraw(strategy, clientOrderId);
    // Apart from the timer of the next auction.
    timers.after(entries, CANCEL_AGAIN, () => this.#withdraw());
  }

  #entriesToWithdraw(): readonly OrderView[] {
    const { settings, withdrawal, orders } = this.#state;
    if (settings.risk.auctionEntries === true) return [];
    return orders.open.filter(
      ({ purpose, isAdopted, clientOrderId }) =>
        purpose === 'entry' && !isAdopted && !withdrawal.isCover(clientOrderId),
    );
  }
}
