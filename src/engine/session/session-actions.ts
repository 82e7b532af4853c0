/** What the session keeper may do, carried out by the engine. */
import type { BrokerPosition } from '../../domain/broker-order.ts';
import type { Contract } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent } from '../../domain/order.ts';
import {
  addUs,
  type DurationUs,
  type InstrumentIndex,
  type Money,
  OPERATOR_INDEX,
  type SignedQty,
  type StrategyIndex,
  type TsUs,
} from '../../domain/units.ts';
import type { Actions, HeldPosition, TimerTag } from '../actions.ts';
import type { EntryHalt } from '../risk/entry-halt.ts';
import type { ReportKind } from '../ports/engine-event.ts';
import type { AlertSeverity } from '../ports/journal-entry.ts';
import type { TimerId } from '../ports/strategy-port.ts';
import type { Portfolio } from '../positions/portfolio.ts';
import type { PositionReconciler } from '../positions/position-reconciler.ts';
import type { Snapshots } from '../state/snapshots.ts';
import type { RiskView } from '../risk/risk-view.ts';
import type { StrategyRegistry } from '../state/strategy-registry.ts';
import type { StrategyStops } from '../state/strategy-stops.ts';
import type { TimerHeap } from '../state/timer-heap.ts';
import { CONTROLLER_TIMER } from '../state/timer-owners.ts';
import type { EventContext } from '../state/event-context.ts';

export interface SessionActionsParts {
  readonly context: EventContext;
  readonly view: RiskView;
  readonly registry: StrategyRegistry;
  readonly portfolio: Portfolio;
  readonly positionReconciler: PositionReconciler;
  readonly snapshots: Snapshots;
  readonly halt: EntryHalt;
  readonly stops: StrategyStops;
  readonly timers: TimerHeap;
}

export class SessionActions implements Actions {
  readonly view: RiskView;
  readonly #parts: SessionActionsParts;

  constructor(parts: SessionActionsParts) {
    this.#parts = parts;
    this.view = parts.view;
  }

  owners(): readonly StrategyIndex[] {
    const strategies = this.#parts.registry.seats.map(({ index }) => index);
    return this.#parts.portfolio.has(OPERATOR_INDEX) ? [OPERATOR_INDEX, ...strategies] : strategies;
  }

  heldPositions(): readonly HeldPosition[] {
    return this.#parts.portfolio.held();
  }

  brokerPositions(): readonly BrokerPosition[] {
    return this.#parts.positionReconciler.positions;
  }

  submitFor(strategy: StrategyIndex, intent: OrderIntent): ClientOrderId {
    return this.#parts.context.ask(strategy, 'system', { do: 'submit', intent });
  }

  modify(strategy: StrategyIndex, change: ModifyIntent): void {
    this.#parts.context.ask(strategy, 'system', { do: 'modify', change });
  }

  cancel(strategy: StrategyIndex, order: ClientOrderId): void {
    this.#parts.context.ask(strategy, 'system', { do: 'cancel', clientOrderId: order });
  }

  read(what: ReportKind): void {
    this.#parts.snapshots.want(what);
  }

  halt(reason: string): void {
    this.#parts.halt.lossReached(reason);
  }

  latchStrategy(strategy: StrategyIndex, reason: string): void {
    this.#parts.halt.latchStrategy(strategy, reason);
  }

  stopStrategy(strategy: StrategyIndex, reason: string): void {
    this.#parts.stops.stop(strategy, reason, null);
  }

  isStopped(strategy: StrategyIndex): boolean {
    return this.#parts.registry.isStopped(strategy);
  }

  setLegs(strategy: StrategyIndex, legs: readonly Contract[]): void {
    this.#parts.registry.setLegs(strategy, legs);
  }

  legs(strategy: StrategyIndex): readonly Contract[] {
    return this.#parts.registry.legs(strategy);
  }

  positionEvent(
    strategy: StrategyIndex,
    event: 'settled' | 'forced_close',
    instrument: InstrumentIndex,
    qty: SignedQty,
    value: Money,
  ): void {
    const { context, portfolio } = this.#parts;
    portfolio.add(strategy, instrument, qty, value);
    const head = { cause: context.seq, tsUs: context.nowUs, strategy };
    context.append({ ...head, kind: 'position_event', event, instrument, qty, value });
  }

  alert(strategy: StrategyIndex | null, severity: AlertSeverity, code: string, text: string): void {
    this.#parts.context.alert(strategy, severity, code, text);
  }

  note(strategy: StrategyIndex | null, text: string): void {
    const { context } = this.#parts;
    context.append({ kind: 'strategy_note', cause: context.seq, tsUs: context.nowUs, strategy, text });
  }

  stopReady(reason: string): void {
    const { context } = this.#parts;
    context.append({ kind: 'stop_ready', cause: context.seq, tsUs: context.nowUs, strategy: null, reason });
  }

  setTimer(after: DurationUs, tag: TimerTag): TimerId {
    return this.setTimerAt(addUs(this.#parts.context.nowUs, after), tag);
  }

  setTimerAt(at: TsUs, tag: TimerTag): TimerId {
    return this.#parts.timers.set(CONTROLLER_TIMER, at, tag);
  }

  clearTimer(timer: TimerId): void {
    this.#parts.timers.clear(timer);
  }
}
