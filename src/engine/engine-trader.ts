/** How strategies trade: calls are queued, answers are about the event being processed. */
import { errorText } from '../domain/failure.ts';
import { InvariantError } from '../domain/assert.ts';
import type { SessionPhase, TradingCalendar } from '../domain/calendar.ts';
import { type Contract, type PriceBand, ratesOf, valueOf } from '../domain/contract.ts';
import { initialMargin } from '../domain/costs.ts';
import type { ClientOrderId } from '../domain/ids.ts';
import { type ModifyIntent, type OrderIntent, type Side, signOf } from '../domain/order.ts';
import type { Position } from '../domain/position.ts';
import type { BookTick, TradeTick } from '../domain/ticks.ts';
import {
  addUs,
  type DurationUs,
  type InstrumentIndex,
  type Money,
  type PriceTicks,
  priceTicks,
  type StrategyIndex,
  type TsUs,
} from '../domain/units.ts';
import type { TraderPort, TimerId, WorkingOrder } from './ports/strategy-port.ts';
import { marketPrice } from './risk/risk-rules.ts';
import type { EngineState } from './engine-state.ts';

export class EngineTrader implements TraderPort {
  readonly #state: EngineState;

  constructor(state: EngineState) {
    this.#state = state;
  }

  submit(strategy: StrategyIndex, intent: OrderIntent): ClientOrderId {
    this.#assertInEvent(strategy, 'submit');
    return this.#state.context.decisions.propose(strategy, 'strategy', { do: 'submit', intent });
  }

  modify(strategy: StrategyIndex, change: ModifyIntent): void {
    this.#assertInEvent(strategy, 'modify');
    this.#state.context.decisions.propose(strategy, 'strategy', { do: 'modify', change });
  }

  cancel(strategy: StrategyIndex, order: ClientOrderId): void {
    this.#assertInEvent(strategy, 'cancel');
    this.#state.context.decisions.propose(strategy, 'strategy', { do: 'cancel', clientOrderId: order });
  }

  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position {
    return this.#state.portfolio.position(strategy, instrument);
  }

  workingOrders(strategy: StrategyIndex): readonly WorkingOrder[] {
    const working: WorkingOrder[] = [];
    for (const order of this.#state.orders.open) {
      if (order.strategy === strategy && !order.isProtective) working.push(order.asWorkingOrder());
    }
    return working;
  }

  equity(): Money | undefined {
    return this.#state.session.account.figures?.netAssetValue;
  }

  marginOfLot(contract: Contract): Money | undefined {
    const { market, session, costs } = this.#state;
    const price = market.lastOrReference(contract);
    if (price === undefined || session.day === null) return undefined;
    const value = valueOf(contract.spec, priceTicks(Math.ceil(price)), 1);
    return initialMargin(ratesOf(contract.spec, costs), session.day, value, 1);
  }

  nowUs(): TsUs {
    return this.#state.context.nowUs;
  }

  phase(): SessionPhase {
    return this.#state.session.phase;
  }

  calendar(): TradingCalendar {
    return this.#state.calendar.copy;
  }

  leg(strategy: StrategyIndex, leg: number): Contract {
    return this.#state.registry.leg(strategy, leg);
  }

  band(instrument: InstrumentIndex): PriceBand | undefined {
    return this.#state.market.of(instrument).band;
  }

  marketPrice(strategy: StrategyIndex, contract: Contract, side: Side, trigger?: PriceTicks): PriceTicks {
    const { market, settings, portfolio } = this.#state;
    // The collar binds what opens a position.
    const isClosing = portfolio.position(strategy, contract.index).qty * signOf(side) < 0;
    return marketPrice(market, settings, contract, side, isClosing ? trigger : undefined);
  }

  hasBooks(): boolean {
    return this.#state.settings.isOnBars !== true;
  }

  lastTrade(instrument: InstrumentIndex): TradeTick | undefined {
    return this.#state.market.of(instrument).last.tick(instrument);
  }

  lastBook(instrument: InstrumentIndex): BookTick | undefined {
    return this.#state.market.of(instrument).book.last;
  }

  setTimer(strategy: StrategyIndex, after: DurationUs): TimerId {
    this.#assertInEvent(strategy, 'setTimer');
    const { timers, context } = this.#state;
    return timers.set(strategy, addUs(context.nowUs, after));
  }

  clearTimer(timer: TimerId): void {
    this.#state.timers.clear(timer);
  }

  note(strategy: StrategyIndex, text: string): void {
    this.#assertInEvent(strategy, 'note');
    const { context } = this.#state;
    context.append({ kind: 'strategy_note', ...context.head(strategy), text });
  }

  plot(strategy: StrategyIndex, instrument: InstrumentIndex, name: string, value: number): void {
    this.#assertInEvent(strategy, 'plot');
    const { context, plots } = this.#state;
    plots.set({ strategy, instrument, name, tsUs: context.nowUs, value });
  }

  fault(strategy: StrategyIndex, error: unknown, where: string): void {
    const { registry, stopper } = this.#state;
    const fault = { message: errorText(error), where };
    if (registry.isDispatching) stopper.stop(strategy, 'fault', fault);
    else stopper.stopLater(strategy, fault);
  }

  /** A call from a promise or a foreign callback would be in no replay (rulings, 34). */
  #assertInEvent(strategy: StrategyIndex, what: string): void {
    const { registry, stopper } = this.#state;
    if (registry.isDispatching) return;
    const message = `${what} was called outside the event being processed`;
    stopper.stopLater(strategy, { message, where: what });
    throw new InvariantError(`Invariant: ${message}`);
  }
}
