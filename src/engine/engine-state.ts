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

type OwnOptions = ReturnType<typeof withOwnSettings>;
type Base = ReturnType<typeof createBase>;

/** Needs nothing but the ports. */
function createCore({ settings, calendar, costs, host, outbound }: OwnOptions) {
  const context = new EventContext(outbound.journal);
  const dueWork = new DueWork();
  const contracts = new ContractTable();
  const market = new Market();
  return {
    context,
    dueWork,
    timers: new MarketTimers(context, dueWork),
    contracts,
    market,
    orders: new Orders(dueWork, market, outbound.reports.reportsOnce === true),
    session: new SessionState(calendar, context, outbound.reports.accountNow),
    reads: new ReadRequests(context, outbound.reports),
    portfolio: new Portfolio(contracts, market),
    registry: new StrategyRegistry(settings.strategies, host),
    /** Lists of strategies change it. */
    settings,
    costs,
  };
}

/** The parts that rest on it. One literal: objects made by spreading have a hidden class each, and an order takes more from assigned ones. */
function createBase(options: OwnOptions) {
  const { settings, calendar, host, outbound } = options;
  const core = createCore(options);
  const withdrawal = new EntryWithdrawal(core);
  const halt = new EntryHalt(core, withdrawal);
  const life = new OrderLife(core, host);
  const exits = new BracketExits(core);
  const carriedOrders = new CarriedOrders(core, exits, life);
  return {
    context: core.context,
    dueWork: core.dueWork,
    timers: core.timers,
    contracts: core.contracts,
    market: core.market,
    orders: core.orders,
    session: core.session,
    reads: core.reads,
    portfolio: core.portfolio,
    registry: core.registry,
    settings,
    costs: core.costs,
    calendar,
    withdrawal,
    halt,
    losses: new LossLimits(core, halt),
    breakers: new CircuitBreakers(core, halt),
    ids: new ClientOrderIds(),
    plots: new Plots(outbound.plots),
    queue: new IntentQueue(core.dueWork),
    targets: new Targets<Flattener>(),
    /** By strategy and contract: who covers a position that gets no stop for that, in words. */
    coveredByOthers: new Map<string, string>(),
    /** By strategy and contract: contracts that should have a stop at the broker now and have none. */
    uncovered: new Map<string, number>(),
    life,
    exits,
    carriedOrders,
    rowOwners: new RowOwners(core),
    positionReconciler: new PositionReconciler(core, carriedOrders),
    gateway: outbound.gateway,
  };
}

function createReconciler(base: Base, executor: OrderExecutor) {
  const fills = new FillSteps(base);
  const adoption = new Adoption(base, base.ids);
  const rows = new RowReader(base, fills, executor);
  return { fills, rows, adoption, reconciler: new OrderReconciler(base, rows, adoption) };
}

/** Lists of strategies and newer calendars change this engine alone. */
const withOwnSettings = (given: EngineOptions) => ({
  ...given,
  calendar: new ReplaceableCalendar(given.calendar),
  // A spread with a key of its own changes its hidden class from engine to engine, and all code that reads settings with it.
  settings: Object.assign({}, given.settings, { strategies: [...given.settings.strategies] }),
});

export type EngineState = ReturnType<typeof createEngineState>;

export function createEngineState(given: EngineOptions, createGuard: CreateGuard) {
  const base = createBase(withOwnSettings(given));
  const { context, life, ids, queue } = base;
  const guard = createGuard(base);
  const present = new LiveDecisions(ids, queue, guard);
  const past = new JournalDecisions(ids, queue, guard, life);
  context.setDecisions(present);
  const executor = new OrderExecutor(base, base.gateway, guard, past);
  const compared = createReconciler(base, executor);
  return Object.assign(base, compared, {
    moneyReconciler: new MoneyReconciler(base, compared.fills, compared.adoption),
    present,
    past,
    executor,
    targetExecutor: new TargetExecutor(base, base.targets),
    stopper: new StrategyStopper(base),
    exitCover: new ExitCover(base),
    dayEnd: new DayEnd(base, life),
    polls: new Polls(base),
  });
}
