/** Composition of the engine: builds its state once and gives each part its owner. */
import { ReplaceableCalendar, type TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { ContractTable, Market } from './market/market.ts';
import { Adoption, OrderReconciler } from './orders/order-reconciler.ts';
import { EntryWithdrawal, ExitCover } from './orders/withdrawal.ts';
import { BracketExits } from './orders/exits.ts';
import { ClientOrderIds } from './state/client-order-ids.ts';
import { EventContext, IntentQueue } from './state/event-context.ts';
import { CarriedOrders } from './orders/carried-orders.ts';
import { DayEnd, OrderLife } from './orders/order-life.ts';
import { FillSteps } from './orders/fill-steps.ts';
import { OrderExecutor } from './orders/order-executor.ts';
import { Orders } from './orders/orders.ts';
import { RowOwners } from './orders/row-owners.ts';
import { RowReader } from './orders/row-reader.ts';
import type { Outbound } from './ports/outbound.ts';
import type { StrategyHost } from './ports/strategy-port.ts';
import { Portfolio } from './positions/portfolio.ts';
import { MoneyReconciler } from './positions/money-reconciler.ts';
import { PositionReconciler } from './positions/position-reconciler.ts';
import { JournalDecisions, LiveDecisions } from './replay/decisions.ts';
import { CircuitBreakers } from './risk/circuit-breakers.ts';
import { EntryHalt } from './risk/entry-halt.ts';
import { LossLimits } from './risk/loss-limits.ts';
import type { Guard } from './risk/risk-guard.ts';
import { SessionState } from './session/session-state.ts';
import type { EngineView } from './engine-view.ts';
import { Plots, StrategyRegistry } from './session/strategy-registry.ts';
import { DueWork, MarketTimers } from './state/timers.ts';
import { Polls, ReadRequests } from './session/read-requests.ts';
import { StrategyStopper } from './session/strategy-stopper.ts';
import { type Flattener, TargetExecutor } from './session/flattener.ts';
import { Targets } from './session/targets.ts';

export interface EngineOptions {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly host: StrategyHost;
  readonly outbound: Outbound;
}

export type CreateGuard = (view: EngineView) => Guard;

/** Its parts in the order in which they are made: each uses those before it, and sees the others from the first event on. */
export class EngineState implements EngineView {
  readonly settings;
  readonly calendar;
  readonly costs;
  readonly context;
  readonly dueWork = new DueWork();
  readonly timers;
  readonly contracts = new ContractTable();
  readonly market = new Market();
  readonly orders;
  readonly session;
  readonly reads;
  readonly portfolio;
  readonly registry;
  readonly withdrawal;
  readonly halt;
  readonly losses;
  readonly breakers;
  readonly ids = new ClientOrderIds();
  readonly plots;
  readonly queue;
  readonly targets = new Targets<Flattener>();
  readonly targetExecutor;
  /** By strategy and contract: who covers a position that gets no stop for that, in words. */
  readonly coveredByOthers = new Map<string, string>();
  /** By strategy and contract: contracts that should have a stop at the broker now and have none. */
  readonly uncovered = new Map<string, number>();
  readonly life;
  readonly exits;
  readonly carriedOrders;
  readonly rowOwners;
  readonly positionReconciler;
  readonly present;
  readonly past;
  readonly executor;
  readonly fills;
  readonly adoption;
  readonly rows;
  readonly reconciler;
  readonly moneyReconciler;
  readonly stopper;
  readonly exitCover;
  readonly dayEnd;
  readonly polls;

  constructor({ settings, calendar, costs, host, outbound }: EngineOptions, createGuard: CreateGuard) {
    const { journal, reports, gateway, plots } = outbound;
    // Lists of strategies and newer calendars change this engine alone. A spread with a key of its own changes the hidden class of settings
    // from engine to engine, and all code that reads them with it.
    this.settings = Object.assign({}, settings, { strategies: [...settings.strategies] });
    this.calendar = new ReplaceableCalendar(calendar);
    this.costs = costs;
    this.context = new EventContext(journal);
    this.timers = new MarketTimers(this.context, this.dueWork);
    this.orders = new Orders(this.dueWork, this.market, reports.reportsOnce === true);
    this.session = new SessionState(this.calendar, this.context, reports.accountNow);
    this.reads = new ReadRequests(this.context, reports);
    this.portfolio = new Portfolio(this.contracts, this.market);
    this.registry = new StrategyRegistry(this.settings.strategies, host);
    this.withdrawal = new EntryWithdrawal(this);
    this.halt = new EntryHalt(this, this.withdrawal);
    this.losses = new LossLimits(this, this.halt);
    this.breakers = new CircuitBreakers(this, this.halt);
    this.plots = new Plots(plots);
    this.queue = new IntentQueue(this.dueWork);
    this.targetExecutor = new TargetExecutor(this, this.targets);
    this.life = new OrderLife(this, host);
    this.exits = new BracketExits(this);
    this.carriedOrders = new CarriedOrders(this, this.exits, this.life);
    this.rowOwners = new RowOwners(this);
    this.positionReconciler = new PositionReconciler(this, this.carriedOrders);
    const guard = createGuard(this);
    this.present = new LiveDecisions(this.ids, this.queue, guard);
    this.past = new JournalDecisions(this.ids, this.queue, guard, this.life);
    this.context.setDecisions(this.present);
    this.executor = new OrderExecutor(this, gateway, guard, this.past);
    this.fills = new FillSteps(this);
    this.adoption = new Adoption(this, this.ids);
    this.rows = new RowReader(this, this.fills, this.executor);
    this.reconciler = new OrderReconciler(this, this.rows, this.adoption);
    this.moneyReconciler = new MoneyReconciler(this, this.fills, this.adoption);
    this.stopper = new StrategyStopper(this);
    this.exitCover = new ExitCover(this);
    this.dayEnd = new DayEnd(this, this.life);
    this.polls = new Polls(this);
  }
}
