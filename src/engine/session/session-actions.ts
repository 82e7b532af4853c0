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
import type { Actions, HeldPosition, KeeperTag } from '../actions.ts';
import type { EntryHalt } from '../risk/entry-halt.ts';
import type { ReportKind } from '../ports/engine-event.ts';
import type { AlertSeverity } from '../ports/journal-entry.ts';
import type { TimerId } from '../ports/strategy-port.ts';
import type { Portfolio } from '../positions/portfolio.ts';
import type { PositionReconciler } from '../positions/position-reconciler.ts';
import type { Reads } from '../state/snapshots.ts';
import type { RiskView } from '../risk/risk-view.ts';
import type { StrategyRegistry } from '../state/strategy-registry.ts';
import type { StrategyStops } from '../state/strategy-stops.ts';
import type { TimerHeap } from '../state/timer-heap.ts';
import { KEEPER_TIMER } from '../state/timer-owners.ts';
import type { EventContext } from '../state/event-context.ts';

export interface HouseActionsParts {
  readonly turn: EventContext;
  readonly view: RiskView;
  readonly roster: StrategyRegistry;
  readonly portfolio: Portfolio;
  readonly truth: PositionReconciler;
  readonly reads: Reads;
  readonly latch: EntryHalt;
  readonly stops: StrategyStops;
  readonly timers: TimerHeap;
}

export class SessionActions implements Actions {
  readonly view: RiskView;
  readonly #parts: HouseActionsParts;

  constructor(parts: HouseActionsParts) {
    this.#parts = parts;
    this.view = parts.view;
  }

  owners(): readonly StrategyIndex[] {
    const strategies = this.#parts.roster.seats.map(({ index }) => index);
    return this.#parts.portfolio.has(OPERATOR_INDEX) ? [OPERATOR_INDEX, ...strategies] : strategies;
  }

  heldPositions(): readonly HeldPosition[] {
    return this.#parts.portfolio.held();
  }

  brokerPositions(): readonly BrokerPosition[] {
    return this.#parts.truth.positions;
  }

  submitFor(strategy: StrategyIndex, intent: OrderIntent): ClientOrderId {
    return this.#parts.turn.ask(strategy, 'house', { do: 'submit', intent });
  }

  modify(strategy: StrategyIndex, change: ModifyIntent): void {
    this.#parts.turn.ask(strategy, 'house', { do: 'modify', change });
  }

  cancel(strategy: StrategyIndex, order: ClientOrderId): void {
    this.#parts.turn.ask(strategy, 'house', { do: 'cancel', clientOrderId: order });
  }

  read(what: ReportKind): void {
    this.#parts.reads.want(what);
  }

  halt(reason: string): void {
    this.#parts.latch.lossReached(reason);
  }

  latchStrategy(strategy: StrategyIndex, reason: string): void {
    this.#parts.latch.latchStrategy(strategy, reason);
  }

  stopStrategy(strategy: StrategyIndex, reason: string): void {
    this.#parts.stops.stop(strategy, reason, null);
  }

  isStopped(strategy: StrategyIndex): boolean {
    return this.#parts.roster.isStopped(strategy);
  }

  setLegs(strategy: StrategyIndex, legs: readonly Contract[]): void {
    this.#parts.roster.setLegs(strategy, legs);
  }

  legs(strategy: StrategyIndex): readonly Contract[] {
    return this.#parts.roster.legs(strategy);
  }

  positionEvent(
    strategy: StrategyIndex,
    event: 'settled' | 'forced_close',
    instrument: InstrumentIndex,
    qty: SignedQty,
    value: Money,
  ): void {
    const { turn, portfolio } = this.#parts;
    portfolio.add(strategy, instrument, qty, value);
    const head = { cause: turn.seq, tsUs: turn.nowUs, strategy };
    turn.append({ ...head, kind: 'position_event', event, instrument, qty, value });
  }

  alert(strategy: StrategyIndex | null, severity: AlertSeverity, code: string, text: string): void {
    this.#parts.turn.alert(strategy, severity, code, text);
  }

  note(strategy: StrategyIndex | null, text: string): void {
    const { turn } = this.#parts;
    turn.append({ kind: 'strategy_note', cause: turn.seq, tsUs: turn.nowUs, strategy, text });
  }

  stopReady(reason: string): void {
    const { turn } = this.#parts;
    turn.append({ kind: 'stop_ready', cause: turn.seq, tsUs: turn.nowUs, strategy: null, reason });
  }

  setTimer(after: DurationUs, tag: KeeperTag): TimerId {
    return this.setTimerAt(addUs(this.#parts.turn.nowUs, after), tag);
  }

  setTimerAt(at: TsUs, tag: KeeperTag): TimerId {
    return this.#parts.timers.set(KEEPER_TIMER, at, tag);
  }

  clearTimer(timer: TimerId): void {
    this.#parts.timers.clear(timer);
  }
}
