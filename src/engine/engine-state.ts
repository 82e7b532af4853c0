/** Composition of the engine: builds its state once and gives each part its owner. */
import { CalendarInUse, type TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { Market } from './market/market.ts';
import { Adoption } from './orders/adoption.ts';
import { ExitCover } from './orders/exit-cover.ts';
import { BracketExits } from './orders/exits.ts';
import { ClientOrderIds } from './state/client-order-ids.ts';
import { IntentQueue } from './state/intent-queue.ts';
import { EarlierOrders } from './orders/earlier-orders.ts';
import { DayEnd, OrderLife } from './orders/order-life.ts';
import { EntryWithdrawal } from './orders/entry-withdrawal.ts';
import { FillSteps } from './orders/fill-steps.ts';
import { OrderExecutor } from './orders/order-executor.ts';
import { OrderReconciler } from './orders/order-reconciler.ts';
import { Orders } from './orders/orders.ts';
import { RowOwners } from './orders/row-owners.ts';
import { RowReader } from './orders/row-reader.ts';
import type { Outbound } from './ports/outbound.ts';
import type { StrategyHost } from './ports/strategy-port.ts';
import { Portfolio } from './positions/portfolio.ts';
import { MoneyReconciler } from './positions/money-reconciler.ts';
import { PositionReconciler } from './positions/position-reconciler.ts';
import { JournalDecisions } from './replay/journal-decisions.ts';
import { LiveDecisions } from './replay/live-decisions.ts';
import { CircuitBreakers } from './risk/circuit-breakers.ts';
import { EntryHalt } from './risk/entry-halt.ts';
import { LossLimits } from './risk/loss-limits.ts';
import type { Guard } from './risk/risk-guard.ts';
import { SessionState } from './session/session-state.ts';
import { ContractTable } from './state/contract-table.ts';
import type { EngineView } from './engine-view.ts';
import { Plots } from './state/plots.ts';
import { DueWork, Timers } from './state/timers.ts';
import { EventContext } from './state/event-context.ts';
import { Polls, Snapshots } from './session/snapshots.ts';
import { StrategyRegistry } from './session/strategy-registry.ts';
import { StrategyStops } from './session/strategy-stops.ts';
import { Targets } from './session/targets.ts';

export interface EngineOptions {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly host: StrategyHost;
  readonly outbound: Outbound;
}

export type CreateGuard = (view: EngineView) => Guard;

type Base = ReturnType<typeof createBase>;

/** State that needs nothing but the ports. One literal: objects made by spreading have a hidden class each, and every access costs. */
function createBase({ settings, calendar, costs, host, outbound }: ReturnType<typeof withOwnSettings>) {
  const context = new EventContext(outbound.journal);
  const dueWork = new DueWork();
  const timers = new Timers(context, dueWork);
  const contracts = new ContractTable();
  const market = new Market();
  const orders = new Orders(dueWork, market, outbound.reports.reportsOnce === true);
  const session = new SessionState(calendar, context, outbound.reports.accountNow);
  const snapshots = new Snapshots(context, outbound.reports);
  const portfolio = new Portfolio(contracts, market);
  const registry = new StrategyRegistry(settings.strategies, host);
  const entries = new EntryWithdrawal(context, orders, portfolio);
  const halt = new EntryHalt(context, entries, registry);
  const losses = new LossLimits(context, contracts, market, portfolio, halt, settings);
  const { lookUp } = settings;
  const life = new OrderLife(context, orders, dueWork, host);
  const exits = new BracketExits(context, contracts, orders, session, lookUp);
  const earlier = new EarlierOrders(context, contracts, orders, portfolio, session, exits, life, lookUp);
  return {
    context,
    dueWork,
    contracts,
    market,
    orders,
    session,
    snapshots,
    portfolio,
    entries,
    halt,
    losses,
    breakers: new CircuitBreakers(context, halt, settings.risk),
    costs,
    settings,
    calendar,
    ids: new ClientOrderIds(),
    timers,
    plots: new Plots(outbound.plots),
    queue: new IntentQueue(dueWork),
    registry,
    targets: new Targets(),
    /** By strategy and contract: who covers a position that gets no stop for that, in words. */
    coveredByOthers: new Map<string, string>(),
    /** By strategy and contract: contracts that should have a stop at the broker now and have none. */
    uncovered: new Map<string, number>(),
    life,
    exits,
    earlier,
    rowOwners: new RowOwners(context, orders, session, snapshots, lookUp),
    positionReconciler: new PositionReconciler(context, contracts, portfolio, earlier, snapshots),
    gateway: outbound.gateway,
  };
}

/** Compares the broker's answers and books with our orders. */
function createReconciler(base: Base, executor: OrderExecutor) {
  const fills = new FillSteps(base);
  const adoption = new Adoption(base, base.ids);
  const rows = new RowReader(base, fills, executor);
  return { fills, rows, adoption, reconciler: new OrderReconciler(base, rows, adoption) };
}

/** Lists of strategies and newer calendars change this engine alone. */
const withOwnSettings = (given: EngineOptions) => ({
  ...given,
  calendar: new CalendarInUse(given.calendar),
  settings: { ...given.settings, strategies: [...given.settings.strategies] },
});

export type EngineState = ReturnType<typeof createEngineState>;

export function createEngineState(given: EngineOptions, createGuard: CreateGuard) {
  const options = withOwnSettings(given);
  const { settings } = options;
  const base = createBase(options);
  const { context, orders, life, ids, queue } = base;
  const guard = createGuard(base);
  const present = new LiveDecisions(ids, queue, guard);
  const past = new JournalDecisions(ids, queue, present, life);
  context.decideBy(present);
  const executor = new OrderExecutor(base, base.breakers, base.gateway, guard, past);
  const compared = createReconciler(base, executor);
  return Object.assign(base, compared, {
    moneyReconciler: new MoneyReconciler(base, compared.fills, compared.adoption),
    present,
    past,
    executor,
    stops: new StrategyStops(base, base.dueWork, base.timers),
    exitCover: new ExitCover(base),
    dayEnd: new DayEnd(orders, life, settings),
    polls: new Polls(base, base.snapshots, base.timers),
  });
}
