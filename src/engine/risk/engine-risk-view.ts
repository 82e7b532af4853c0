/** The engine's answers to the guard and the keeper, gathered from where each is kept. */
import type { BrokerAccount } from '../../domain/broker-order.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract, PriceBand } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { Position } from '../../domain/position.ts';
import type { BookTick, TradeTick } from '../../domain/ticks.ts';
import type { InstrumentIndex, Money, Seq, SignedQty, StrategyIndex, TsUs } from '../../domain/units.ts';
import type { ContractTable } from '../state/contract-table.ts';
import type { EntryHalt } from './entry-halt.ts';
import type { LossMeasure } from './loss-measure.ts';
import type { Market } from '../market/market.ts';
import type { Orders } from '../orders/orders.ts';
import type { RejectionMemory } from '../orders/rejection-memory.ts';
import type { SendRate } from '../orders/send-rate.ts';
import type { Portfolio } from '../positions/portfolio.ts';
import type { PositionReconciler } from '../positions/position-reconciler.ts';
import type { OrderView, RejectionRecord, RiskView } from './risk-view.ts';
import type { StrategyRegistry } from '../state/strategy-registry.ts';
import type { SessionState } from '../session/session-state.ts';
import type { EventContext } from '../state/event-context.ts';

export interface RiskViewParts {
  readonly context: EventContext;
  readonly session: SessionState;
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly positionReconciler: PositionReconciler;
  readonly halt: EntryHalt;
  readonly losses: LossMeasure;
  readonly registry: StrategyRegistry;
  readonly rate: SendRate;
  readonly rejections: RejectionMemory;
  readonly isFlattening: (strategy: StrategyIndex) => boolean;
}

export class EngineRiskView implements RiskView {
  readonly #parts: RiskViewParts;

  constructor(parts: RiskViewParts) {
    this.#parts = parts;
  }

  nowUs(): TsUs {
    return this.#parts.context.nowUs;
  }

  seq(): Seq {
    return this.#parts.context.seq;
  }

  tradingDay(): TradingDay {
    return this.#parts.session.tradingDay();
  }

  phase(): SessionPhase {
    return this.#parts.session.phase;
  }

  contract(instrument: InstrumentIndex): Contract | undefined {
    return this.#parts.contracts.at(instrument);
  }

  contracts(): readonly Contract[] {
    return this.#parts.contracts.all;
  }

  band(instrument: InstrumentIndex): PriceBand | undefined {
    return this.#parts.market.band(instrument);
  }

  lastTrade(instrument: InstrumentIndex): TradeTick | undefined {
    return this.#parts.market.lastTrade(instrument);
  }

  lastBook(instrument: InstrumentIndex): BookTick | undefined {
    return this.#parts.market.lastBook(instrument);
  }

  dataAgeUs(instrument: InstrumentIndex): number {
    return this.#parts.context.nowUs - this.#parts.market.seenUs(instrument);
  }

  isStreamLive(): boolean {
    return this.#parts.market.isLive;
  }

  isReferenceFresh(): boolean {
    return this.#parts.market.isReferenceFresh;
  }

  order(id: ClientOrderId): OrderView | undefined {
    return this.#parts.orders.get(id);
  }

  openOrders(): readonly OrderView[] {
    return this.#parts.orders.open;
  }

  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position {
    return this.#parts.portfolio.position(strategy, instrument);
  }

  accountQty(instrument: InstrumentIndex): SignedQty {
    return this.#parts.portfolio.accountQty(instrument);
  }

  brokerQty(instrument: InstrumentIndex): SignedQty | undefined {
    return this.#parts.positionReconciler.brokerQty(instrument);
  }

  positionsReadUs(): number {
    return this.#parts.positionReconciler.readUs;
  }

  triggersReadUs(): number {
    return this.#parts.session.triggersReadUs;
  }

  bookReadUs(): number {
    return this.#parts.session.bookReadUs;
  }

  unproven(): string | null {
    const { positionReconciler, orders } = this.#parts;
    const reason = positionReconciler.unproven();
    if (reason !== null || orders.presumedAbsent === null) return reason;
    // No end without evidence, and no entries meanwhile (failure cases, 5).
    return `order ${orders.presumedAbsent.clientOrderId} is not in the book: resolve it`;
  }

  account(): BrokerAccount | undefined {
    return this.#parts.session.account;
  }

  accountReadUs(): number {
    return this.#parts.session.accountReadUs;
  }

  dayPnl(strategy: StrategyIndex): Money {
    return this.#parts.portfolio.dayPnl(strategy);
  }

  accountDayPnl(): Money {
    return this.#parts.portfolio.accountDayPnl();
  }

  lossOf(strategy: StrategyIndex): Money {
    return this.#parts.losses.of(strategy);
  }

  accountLoss(): Money {
    return this.#parts.losses.ofAccount();
  }

  isStopping(): boolean {
    return this.#parts.halt.isStopping;
  }

  halted(): string | null {
    return this.#parts.halt.reason;
  }

  latched(strategy: StrategyIndex): string | null {
    return this.#parts.halt.strategyReason(strategy);
  }

  isFlattening(strategy: StrategyIndex): boolean {
    return this.#parts.isFlattening(strategy);
  }

  isStopped(strategy: StrategyIndex): boolean {
    return this.#parts.registry.isStopped(strategy);
  }

  sentWithin(spanUs: number): number {
    return this.#parts.rate.within(spanUs, this.#parts.context.nowUs);
  }

  rejections(strategy: StrategyIndex, intent: OrderIntent): RejectionRecord | undefined {
    return this.#parts.rejections.of(strategy, intent);
  }

  clockSkewUs(): number {
    return this.#parts.session.clockSkewUs;
  }
}
