/** How strategies trade: calls are queued, answers are about the event being processed. */
import { errorText } from '../domain/failure.ts';
import { InvariantError } from '../domain/assert.ts';
import type { SessionPhase, TradingCalendar } from '../domain/calendar.ts';
import type { Contract, PriceBand } from '../domain/contract.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import type { ModifyIntent, OrderIntent, Side } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { BookTick, TradeTick } from '../domain/ticks.ts';
import {
  addUs,
  type DurationUs,
  type InstrumentIndex,
  type PriceTicks,
  type StrategyIndex,
  type TsUs,
} from '../domain/units.ts';
import type { Market } from './market/market.ts';
import type { Orders } from './orders/orders.ts';
import type { TraderPort, OrderUpdate, TimerId } from './ports/strategy-port.ts';
import type { Portfolio } from './positions/portfolio.ts';
import { marketPrice } from './risk/risk-rules.ts';
import type { StrategyRegistry } from './session/strategy-registry.ts';
import type { SessionState } from './session/session-state.ts';
import type { StrategyStops } from './session/strategy-stops.ts';
import type { Plots } from './state/plots.ts';
import type { TimerHeap } from './state/timer-heap.ts';
import type { EventContext } from './state/event-context.ts';

export interface TraderParts {
  readonly settings: EngineSettings;
  readonly context: EventContext;
  readonly session: SessionState;
  readonly market: Market;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly registry: StrategyRegistry;
  readonly stops: StrategyStops;
  readonly timers: TimerHeap;
  readonly plots: Plots;
}

/** Timers one strategy may have set at a time; one more is a fault. */
const TIMERS_MAX = 1_000;

export class Trader implements TraderPort {
  readonly #parts: TraderParts;

  constructor(parts: TraderParts) {
    this.#parts = parts;
  }

  submit(strategy: StrategyIndex, intent: OrderIntent): ClientOrderId {
    this.#assertInEvent(strategy, 'submit');
    return this.#parts.context.ask(strategy, 'strategy', { do: 'submit', intent });
  }

  modify(strategy: StrategyIndex, change: ModifyIntent): void {
    this.#assertInEvent(strategy, 'modify');
    this.#parts.context.ask(strategy, 'strategy', { do: 'modify', change });
  }

  cancel(strategy: StrategyIndex, order: ClientOrderId): void {
    this.#assertInEvent(strategy, 'cancel');
    this.#parts.context.ask(strategy, 'strategy', { do: 'cancel', clientOrderId: order });
  }

  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position {
    return this.#parts.portfolio.position(strategy, instrument);
  }

  workingOrders(strategy: StrategyIndex): readonly OrderUpdate[] {
    const working: OrderUpdate[] = [];
    for (const order of this.#parts.orders.open) {
      if (order.strategy === strategy && !order.isProtective) working.push(order.update(0, 0, null));
    }
    return working;
  }

  nowUs(): TsUs {
    return this.#parts.context.nowUs;
  }

  phase(): SessionPhase {
    return this.#parts.session.phase;
  }

  calendar(): TradingCalendar {
    return this.#parts.session.calendar.copy;
  }

  leg(strategy: StrategyIndex, leg: number): Contract {
    return this.#parts.registry.leg(strategy, leg);
  }

  band(instrument: InstrumentIndex): PriceBand | undefined {
    return this.#parts.market.band(instrument);
  }

  marketPrice(contract: Contract, side: Side): PriceTicks {
    return marketPrice(this.#parts.market, this.#parts.settings, contract, side);
  }

  hasBooks(): boolean {
    return this.#parts.settings.isOnBars !== true;
  }

  lastTrade(instrument: InstrumentIndex): TradeTick | undefined {
    return this.#parts.market.lastTrade(instrument);
  }

  lastBook(instrument: InstrumentIndex): BookTick | undefined {
    return this.#parts.market.lastBook(instrument);
  }

  setTimer(strategy: StrategyIndex, after: DurationUs): TimerId {
    this.#assertInEvent(strategy, 'setTimer');
    const { timers, context } = this.#parts;
    if (timers.count(strategy) >= TIMERS_MAX) {
      throw new InvariantError(`Invariant: a strategy has at most ${TIMERS_MAX} timers set at a time`);
    }
    return timers.set(strategy, addUs(context.nowUs, after), 0);
  }

  clearTimer(_strategy: StrategyIndex, timer: TimerId): void {
    this.#parts.timers.clear(timer);
  }

  note(strategy: StrategyIndex, text: string): void {
    this.#assertInEvent(strategy, 'note');
    const { context } = this.#parts;
    context.append({ kind: 'strategy_note', cause: context.seq, tsUs: context.nowUs, strategy, text });
  }

  plot(strategy: StrategyIndex, instrument: InstrumentIndex, name: string, value: number): void {
    this.#assertInEvent(strategy, 'plot');
    const { context, plots } = this.#parts;
    plots.set({ strategy, instrument, name, tsUs: context.nowUs, value });
  }

  fault(strategy: StrategyIndex, error: unknown, where: string): void {
    const { registry, stops } = this.#parts;
    const fault = { message: errorText(error), where };
    if (registry.isDispatching) stops.stop(strategy, 'fault', fault);
    else stops.stopLater(strategy, 'fault', fault);
  }

  /** A call from a promise or a foreign callback would be in no replay (rulings, 34). */
  #assertInEvent(strategy: StrategyIndex, what: string): void {
    const { registry, stops } = this.#parts;
    if (registry.isDispatching) return;
    const message = `${what} was called outside the event being processed`;
    stops.stopLater(strategy, 'fault', { message, where: what });
    throw new InvariantError(`Invariant: ${message}`);
  }
}
