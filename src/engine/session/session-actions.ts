/** The interface between the engine and the session controller: its actions and its events. */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { CancelTimer } from '../../domain/clock.ts';
import type { Contract } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import type {
  DurationUs,
  InstrumentIndex,
  Money,
  SignedQty,
  StrategyIndex,
  TsUs,
} from '../../domain/units.ts';
import type { Command, EngineEvent, ReportKind } from '../ports/engine-event.ts';
import type { AlertSeverity, PolicyActed } from '../ports/journal-entry.ts';
import type { TimerId } from '../ports/strategy-port.ts';
import type { HeldPosition } from '../positions/portfolio.ts';
import type { OrderView, RiskView } from '../risk/risk-view.ts';

/** Identifies a timer of the session controller, which chooses the number. */
export type TimerTag = number;

/** Actions of the session controller. Calls are queued and carried out after the event: nothing re-enters, and risk checks each. */
export interface SessionActions {
  /** The same view the guard reads: orders, positions, ages, phase, P&L. */
  readonly view: RiskView;
  /** `OPERATOR_INDEX` first when the operator holds anything, then every configured strategy, stopped or not. */
  owners(): readonly StrategyIndex[];
  /** All strategies that hold a position, with it. */
  heldPositions(): readonly HeldPosition[];

  /** Submits for a strategy, with the hint 'exit' to the guard. */
  submitFor(strategy: StrategyIndex, intent: OrderIntent): ClientOrderId;
  modify(strategy: StrategyIndex, change: ModifyIntent): void;
  /** Asks for a cancel; sent when the order number is known. Asking again while a cancel is open does nothing. */
  cancel(strategy: StrategyIndex, order: ClientOrderId): void;
  /** Asks for a cancel that holds until the order is over: when it triggers first, what it sends goes too, unless it protects a position. */
  withdraw(strategy: StrategyIndex, order: ClientOrderId): void;
  /** Orders of the trigger book that were canceled since this was asked last, and that neither their strategy nor a person asked for. */
  takeLostStops(): readonly OrderView[];
  /** A stop, waiting or triggered, that its strategy's position needs now, whatever it was placed for: it can only shrink the position. */
  isCover(order: ClientOrderId): boolean;
  /** Cancels what can enlarge a position, of one strategy or, null, of all. */
  withdrawEntries(strategy: StrategyIndex | null): void;
  /** Asks for a read; merged with one that waits. */
  read(what: ReportKind): void;

  /** Stops a strategy, cancels its working orders, alerts. */
  stopStrategy(strategy: StrategyIndex, reason: string): void;
  isStopped(strategy: StrategyIndex): boolean;
  /** Some strategy is stopped, or left the configuration. */
  hasUnmanaged(): boolean;
  /** The contracts behind a strategy's symbols; after the start the strategy receives the changes. */
  setLegs(strategy: StrategyIndex, legs: readonly Contract[]): void;
  legs(strategy: StrategyIndex): readonly Contract[];
  /** Changes a position without a fill, `qty` as added to it and `value` zero or more. */
  positionEvent(
    strategy: StrategyIndex,
    event: 'settled' | 'forced_close',
    instrument: InstrumentIndex,
    qty: SignedQty,
    value: Money,
  ): void;

  /** Of a replayed event: the policies that the journal holds of it and nobody has taken yet; null: they are decided now. */
  recordedPolicies(): PolicyActed[] | null;
  /** Journals that a failure was answered. */
  policyActed(acted: Pick<PolicyActed, 'strategy' | 'failure' | 'policy' | 'instrument' | 'text'>): void;
  alert(strategy: StrategyIndex | null, severity: AlertSeverity, code: string, text: string): void;
  note(strategy: StrategyIndex | null, text: string): void;
  /** Everything the stop settings ask for is done: the process may end. */
  stopReady(reason: string): void;

  /** Asks for `onTimer(tag)` after a span of market time. */
  setTimer(after: DurationUs, tag: TimerTag): TimerId;
  setTimerAt(at: TsUs, tag: TimerTag): TimerId;
  clearTimer(timer: TimerId): void;
}

/** Implemented by `SessionController`; tests put a simpler one in its place. */
export interface SessionProcedures {
  onContracts(): void;
  onSession(): void;
  onPhase(phase: SessionPhase): void;
  onTimer(tag: TimerTag): void;
  onCommand(command: Command): void;
  afterEvent(event: EngineEvent): void;
  status(): string;
  /** The strategy's position is being closed: it enters nothing meanwhile. */
  isFlattening(strategy: StrategyIndex): boolean;
}

/** The controller's timers by callback; the engine knows them by a number. */
export class SessionTimers {
  readonly #actions: SessionActions;
  readonly #waiting = new Map<TimerTag, () => void>();
  #lastTag: TimerTag = 0;

  constructor(actions: SessionActions) {
    this.#actions = actions;
  }

  after(span: DurationUs, run: () => void): CancelTimer {
    const tag = this.#add(run);
    return this.#stopper(tag, this.#actions.setTimer(span, tag));
  }

  at(moment: TsUs, run: () => void): CancelTimer {
    const tag = this.#add(run);
    return this.#stopper(tag, this.#actions.setTimerAt(moment, tag));
  }

  fire(tag: TimerTag): void {
    const run = this.#waiting.get(tag);
    this.#waiting.delete(tag);
    run?.();
  }

  #add(run: () => void): TimerTag {
    this.#lastTag += 1;
    this.#waiting.set(this.#lastTag, run);
    return this.#lastTag;
  }

  #stopper(tag: TimerTag, timer: TimerId): CancelTimer {
    return () => {
      if (this.#waiting.delete(tag)) this.#actions.clearTimer(timer);
    };
  }
}
