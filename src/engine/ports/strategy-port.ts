/**
 * The interface between engine and strategies. `src/strategy` implements `StrategyHost`, the engine `TraderPort`: calls to it inside a
 * dispatch are queued and drained after the event.
 */
import type { SessionPhase, TradingCalendar } from '../../domain/calendar.ts';
import type { Contract, PriceBand } from '../../domain/contract.ts';
import type { ClientOrderId } from '../../domain/ids.ts';
import type { ModifyIntent, OrderIntent, OrderStatus, Side } from '../../domain/order.ts';
import type { Position } from '../../domain/position.ts';
import type { BookTick, DaySummary, FeedGap, TradeTick } from '../../domain/ticks.ts';
import type {
  Brand,
  DurationUs,
  InstrumentIndex,
  Money,
  PriceTicks,
  Qty,
  StrategyIndex,
  TsUs,
} from '../../domain/units.ts';
import type { Denial } from './denial.ts';

export type TimerId = Brand<number, 'TimerId'>;

/** Update of one order, to the strategy that owns it. */
export interface OrderUpdate {
  readonly clientOrderId: ClientOrderId;
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly status: OrderStatus;
  readonly qty: Qty;
  /** The worst price that is acceptable. */
  readonly limitPrice: PriceTicks;
  /** All that it filled so far. */
  readonly filledQty: Qty;
  readonly filledValue: Money;
  /** This quantity may still fill. */
  readonly leavesQty: Qty;
  /** Filled by this update, zero for a mere change of status. */
  readonly lastFilledQty: Qty;
  readonly lastFilledValue: Money;
  /** Why our own rules refused it. */
  readonly denial: Denial | null;
  /** The broker's words for a refusal that is new with this update, empty when none. */
  readonly reason: string;
  /** The order that sent or brought this one: a stop its limit order, a bracket its exits; absent without one. */
  readonly parent?: ClientOrderId;
  /** Where it triggers, of an order that waits for a price; of a trailing stop that is not active yet its activation price. */
  readonly triggerPrice?: PriceTicks;
}

/** Updates that strategies receive once the event has changed all state, never in between. */
export interface StrategyUpdate {
  readonly strategy: StrategyIndex;
  readonly update: OrderUpdate;
}

export interface WorkingOrder extends OrderUpdate {
  /** When it was placed: its age is `trader.time() - sinceUs`. */
  readonly sinceUs: TsUs;
  /** The strategy placed it before it was changed (`reload`, a restart), and would not have placed it as it is now. */
  readonly isLeftBehind: boolean;
}

export interface PhaseChange {
  readonly tsUs: TsUs;
  readonly phase: SessionPhase;
}

/** The price stream came up, went down, or is up without prices (`stale`): trades in between were missed, whether or not a gap is found later. */
export interface FeedChange {
  readonly tsUs: TsUs;
  readonly state: 'live' | 'stale' | 'down';
}

/** A strategy's contract changed (rollover): `leg` is the place of the symbol in its configuration. */
export interface LegChange {
  readonly leg: number;
  readonly contract: Contract;
}

/** Handlers of one contract's messages, over all strategies. */
export interface ContractListeners {
  readonly hasBookListener: boolean;
  trade(tick: TradeTick): void;
}

export interface StrategyHost {
  /** Absent for one that hung or broke an engine of this session. */
  hasCodeOf(strategy: StrategyIndex): boolean;
  /** Called once, after the contract table is known; the host connects each strategy. */
  start(trader: TraderPort): void;
  onTrade(tick: TradeTick): void;
  onBook(tick: BookTick): void;
  /** The same object each time. */
  listenersOf(instrument: InstrumentIndex): ContractListeners;
  onSummary(summary: DaySummary): void;
  onGap(gap: FeedGap): void;
  onPhase(change: PhaseChange): void;
  onFeed(change: FeedChange): void;
  onLegs(strategy: StrategyIndex, legs: readonly LegChange[]): void;
  /** A strategy listens to its orders; without one no update is made. */
  hasOrderListener(strategy: StrategyIndex): boolean;
  onOrder(strategy: StrategyIndex, update: OrderUpdate): void;
  onTimer(strategy: StrategyIndex, timer: TimerId): void;
  /** Drops every subscription of the strategy; nothing reaches it any more. */
  stop(strategy: StrategyIndex): void;
}

export interface TraderPort {
  submit(strategy: StrategyIndex, intent: OrderIntent): ClientOrderId;
  modify(strategy: StrategyIndex, change: ModifyIntent): void;
  cancel(strategy: StrategyIndex, order: ClientOrderId): void;
  /** The strategy's own position: its fills and the position carried over. */
  position(strategy: StrategyIndex, instrument: InstrumentIndex): Position;
  workingOrders(strategy: StrategyIndex): readonly WorkingOrder[];
  /** Worth of the account with its open positions; undefined before it was read. */
  equity(): Money | undefined;
  /** Margin of one lot at the last price, or its value where it is paid in full; undefined before there is a price. */
  marginOfLot(contract: Contract): Money | undefined;
  nowUs(): TsUs;
  phase(): SessionPhase;
  calendar(): TradingCalendar;
  leg(strategy: StrategyIndex, leg: number): Contract;
  band(instrument: InstrumentIndex): PriceBand | undefined;
  /** Limit of an order that takes any price, at its `trigger` where it has one. */
  marketPrice(strategy: StrategyIndex, contract: Contract, side: Side, trigger?: PriceTicks): PriceTicks;
  hasBooks(): boolean;
  lastTrade(instrument: InstrumentIndex): TradeTick | undefined;
  lastBook(instrument: InstrumentIndex): BookTick | undefined;
  setTimer(strategy: StrategyIndex, after: DurationUs): TimerId;
  clearTimer(timer: TimerId): void;
  note(strategy: StrategyIndex, text: string): void;
  plot(strategy: StrategyIndex, instrument: InstrumentIndex, name: string, value: number): void;
  /** A guarded handler threw: the engine stops the strategy, cancels its working orders and alerts. */
  fault(strategy: StrategyIndex, error: unknown, where: string): void;
}
