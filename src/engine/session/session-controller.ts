/**
 * The engine's own procedures around the trading day: legs and rollover, withdrawing before auctions, closing before the close
 * and before an expiry, settlement, flatten and stop. Each is a class of its own; this one passes events on
 * to them. Time comes in as events, so that a start in the middle of a day is right.
 */
import type { SessionPhase, TradingCalendar } from '../../domain/calendar.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Command, EngineEvent } from '../ports/engine-event.ts';
import { AuctionWithdrawal, CloseOut } from './close-out.ts';
import { FailurePolicies } from './failure-policies.ts';
import { Flattener } from './flattener.ts';
import { ProtectiveStops } from './protective-stops.ts';
import { Orphans } from './orphans.ts';
import { Rollover } from './rollover.ts';
import {
  type SessionActions,
  type SessionProcedures,
  SessionTimers,
  type TimerTag,
} from './session-actions.ts';
import { Settlement } from './settlement.ts';
import { StopProcedure } from './stop-procedure.ts';

type FlattenCommand = Extract<Command, { readonly name: 'flatten' }>;

export class SessionController implements SessionProcedures {
  readonly #actions: SessionActions;
  readonly #timers: SessionTimers;
  readonly #flattener: Flattener;
  readonly #auction: AuctionWithdrawal;
  readonly #closeOut: CloseOut;
  readonly #rollover: Rollover;
  readonly #settlement: Settlement;
  readonly #stop: StopProcedure;
  readonly #policies: FailurePolicies;
  readonly #protection: ProtectiveStops;
  readonly #orphans: Orphans;

  constructor(settings: EngineSettings, calendar: TradingCalendar, actions: SessionActions) {
    const timers = new SessionTimers(actions);
    const parts = { actions, timers, settings, calendar };
    this.#actions = actions;
    this.#timers = timers;
    this.#flattener = new Flattener(parts);
    this.#auction = new AuctionWithdrawal(parts);
    this.#closeOut = new CloseOut(parts, this.#flattener);
    this.#rollover = new Rollover(parts);
    this.#settlement = new Settlement(actions, calendar);
    this.#stop = new StopProcedure(parts, this.#flattener);
    this.#policies = new FailurePolicies(actions, settings, this.#flattener);
    this.#protection = new ProtectiveStops(parts, this.#policies, this.#flattener);
    this.#orphans = new Orphans(parts, this.#flattener);
  }

  /** The list of contracts is new, or the calendar. */
  onContracts(): void {
    this.#settlement.onContracts();
    this.#rollover.apply();
    this.#closeOut.plan();
    this.#closeOut.step();
  }

  onSession(): void {
    this.#flattener.endDay();
    this.#auction.plan();
    this.#closeOut.onSession();
    this.#rollover.apply();
  }

  onPhase(phase: SessionPhase): void {
    this.#auction.plan();
    this.#closeOut.plan();
    this.#auction.onPhase(phase);
    if (phase !== 'closed' && phase !== 'break') this.#flattener.resume();
    this.#closeOut.step();
    this.#flattener.step();
    this.#stop.onPhase(phase);
  }

  onTimer(tag: TimerTag): void {
    this.#timers.fire(tag);
    this.#flattener.step();
    this.#stop.step();
    this.#protection.step();
  }

  onCommand(command: Command): void {
    switch (command.name) {
      case 'flatten':
        return this.#flatten(command);
      case 'rollover':
        this.#actions.read('contracts');
        return this.#rollover.apply();
      case 'stop':
        return this.#stop.begin(command.reason);
      // Done by the engine itself.
      case 'halt':
      case 'resume':
      case 'cancel_all':
      case 'cancel_order':
      case 'stop_strategy':
      case 'start_strategy':
      case 'reload':
      case 'resolve_order':
        return;
    }
  }

  afterEvent(event: EngineEvent): void {
    if (event.kind === 'booted') {
      this.#stop.reset();
      this.#protection.restart();
    }
    if (event.kind === 'position_snapshot') this.#settlement.step();
    if (event.kind === 'read_failed' && event.what === 'positions') this.#flattener.readFailed();
    if (event.kind === 'closed_snapshot') this.#settlement.onClosed(event);
    this.#policies.afterEvent(event);
    this.#orphans.step();
    this.#closeOut.step();
    this.#flattener.step();
    this.#stop.step();
    this.#protection.step();
    this.#policies.endEvent();
  }

  isFlattening(strategy: StrategyIndex): boolean {
    return this.#flattener.isFlattening(strategy);
  }

  status(): string {
    const stop = this.#stop.state === 'idle' ? [] : [`stop: ${this.#stop.state}`];
    return [...stop, ...this.#flattener.describe()].join('; ');
  }

  /** Null means everything the account holds, adopted positions included. */
  #flatten({ strategy, reason, inAuction = false }: FlattenCommand): void {
    const owners = strategy === null ? this.#actions.owners() : [strategy];
    const asker = inAuction ? 'person_in_auction' : 'person';
    for (const owner of owners) this.#flattener.flattenOwner(owner, reason, asker);
  }
}
