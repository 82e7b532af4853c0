/** Stops a strategy: it receives no more events, its entries are canceled, protective orders stay, and a person is alerted; the others go on. */
import { isAuction } from '../../domain/calendar.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { Command, CommandReceived } from '../ports/engine-event.ts';
import { ENGINE_TIMER } from '../state/timers.ts';
import type { JournalDecisions } from '../replay/decisions.ts';
import type { EngineView } from '../engine-view.ts';

export interface HandlerFault {
  readonly message: string;
  readonly where: string;
}

/** `strategy` is null for the engine itself. */
export interface ReplayFault {
  readonly strategy: StrategyIndex | null;
  readonly text: string;
}

/** Reason of a stop: the replay of the day decided otherwise than the journal. */
const DIVERGED = 'replay_diverged';

type StopCommand = Extract<Command, { readonly name: 'stop_strategy' }>;

interface StrategyStop {
  readonly reason: string;
  readonly fault: HandlerFault | null;
  readonly isLasting: boolean;
  /** A person stops it, and knows. */
  readonly isByPerson?: boolean;
}

export class StrategyStopper {
  readonly #view: EngineView;
  /** Stops to be journaled with the next event: they came up outside an event, or a replay found them. */
  readonly #pendingReports = new Map<StrategyIndex, StrategyStop>();
  /** Stops found by the replay that the journal does not hold. */
  readonly #found = new Map<StrategyIndex, StrategyStop>();
  #systemDifference: string | null = null;

  constructor(view: EngineView) {
    this.#view = view;
  }

  /** A stop, or another decision of the engine itself, is to be journaled with the next event. */
  get hasPending(): boolean {
    return this.#pendingReports.size > 0 || this.#systemDifference !== null;
  }

  /** `isLasting`: over sessions, until a person starts it again. */
  stop(strategy: StrategyIndex, reason: string, fault: HandlerFault | null, isLasting = false): void {
    const { registry, context } = this.#view;
    const ending = { reason, fault, isLasting, isByPerson: isLasting };
    const found = this.#found.get(strategy);
    if (found !== undefined) {
      if (isLasting) this.#found.set(strategy, { ...found, isLasting });
      return;
    }
    if (this.#isStopped(strategy)) return isLasting ? this.#journalLastingStop(strategy, reason) : undefined;
    if (!context.decisions.stopsNow(strategy)) {
      this.#found.set(strategy, ending);
      return;
    }
    registry.stop(strategy, reason);
    this.#report(strategy, ending);
  }

  /**
   * The journal holds these with the event that begins. An earlier replay that also found them stopped them before its first event, and
   * reported them with it.
   */
  stopAsJournaled(strategies: readonly StrategyIndex[]): void {
    const { registry, context } = this.#view;
    for (const strategy of strategies) {
      const ending = this.#found.get(strategy);
      if (ending === undefined || context.decisions.isOlderVersion(strategy)) continue;
      this.#found.delete(strategy);
      this.#pendingReports.set(strategy, ending);
      registry.stop(strategy, ending.reason);
      this.#view.dueWork.markPending();
    }
  }

  /** A stop by the watchdog holds for the version that hung; a later one runs. */
  command({ strategy, reason }: Pick<StopCommand, 'strategy' | 'reason'>, by: CommandReceived['by']): void {
    if (by === 'process' && this.#view.context.decisions.isOlderVersion(strategy)) return;
    this.stop(strategy, reason, null, by === 'operator');
  }

  /** A person starts it again: the version that comes with the next list does not inherit the stop. */
  allowStart(strategy: StrategyIndex): void {
    if (this.#found.get(strategy)?.fault !== null) return;
    this.#found.delete(strategy);
    this.#view.withdrawal.withdrawLeft(strategy);
  }

  /** The present version decides from here on, so earlier stops in the journal apply to it. */
  applyStop(strategy: StrategyIndex): void {
    const ending = this.#found.get(strategy);
    if (ending?.fault !== null) return;
    this.#found.delete(strategy);
    const { registry, withdrawal } = this.#view;
    registry.stop(strategy, ending.reason);
    withdrawal.withdrawLeft(strategy);
  }

  /** Found so far by a replay: faults that the journal does not hold, and other decisions than it holds. */
  faultsOf({ differences, systemDifference }: JournalDecisions): readonly ReplayFault[] {
    const faults = [...this.#found].flatMap(([strategy, { fault }]) =>
      fault === null ? [] : [{ strategy, text: `${fault.message} (in ${fault.where})` }],
    );
    for (const [strategy, text] of differences) faults.push({ strategy, text });
    return systemDifference === null ? faults : [...faults, { strategy: null, text: systemDifference }];
  }

  /** The operator stopped it in an earlier session. */
  carryOver(strategy: StrategyIndex, reason: string): void {
    const { context, registry } = this.#view;
    if (context.decisions.isOlderVersion(strategy))
      return void this.#found.set(strategy, { reason, fault: null, isLasting: true });
    if (!registry.stop(strategy, reason)) return;
    this.#journalLastingStop(strategy, reason);
    const text = `${registry.idOf(strategy)} stays stopped until you start it: ${reason}`;
    context.alert(strategy, 'warning', 'strategy_stopped', text);
  }

  /** A strategy traded, or a handler threw, outside any event: the next event journals it. */
  stopLater(strategy: StrategyIndex, fault: HandlerFault): void {
    if (this.#isStopped(strategy)) return;
    const { context } = this.#view;
    const found = context.decisions.stopsNow(strategy) ? this.#pendingReports : this.#found;
    found.set(strategy, { reason: 'fault', fault, isLasting: false });
    this.#view.dueWork.markPending();
  }

  /** The replay is over: strategies that differed from the journal, or ended in it unrecorded, stop here. */
  endReplay(past: JournalDecisions): void {
    const { registry } = this.#view;
    for (const [strategy, ending] of this.#found) this.#pendingReports.set(strategy, ending);
    this.#found.clear();
    for (const [strategy, text] of past.differences) {
      const fault = { message: `${DIVERGED}: ${text}`, where: 'replay' };
      this.#pendingReports.set(strategy, { reason: DIVERGED, fault, isLasting: false });
    }
    this.#systemDifference = past.systemDifference;
    for (const [strategy, { reason }] of this.#pendingReports) registry.stop(strategy, reason);
    past.forget();
  }

  /** Journals, in the event being processed, the stops that came up outside one. */
  reportPending(): void {
    const { context, registry } = this.#view;
    for (const [strategy, ending] of this.#pendingReports) {
      registry.stop(strategy, ending.reason);
      this.#report(strategy, ending);
    }
    this.#pendingReports.clear();
    if (this.#systemDifference === null) return;
    const text = `after the restart the engine itself decided otherwise: ${this.#systemDifference}`;
    context.alert(null, 'warning', 'system_diverged', text);
    this.#systemDifference = null;
  }

  /** The next session finds the stop in this row. */
  #journalLastingStop(strategy: StrategyIndex, reason: string): void {
    const { context } = this.#view;
    context.append({ ...context.head(strategy), kind: 'strategy_stopped', reason, isLasting: true });
  }

  #isStopped(strategy: StrategyIndex): boolean {
    return (
      this.#view.registry.isStopped(strategy) ||
      this.#pendingReports.has(strategy) ||
      this.#found.has(strategy)
    );
  }

  #report(strategy: StrategyIndex, { reason, fault, isLasting, isByPerson = false }: StrategyStop): void {
    const { context, registry, withdrawal, timers, session } = this.#view;
    timers.clearOwner(strategy);
    // Prices alone do not make the engine check what it leaves: a timer brings an event.
    timers.set(ENGINE_TIMER, context.nowUs, () => undefined);
    const head = context.head(strategy);
    if (fault !== null)
      context.append({ ...head, kind: 'strategy_fault', message: fault.message, where: fault.where });
    context.append({ ...head, kind: 'strategy_stopped', reason, ...(isLasting ? { isLasting } : {}) });
    // A replay that differs is no proof of bad code: the inputs of the past may be missing.
    const code = fault === null ? 'strategy_stopped' : reason === DIVERGED ? DIVERGED : 'strategy_fault';
    const cause = fault === null ? reason : `${reason}: ${fault.message} (in ${fault.where})`;
    const { increasing, reducing } = withdrawal.withdrawEntriesOf(strategy);
    const kept = reducing.length === 0 ? '' : `, what protects its position (${reducing.length}) stays`;
    const end = isAuction(session.phase) ? 'stay in the auction and may fill' : 'are canceled';
    const text = `${registry.idOf(strategy)} is stopped: its entries (${increasing.length}) ${end}${kept}: ${cause}`;
    context.alert(strategy, isByPerson ? 'warning' : 'critical', code, text);
  }
}
