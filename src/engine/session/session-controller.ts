/**
 * The engine's own procedures around the trading day: legs and rollover, withdrawing before auctions, closing before the close
 * and before an expiry, settlement, flatten and stop. Each is a class of its own; this one passes events on
 * to them. Time comes in as events, so that a start in the middle of a day is right.
 */
import {
  CLOSE_REPORTED_AFTER,
  dayClose,
  isStandstill,
  lastSession,
  type SessionPhase,
} from '../../domain/calendar.ts';
import { type Money, OPERATOR_INDEX, signedQty } from '../../domain/units.ts';
import type { ClosedSnapshot, Command, EngineEvent } from '../ports/engine-event.ts';
import { AuctionWithdrawal, CloseOut } from './close-out.ts';
import { FailurePolicies } from './failure-policies.ts';
import { ProtectiveStops } from './protective-stops.ts';
import { grouped } from '../risk/halt-limits.ts';
import { RolloverMonitor } from './rollover.ts';
import type { EngineState } from '../engine-state.ts';
import { ShutdownProcedure } from './shutdown-procedure.ts';
import { changeWithoutFill } from '../engine-core.ts';
import type { HeldPosition } from '../positions/portfolio.ts';
import { coverOf, isNotBeingCanceled } from '../engine-view.ts';
import { type Contract, valueAtHundredths, valueOf } from '../../domain/contract.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';

/** Tests put a simpler one in its place. */
export type SessionProcedures = Pick<SessionController, keyof SessionController>;

type FlattenCommand = Extract<Command, { readonly name: 'flatten' }>;
/** Commands of the session; the engine carries out all others. */
type SessionCommand = Extract<Command, { readonly name: 'flatten' | 'rollover' | 'stop' | 'resume' }>;

export class SessionController {
  readonly #state: EngineState;
  readonly #auction: AuctionWithdrawal;
  readonly #closeOut: CloseOut;
  readonly #rollover: RolloverMonitor;
  readonly #settlement: Settlement;
  readonly #shutdown: ShutdownProcedure;
  readonly #policies: FailurePolicies;
  readonly #protection: ProtectiveStops;
  readonly #orphans: Orphans;

  constructor(state: EngineState) {
    this.#state = state;
    this.#auction = new AuctionWithdrawal(state);
    this.#closeOut = new CloseOut(state);
    this.#rollover = new RolloverMonitor(state);
    this.#settlement = new Settlement(state);
    this.#shutdown = new ShutdownProcedure(state);
    this.#policies = new FailurePolicies(state);
    this.#protection = new ProtectiveStops(state, this.#policies);
    this.#orphans = new Orphans(state);
  }

  /** The list of contracts is new, or the calendar. */
  onContracts(): void {
    this.#settlement.onContracts();
    this.#rollover.apply();
    this.#closeOut.plan();
    this.#closeOut.step();
  }

  onSession(wasNight: boolean): void {
    this.#state.targetExecutor.endDay();
    this.#auction.plan();
    this.#closeOut.onSession(wasNight);
    this.#rollover.apply();
  }

  onPhase(phase: SessionPhase): void {
    this.#auction.plan();
    this.#closeOut.plan();
    this.#auction.onPhase(phase);
    if (!isStandstill(phase)) this.#state.targetExecutor.resume();
    this.#closeOut.step();
    this.#state.targetExecutor.step();
    this.#shutdown.onPhase(phase);
  }

  onTimer(run: () => void): void {
    run();
    this.#state.targetExecutor.step();
    this.#shutdown.step();
    this.#protection.step();
  }

  onCommand(command: SessionCommand): void {
    switch (command.name) {
      case 'flatten':
        return this.#flatten(command);
      case 'rollover':
        this.#state.reads.request('contracts');
        return this.#rollover.apply();
      case 'stop':
        return this.#shutdown.begin(command.reason);
      case 'resume':
        return this.#state.targetExecutor.endGivenUp(command.strategy ?? null);
    }
  }

  afterEvent(event: EngineEvent): void {
    if (event.kind === 'booted') {
      this.#shutdown.reset();
      this.#state.targetExecutor.restart();
      this.#protection.restart();
    }
    if (event.kind === 'clock_skew') this.#auction.plan();
    if (event.kind === 'position_snapshot') {
      this.#settlement.step();
      this.#rollover.checkLeft();
    }
    if (event.kind === 'read_failed' && event.what === 'positions') this.#state.targetExecutor.readFailed();
    if (event.kind === 'closed_snapshot') this.#settlement.onClosed(event);
    const { settings, context } = this.#state;
    if (settings.policies !== undefined) this.#policies.afterEvent(event);
    if (!this.#isIdle) {
      this.#orphans.step();
      this.#closeOut.step();
      this.#state.targetExecutor.step();
      this.#shutdown.step();
      this.#protection.step();
    }
    const recorded = context.decisions.policies();
    if (recorded !== null) this.#policies.endEvent(recorded);
  }

  /** Nothing is held, waits at the broker, is asked for or is watched. */
  get #isIdle(): boolean {
    const { targets, context } = this.#state;
    return !(
      this.#protection.isWatching ||
      targets.all.length > 0 ||
      targets.lostExits.size > 0 ||
      this.#shutdown.stage !== 'idle' ||
      this.#orphans.isWatching ||
      context.nowUs >= this.#closeOut.dueUs
    );
  }

  status() {
    const { stage } = this.#shutdown;
    const flattens = this.#state.targetExecutor.describe();
    const texts = [...(stage === 'idle' ? [] : [`stop: ${stage}`]), ...flattens.map(({ text }) => text)];
    /** `procedure`: empty when none is under way. */
    return { stop: stage, flattens, procedure: texts.join('; ') };
  }

  /** Null means everything the account holds, adopted positions included. */
  #flatten({ strategy, reason, inAuction = false }: FlattenCommand): void {
    const { portfolio, registry } = this.#state;
    const strategies = registry.registered.map(({ index }) => index);
    const all = portfolio.hasActivity(OPERATOR_INDEX) ? [OPERATOR_INDEX, ...strategies] : strategies;
    const requester = inAuction ? 'person_in_auction' : 'person';
    for (const owner of strategy === null ? all : [strategy])
      this.#state.targetExecutor.flattenOwner(owner, reason, requester);
  }
}

// Positions of strategies that are stopped, or that left the configuration: `risk.onOrphan` manages them. `hold` leaves them with their
// stops, `protect` relies on the stop that `risk.protectiveStop` keeps for each position, `flatten` closes them. One alert each, and another
// where their stops are read later.

class Orphans {
  readonly #state: EngineState;
  /** By position, and whether its stops are still to be read: then another alert says what the trigger book shows. */
  #alerted = new Map<string, boolean>();

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** An alerted orphan may have ended. */
  get isWatching(): boolean {
    const { portfolio, registry } = this.#state;
    return this.#alerted.size > 0 || (registry.hasUnmanaged && portfolio.isHolding);
  }

  step(): void {
    const { portfolio, registry } = this.#state;
    if (!registry.hasUnmanaged) return;
    const alerted = new Map<string, boolean>();
    for (const held of portfolio.held()) {
      // A strategy that left is stopped by the list that lacks it: before that list it ran. The operator never is.
      if (!registry.isStopped(held.strategy)) continue;
      const key = `${held.strategy} ${held.instrument}`;
      const wasUnread = this.#alerted.get(key);
      const isUnread = wasUnread !== false && this.#isUnread(held);
      alerted.set(key, isUnread);
      if (wasUnread !== isUnread) this.#manage(held);
    }
    // A position that was closed and opened again by a late fill is answered again.
    this.#alerted = alerted;
  }

  #manage(held: HeldPosition): void {
    const { settings, context } = this.#state;
    const { strategy, instrument, qty } = held;
    const policy = settings.risk.onOrphan ?? 'hold';
    const code = this.#state.contracts.codeOf(instrument);
    const id = settings.strategies[strategy]?.id ?? `strategy ${strategy}`;
    const text = `${id} is not running and holds ${qty} of ${code}, ${this.#coverText(held)}: risk.onOrphan is ${policy}`;
    context.alert(strategy, 'critical', 'orphan_position', text);
    if (policy === 'flatten') this.#state.targetExecutor.flatten(held, `${id} is stopped`);
  }

  #isUnread(held: HeldPosition): boolean {
    const isRead = this.#state.session.triggersReadUs !== -Infinity;
    return !isRead && coverOf(this.#state, held, isNotBeingCanceled).stopQty === 0;
  }

  #coverText(held: HeldPosition): string {
    if (this.#isUnread(held)) return 'and the trigger book, which shows its stops, is not read yet';
    const { stopQty, nakedQty } = coverOf(this.#state, held, isNotBeingCanceled);
    if (stopQty === 0) return 'without a stop at the broker';
    return `with stops for ${nakedQty === 0 ? '' : `${stopQty} of `}${Math.abs(held.qty)} at the broker`;
  }
}

// Ends positions in contracts that are over, once the broker no longer shows them (rulings, 3). After the calendar's last day the
// last trade estimates the price, and an alert says so. A contract that has left the broker's list before that is settled by
// the broker's closed positions.

type KnownValue = readonly [value: Money, by: string];

const BY_THE_BROKER = "by the broker's closed positions";
const AT_ENTRY = "at its entry, as no price is known: the broker's figure decides";

class Settlement {
  readonly #state: EngineState;
  readonly #left = new Map<OrderCode, number>();

  constructor(state: EngineState) {
    this.#state = state;
  }

  /** The list is new, or the calendar. */
  onContracts(): void {
    for (const contract of this.#state.contracts.all) this.#leftUs(contract);
  }

  /** After each read of the positions. */
  step(): void {
    const { contracts, positionReconciler, portfolio } = this.#state;
    for (const held of this.#state.portfolio.held()) {
      const contract = contracts.at(held.instrument);
      if (contract === undefined || positionReconciler.brokerQty(held.instrument) !== 0) continue;
      const isOver = this.#isGone(contract, this.#closeOf(contract));
      // A reference price is of the day before its last one, or older: the broker's figure comes first.
      const hasTraded = this.#state.market.of(held.instrument).last.price !== undefined;
      if (isOver && hasTraded) this.#settle(held, contract, this.#valueOf(held, contract));
      else if (isOver || this.#isGone(contract, this.#leftUs(contract))) this.#state.reads.request('closed');
      // Net zero by opposite positions is no sign of an end.
      else if (portfolio.accountQty(held.instrument) !== 0 && !contracts.isEnded(held.instrument))
        this.#state.reads.request('contracts');
    }
  }

  onClosed({ positions, startedUs }: ClosedSnapshot): void {
    const { contracts } = this.#state;
    for (const held of this.#state.portfolio.held()) {
      const contract = contracts.at(held.instrument);
      if (contract === undefined) continue;
      const left = Math.min(this.#leftUs(contract), this.#closeOf(contract));
      if (startedUs < left || !this.#isGone(contract, left)) continue;
      const side: Side = held.qty > 0 ? 'buy' : 'sell';
      const row = positions.find((each) => each.orderCode === contract.orderCode && each.side === side);
      const at = row?.averageClose ?? null;
      const worth = at === null ? null : valueAtHundredths(contract.spec, at, Math.abs(held.qty));
      const known = worth === null ? this.#valueOf(held, contract) : ([worth, BY_THE_BROKER] as const);
      this.#settle(held, contract, known);
    }
  }

  /** The contract is over, and reads after its end show neither the position nor an order that may have closed it. */
  #isGone(contract: Contract, endUs: number): boolean {
    const { context, positionReconciler, session } = this.#state;
    if (context.nowUs < endUs) return false;
    const isReadSince = positionReconciler.readUs >= endUs && session.ordersReadUs >= endUs;
    return (
      isReadSince && positionReconciler.brokerQty(contract.index) === 0 && !this.#mayHaveClosed(contract)
    );
  }

  /** When it was first seen to have left the broker's list; infinite while it is listed. */
  #leftUs(contract: Contract): number {
    const { contracts, context } = this.#state;
    if (!contracts.isEnded(contract.index)) {
      this.#left.delete(contract.orderCode);
      return Infinity;
    }
    const left = this.#left.get(contract.orderCode) ?? context.nowUs;
    this.#left.set(contract.orderCode, left);
    return left;
  }

  /** End of the contract's last trading. */
  #closeOf(contract: Contract): number {
    const { calendar } = this.#state;
    return dayClose(calendar, lastSession(calendar, contract)) ?? Infinity;
  }

  /** A stop that its book shows waiting after the contract's last trading has closed nothing. */
  #mayHaveClosed(contract: Contract): boolean {
    const overUs = this.#closeOf(contract) + CLOSE_REPORTED_AFTER;
    return this.#state.orders.open.some(
      ({ instrument, isTriggerOrder, status, rowUs }) =>
        instrument === contract.index && !(isTriggerOrder && status !== 'triggering' && rowUs >= overUs),
    );
  }

  /** Without a known value the position is closed at its entry: no profit, no loss, and the broker's figure decides. */
  #settle(held: HeldPosition, contract: Contract, known: KnownValue | null): void {
    const { strategy, instrument, qty } = held;
    const [value, by] = known ?? [this.#state.portfolio.position(strategy, instrument).openValue, AT_ENTRY];
    changeWithoutFill(this.#state, held, 'settled', signedQty(0 - qty), value);
    const text = `${qty} of ${contract.orderCode} expired: settled for ${grouped(value)} VND, ${by}`;
    this.#state.context.alert(strategy, known === null ? 'warning' : 'info', 'settled', text);
  }

  /** Null for a contract that ended before this session: the broker's closed positions are asked. */
  #valueOf({ instrument, qty }: HeldPosition, { spec }: Contract): KnownValue | null {
    const { last, band } = this.#state.market.of(instrument);
    const size = Math.abs(qty);
    if (last.price !== undefined) return [valueOf(spec, last.price, size), 'by the last price known to us'];
    if (band === undefined) return null;
    return [valueAtHundredths(spec, band.reference, size), 'by the reference price known to us'];
  }
}
