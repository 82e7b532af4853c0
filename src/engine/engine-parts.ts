/** Puts the engine together: who keeps what, and who may reach whom. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { Actions, Keeper } from './actions.ts';
import { CallQueue } from './call-queue.ts';
import { ClientOrderIds } from './client-order-ids.ts';
import { ChildOrders } from './conditions/child-orders.ts';
import { ConditionDesk } from './conditions/condition-desk.ts';
import { ConditionOwners } from './conditions/condition-owners.ts';
import { ConditionReader } from './conditions/condition-reader.ts';
import { ConditionRowReader } from './conditions/condition-row.ts';
import { ExitCover } from './conditions/exit-cover.ts';
import { ContractTable } from './contract-table.ts';
import { EngineDesk } from './engine-desk.ts';
import { EngineRiskView } from './engine-risk-view.ts';
import { EntryLatch } from './entry-latch.ts';
import { HouseActions } from './house-actions.ts';
import { LossMeasure } from './loss-measure.ts';
import { Market } from './market/market.ts';
import { OrderNews } from './order-news.ts';
import { Adoption } from './orders/adoption.ts';
import { BookReader } from './orders/book-reader.ts';
import { DayEnd } from './orders/day-end.ts';
import { FillSteps } from './orders/fill-steps.ts';
import { OrderDesk } from './orders/order-desk.ts';
import { OrderLife } from './orders/order-life.ts';
import { Orders } from './orders/orders.ts';
import type { OurOrder } from './orders/our-order.ts';
import { Outcomes } from './orders/outcomes.ts';
import { RejectionMemory } from './orders/rejection-memory.ts';
import { RowStatus } from './orders/row-status.ts';
import { SendRate } from './orders/send-rate.ts';
import { Polls } from './polls.ts';
import type { Outbound } from './ports/outbound.ts';
import type { StrategyHost } from './ports/strategy-port.ts';
import { Portfolio } from './positions/portfolio.ts';
import { PositionTruth } from './positions/position-truth.ts';
import { Reads } from './reads.ts';
import { Replay } from './replay.ts';
import { RiskGuard } from './risk/risk-guard.ts';
import { Roster } from './roster.ts';
import { SessionKeeper } from './session/session-keeper.ts';
import { SessionState } from './session-state.ts';
import { StrategyStops } from './strategy-stops.ts';
import type { Guard, RiskView } from './risk-view.ts';
import type { StrategyIndex } from '../domain/units.ts';
import { TimerHeap } from './timer-heap.ts';
import { Turn } from './turn.ts';

export interface EngineOptions {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly host: StrategyHost;
  readonly outbound: Outbound;
}

/** The two colleagues that decide by rules of their own; tests put simpler ones in their place. */
export interface House {
  createGuard(options: EngineOptions): Guard;
  createKeeper(options: EngineOptions, actions: Actions): Keeper;
}

const HOUSE: House = {
  createGuard: ({ settings, calendar, costs }) => new RiskGuard(settings, calendar, costs),
  createKeeper: ({ settings, calendar }, actions) => new SessionKeeper(settings, calendar, actions),
};

export interface EngineParts {
  readonly turn: Turn;
  readonly timers: TimerHeap;
  readonly ids: ClientOrderIds;
  readonly replay: Replay;
  readonly queue: CallQueue;
  readonly news: OrderNews;
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly session: SessionState;
  readonly latch: EntryLatch;
  readonly losses: LossMeasure;
  readonly reads: Reads;
  readonly polls: Polls;
  readonly roster: Roster;
  readonly stops: StrategyStops;
  readonly orders: Orders;
  readonly life: OrderLife;
  readonly fills: FillSteps;
  readonly outcomes: Outcomes;
  readonly orderDesk: OrderDesk;
  readonly adoption: Adoption;
  readonly book: BookReader;
  readonly dayEnd: DayEnd;
  readonly owners: ConditionOwners;
  readonly conditions: ConditionReader;
  readonly children: ChildOrders;
  readonly exitCover: ExitCover;
  readonly portfolio: Portfolio;
  readonly truth: PositionTruth;
  readonly view: RiskView;
  readonly keeper: Keeper;
  readonly desk: EngineDesk;
  /** Letters and matched volume disagreed this often. */
  readonly disagreements: { count: number };
}

/** What needs nothing but the ports. */
function createBase({ settings, calendar, host, outbound }: EngineOptions) {
  const turn = new Turn(outbound.journal);
  const contracts = new ContractTable();
  const market = new Market();
  const orders = new Orders();
  const news = new OrderNews();
  const ids = new ClientOrderIds();
  const replay = new Replay();
  return {
    turn,
    contracts,
    market,
    orders,
    news,
    ids,
    replay,
    timers: new TimerHeap(),
    queue: new CallQueue(ids, replay),
    session: new SessionState(calendar, turn),
    latch: new EntryLatch(turn),
    reads: new Reads(turn, outbound.reports),
    roster: new Roster(settings.strategies, host),
    life: new OrderLife(turn, orders, news),
    portfolio: new Portfolio(contracts, market),
    rate: new SendRate(),
    rejections: new RejectionMemory(),
    disagreements: { count: 0 },
  };
}

function createPolls(base: ReturnType<typeof createBase>, { settings, outbound }: EngineOptions): Polls {
  const { session, orders, market } = base;
  return new Polls({
    ...base,
    settings: settings.poll,
    hasConditions: outbound.conditions !== undefined,
    isIdle: () => session.phase === 'closed' && orders.open.length === 0,
    needsReference: () => market.isLive && !market.isReferenceFresh,
  });
}

/** What reads the conditional book, and tells whose the orders are that it sent. */
function createWaiting(
  base: ReturnType<typeof createBase>,
  { settings: { lookUp }, outbound }: EngineOptions,
  owners: ConditionOwners,
  keyed: (order: OurOrder) => void,
) {
  const { reads, session } = base;
  const rows = new ConditionRowReader({ ...base, lookUp, readBook: () => reads.want('book') });
  return {
    conditions: new ConditionReader({ ...base, owners, lookUp, rows, keyed }),
    children: new ChildOrders({
      ...base,
      lookUp,
      isAvailable: outbound.conditions !== undefined,
      conditionsReadUs: () => session.conditionsReadUs,
      readConditions: () => reads.want('conditions'),
    }),
    exitCover: new ExitCover(base),
  };
}

export function createEngineParts(options: EngineOptions, house: House = HOUSE): EngineParts {
  const { settings, costs, outbound } = options;
  const { lookUp } = settings;
  const base = createBase(options);
  const { turn, session, orders, life, queue, reads, disagreements } = base;
  const tradingDay = () => session.tradingDay();
  const losses = new LossMeasure(base, settings);
  const dayEnd = new DayEnd(orders, life, settings);
  const readPositions = () => reads.want('positions');
  const truth = new PositionTruth({ ...base, readAgain: readPositions });
  // The keeper reads the view, and the view answers for the keeper.
  const isFlattening = (strategy: StrategyIndex): boolean => keeper.isFlattening(strategy);
  const view = new EngineRiskView({ ...base, losses, truth, isFlattening });
  const guard = house.createGuard(options);
  const owners = new ConditionOwners({ ...base, tradingDay });
  const conditionDesk = new ConditionDesk({ ...base, guard, view, owners, gateway: outbound.conditions });
  const { gateway } = outbound;
  const orderDesk = new OrderDesk({
    ...base,
    guard,
    view,
    gateway,
    conditions: conditionDesk,
    readPositions,
  });
  const numbered = orderDesk.sendQueuedCancel.bind(orderDesk);
  const fills = new FillSteps({ ...base, costs, tradingDay });
  const disagreed = () => {
    disagreements.count += 1;
  };
  const rows = new RowStatus({ turn, orders, life, fills, lookUp, disagreed });
  const adoption = new Adoption({ ...base, tradingDay });
  const waiting = createWaiting(base, options, owners, numbered);
  const stops = new StrategyStops(base);
  const keeper = house.createKeeper(options, new HouseActions({ ...base, view, truth, stops }));
  return {
    ...base,
    losses,
    fills,
    truth,
    view,
    orderDesk,
    dayEnd,
    stops,
    outcomes: new Outcomes({
      ...base,
      numbered,
      lookUp: ({ isWaiting }) => reads.want(isWaiting ? 'conditions' : 'book'),
      cancelAgain: ({ strategy, clientOrderId }) => {
        queue.ask(strategy, 'house', { do: 'cancel', clientOrderId });
      },
    }),
    adoption,
    owners,
    ...waiting,
    book: new BookReader({
      turn,
      orders,
      life,
      rows,
      adoption,
      lookUp,
      numbered,
      children: waiting.children,
    }),
    polls: createPolls(base, options),
    keeper,
    desk: new EngineDesk({ ...base, stops }),
  };
}
