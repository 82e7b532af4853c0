/** Puts the engine together: who keeps what, and who may reach whom. */
import type { Actions, Keeper } from './actions.ts';
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
export interface House {
  createGuard(options: EngineOptions): Guard;
  createKeeper(options: EngineOptions, actions: Actions): Keeper;
}

const HOUSE: House = {
  createGuard: ({ settings, calendar, costs }) => new RiskGuard(settings, calendar, costs),
  createKeeper: ({ settings, calendar }, actions) => new SessionController(settings, calendar, actions),
};

export interface EngineParts extends Omit<EngineBase, 'rate' | 'rejections'> {
  /** Decides about events of the present. */
  readonly present: LiveDecisions;
  /** Decides about events that are replayed. */
  readonly past: JournalDecisions;
  readonly losses: LossMeasure;
  readonly cover: LossLimitBand;
  readonly polls: Polls;
  readonly stops: StrategyStops;
  readonly fills: FillSteps;
  readonly outcomes: CallOutcomes;
  readonly orderDesk: OrderExecutor;
  readonly adoption: Adoption;
  readonly reconciler: OrderReconciler;
  readonly dayEnd: DayEnd;
  readonly exits: BracketExits;
  readonly children: ChildOrders;
  readonly exitCover: ExitCover;
  readonly truth: PositionReconciler;
  readonly view: RiskView;
  readonly keeper: Keeper;
  readonly desk: EngineDesk;
}

function createPolls(
  { turn, timers, reads, session, orders, market }: EngineBase,
  { settings }: EngineOptions,
): Polls {
  return new Polls({
    turn,
    timers,
    reads,
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
  const { turn, orders, life, reads, session, disagreements } = base;
  const children = new ChildOrders({
    turn,
    orders,
    life,
    lookUp,
    triggersReadUs: () => session.triggersReadUs,
    readTriggers: () => reads.want('triggers'),
  });
  const rows = new RowReader({
    turn,
    orders,
    life,
    fills,
    lookUp,
    disagreed: () => {
      disagreements.count += 1;
    },
    readBook: () => reads.want('book'),
  });
  const parts = { turn, orders, life, rows, adoption, children, exits, lookUp, numbered };
  return { children, reconciler: new OrderReconciler(parts), exitCover: new ExitCover(base) };
}

/** What the guard and the keeper look at. */
function createView(
  base: EngineBase,
  losses: LossMeasure,
  truth: PositionReconciler,
  isFlattening: (strategy: StrategyIndex) => boolean,
): RiskView {
  const { turn, session, contracts, market, orders, portfolio, latch, roster, rate, rejections } = base;
  return new EngineRiskView({
    turn,
    session,
    contracts,
    market,
    orders,
    portfolio,
    truth,
    latch,
    losses,
    roster,
    rate,
    rejections,
    isFlattening,
  });
}

/** Decisions are made by the risk guard, and in a replay by the journal. */
function createDecisions({ turn, ids, queue }: EngineBase, guard: Guard, view: RiskView) {
  const present = new LiveDecisions({ ids, queue, guard, view });
  turn.decideBy(present);
  return { present, past: new JournalDecisions({ ids, queue, live: present }) };
}

/** What calls go through on their way out. */
function createOrderDesk(
  { turn, orders, life, news, rate, reads }: EngineBase,
  { outbound }: EngineOptions,
  guard: Guard,
  view: RiskView,
  exits: BracketExits,
): OrderExecutor {
  const { gateway } = outbound;
  const readPositions = () => reads.want('positions');
  return new OrderExecutor({
    turn,
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
  { turn, orders, life, rejections, reads }: EngineBase,
  past: JournalDecisions,
  numbered: (order: OurOrder) => void,
): CallOutcomes {
  return new CallOutcomes({
    turn,
    orders,
    life,
    rejections,
    numbered,
    isLost: (callId) => past.isLost(callId),
    lookUp: ({ isWaiting }) => reads.want(isWaiting ? 'triggers' : 'book'),
    cancelAgain: ({ strategy, clientOrderId }) => {
      turn.ask(strategy, 'house', { do: 'cancel', clientOrderId });
    },
  });
}

/** Each gets what it names, key by key: objects made by spreading differ in kind from engine to engine, and each look at one costs. */
export function createEngineParts(options: EngineOptions, house: House = HOUSE): EngineParts {
  const { settings, costs } = options;
  const { lookUp } = settings;
  const base = createBase(options);
  const { turn, session, orders, life, reads, contracts, market, portfolio, disagreements } = base;
  const { agenda, roster, queue, latch, timers, news, ids } = base;
  const tradingDay = () => session.tradingDay();
  const losses = new LossMeasure(base, settings);
  const dayEnd = new DayEnd(orders, life, settings);
  const truth = new PositionReconciler({
    turn,
    contracts,
    portfolio,
    readAgain: () => reads.want('positions'),
  });
  // The keeper reads the view, and the view answers for the keeper.
  const view = createView(base, losses, truth, (strategy) => keeper.isFlattening(strategy));
  const exits = new BracketExits({ turn, orders, lookUp });
  const guard = house.createGuard(options);
  const { present, past } = createDecisions(base, guard, view);
  const orderDesk = createOrderDesk(base, options, guard, view, exits);
  const numbered = orderDesk.sendQueuedCancel.bind(orderDesk);
  const fills = new FillSteps({ turn, contracts, market, portfolio, life, costs, tradingDay });
  const adoption = new Adoption({ turn, contracts, market, orders, tradingDay });
  const compare = createReconciler(base, options, fills, adoption, exits, numbered);
  const { children, reconciler, exitCover } = compare;
  const stops = new StrategyStops(base);
  const actions = { turn, view, roster, portfolio, truth, reads, latch, stops, timers };
  const keeper = house.createKeeper(options, new SessionActions(actions));
  return {
    turn,
    agenda,
    timers,
    ids,
    present,
    past,
    queue,
    news,
    contracts,
    market,
    session,
    latch,
    losses,
    cover: new LossLimitBand({ contracts, market, portfolio, latch, losses }, settings),
    reads,
    polls: createPolls(base, options),
    roster,
    stops,
    orders,
    life,
    fills,
    outcomes: createOutcomes(base, past, numbered),
    orderDesk,
    adoption,
    reconciler,
    dayEnd,
    exits,
    children,
    exitCover,
    portfolio,
    truth,
    view,
    keeper,
    desk: new EngineDesk({ turn, session, market, orders, portfolio, roster, stops, timers }),
    disagreements,
  };
}
