/** Puts the engine together: who keeps what, and who may reach whom. */
import type { Actions, SessionProcedures } from './actions.ts';
import { createBase, type EngineBase, type EngineOptions } from './engine-base.ts';
import { EngineDesk } from './engine-desk.ts';
import { EngineRiskView } from './risk/engine-risk-view.ts';
import { SessionActions } from './session/session-actions.ts';
import { LossLimitBand } from './risk/loss-limit-band.ts';
import { LossMeasure } from './risk/loss-measure.ts';
import { Adoption } from './orders/adoption.ts';
import { BracketExits } from './orders/bracket-exits.ts';
import { ChildOrders } from './orders/child-orders.ts';
import { ExitCover } from './orders/exit-cover.ts';
import { OrderReconciler } from './orders/order-reconciler.ts';
import { RowReader } from './orders/row-reader.ts';
import { DayEnd } from './orders/day-end.ts';
import { FillSteps } from './orders/fill-steps.ts';
import { OrderExecutor } from './orders/order-executor.ts';
import type { OurOrder } from './orders/our-order.ts';
import { CallOutcomes } from './orders/call-outcomes.ts';
import { JournalDecisions } from './replay/journal-decisions.ts';
import { LiveDecisions } from './replay/live-decisions.ts';
import { Polls } from './state/polls.ts';
import { PositionReconciler } from './positions/position-reconciler.ts';
import { RiskGuard } from './risk/risk-guard.ts';
import { SessionController } from './session/session-controller.ts';
import { StrategyStops } from './state/strategy-stops.ts';
import type { Guard, RiskView } from './risk/risk-view.ts';
import type { StrategyIndex } from '../domain/units.ts';

/** The two colleagues that decide by rules of their own; tests put simpler ones in their place. */
export interface EngineDependencies {
  createGuard(options: EngineOptions): Guard;
  createSessionController(options: EngineOptions, actions: Actions): SessionProcedures;
}

const DEFAULTS: EngineDependencies = {
  createGuard: ({ settings, calendar, costs }) => new RiskGuard(settings, calendar, costs),
  createSessionController: ({ settings, calendar }, actions) =>
    new SessionController(settings, calendar, actions),
};

export interface EngineParts extends Omit<EngineBase, 'rate' | 'rejections'> {
  /** Decides about events of the present. */
  readonly present: LiveDecisions;
  /** Decides about events that are replayed. */
  readonly past: JournalDecisions;
  readonly losses: LossMeasure;
  readonly lossBand: LossLimitBand;
  readonly polls: Polls;
  readonly stops: StrategyStops;
  readonly fills: FillSteps;
  readonly outcomes: CallOutcomes;
  readonly executor: OrderExecutor;
  readonly adoption: Adoption;
  readonly reconciler: OrderReconciler;
  readonly dayEnd: DayEnd;
  readonly exits: BracketExits;
  readonly children: ChildOrders;
  readonly exitCover: ExitCover;
  readonly positionReconciler: PositionReconciler;
  readonly view: RiskView;
  readonly controller: SessionProcedures;
  readonly desk: EngineDesk;
}

function createPolls(
  { context, timers, snapshots, session, orders, market }: EngineBase,
  { settings }: EngineOptions,
): Polls {
  return new Polls({
    context,
    timers,
    snapshots,
    settings: settings.poll,
    isIdle: () => session.phase === 'closed' && orders.open.length === 0,
    needsReference: () => market.isLive && !market.isReferenceFresh,
  });
}

/** Compares the broker's books with our orders. */
function createReconciler(
  base: EngineBase,
  { settings: { lookUp } }: EngineOptions,
  fills: FillSteps,
  adoption: Adoption,
  exits: BracketExits,
  numbered: (order: OurOrder) => void,
) {
  const { context, orders, life, snapshots, session, disagreements } = base;
  const children = new ChildOrders({
    context,
    orders,
    life,
    lookUp,
    triggersReadUs: () => session.triggersReadUs,
    readTriggers: () => snapshots.want('triggers'),
  });
  const rows = new RowReader({
    context,
    orders,
    life,
    fills,
    lookUp,
    disagreed: () => {
      disagreements.count += 1;
    },
    readBook: () => snapshots.want('book'),
  });
  const parts = { context, orders, life, rows, adoption, children, exits, lookUp, numbered };
  return { children, reconciler: new OrderReconciler(parts), exitCover: new ExitCover(base) };
}

/** What the guard and the keeper look at. */
function createView(
  base: EngineBase,
  losses: LossMeasure,
  positionReconciler: PositionReconciler,
  isFlattening: (strategy: StrategyIndex) => boolean,
): RiskView {
  const { context, session, contracts, market, orders, portfolio, halt, registry, rate, rejections } = base;
  return new EngineRiskView({
    context,
    session,
    contracts,
    market,
    orders,
    portfolio,
    positionReconciler,
    halt,
    losses,
    registry,
    rate,
    rejections,
    isFlattening,
  });
}

/** Decisions are made by the risk guard, and in a replay by the journal. */
function createDecisions({ context, ids, queue }: EngineBase, guard: Guard, view: RiskView) {
  const present = new LiveDecisions({ ids, queue, guard, view });
  context.decideBy(present);
  return { present, past: new JournalDecisions({ ids, queue, live: present }) };
}

/** What calls go through on their way out. */
function createOrderDesk(
  { context, orders, life, news, rate, snapshots }: EngineBase,
  { outbound }: EngineOptions,
  guard: Guard,
  view: RiskView,
  exits: BracketExits,
): OrderExecutor {
  const { gateway } = outbound;
  const readPositions = () => snapshots.want('positions');
  return new OrderExecutor({
    context,
    orders,
    life,
    news,
    guard,
    view,
    gateway,
    rate,
    exits,
    readPositions,
  });
}

function createOutcomes(
  { context, orders, life, rejections, snapshots }: EngineBase,
  past: JournalDecisions,
  numbered: (order: OurOrder) => void,
): CallOutcomes {
  return new CallOutcomes({
    context,
    orders,
    life,
    rejections,
    numbered,
    isLost: (callId) => past.isLost(callId),
    lookUp: ({ isWaiting }) => snapshots.want(isWaiting ? 'triggers' : 'book'),
    cancelAgain: ({ strategy, clientOrderId }) => {
      context.ask(strategy, 'system', { do: 'cancel', clientOrderId });
    },
  });
}

/** Each gets what it names, key by key: objects made by spreading differ in kind from engine to engine, and each look at one costs. */
export function createEngineParts(options: EngineOptions, house: EngineDependencies = DEFAULTS): EngineParts {
  const { settings, costs } = options;
  const { lookUp } = settings;
  const base = createBase(options);
  const { context, session, orders, life, snapshots, contracts, market, portfolio, disagreements } = base;
  const { dueWork, registry, queue, halt, timers, news, ids } = base;
  const tradingDay = () => session.tradingDay();
  const losses = new LossMeasure(base, settings);
  const dayEnd = new DayEnd(orders, life, settings);
  const positionReconciler = new PositionReconciler({
    context,
    contracts,
    portfolio,
    readAgain: () => snapshots.want('positions'),
  });
  // The keeper reads the view, and the view answers for the keeper.
  const view = createView(base, losses, positionReconciler, (strategy) => controller.isFlattening(strategy));
  const exits = new BracketExits({ context, orders, lookUp });
  const guard = house.createGuard(options);
  const { present, past } = createDecisions(base, guard, view);
  const executor = createOrderDesk(base, options, guard, view, exits);
  const numbered = executor.sendQueuedCancel.bind(executor);
  const fills = new FillSteps({ context, contracts, market, portfolio, life, costs, tradingDay });
  const adoption = new Adoption({ context, contracts, market, orders, tradingDay });
  const compare = createReconciler(base, options, fills, adoption, exits, numbered);
  const { children, reconciler, exitCover } = compare;
  const stops = new StrategyStops(base);
  const actions = { context, view, registry, portfolio, positionReconciler, snapshots, halt, stops, timers };
  const controller = house.createSessionController(options, new SessionActions(actions));
  return {
    context,
    dueWork,
    timers,
    ids,
    present,
    past,
    queue,
    news,
    contracts,
    market,
    session,
    halt,
    losses,
    lossBand: new LossLimitBand({ contracts, market, portfolio, halt, losses }, settings),
    snapshots,
    polls: createPolls(base, options),
    registry,
    stops,
    orders,
    life,
    fills,
    outcomes: createOutcomes(base, past, numbered),
    executor,
    adoption,
    reconciler,
    dayEnd,
    exits,
    children,
    exitCover,
    portfolio,
    positionReconciler,
    view,
    controller,
    desk: new EngineDesk({ context, session, market, orders, portfolio, registry, stops, timers }),
    disagreements,
  };
}
