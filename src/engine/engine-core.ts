/**
 * The parts of the engine in three layers, each made once: the state that nearly all read, below; what follows from it and is asked for by
 * risk and reconciliation (`EngineView`); what the engine and the procedures of its session set to work (`EngineState`). A part uses those
 * made before it.
 */
import { ReplaceableCalendar, type TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { Money, SignedQty } from '../domain/units.ts';
import { ContractTable, Market } from './market/market.ts';
import { Orders } from './orders/orders.ts';
import type { Outbound } from './ports/outbound.ts';
import type { StrategyHost } from './ports/strategy-port.ts';
import { type HeldPosition, Portfolio } from './positions/portfolio.ts';
import { ReadRequests, SessionState } from './session/session-state.ts';
import { StrategyRegistry } from './session/strategy-registry.ts';
import { DueWork, EventContext } from './state/event-context.ts';
import { MarketTimers } from './state/timers.ts';

export interface EngineOptions {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly host: StrategyHost;
  readonly outbound: Outbound;
}

/** Each part changes by its own events alone. */
export class EngineCore {
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

  constructor({ settings, calendar, costs, host, outbound }: EngineOptions) {
    const { journal, reports } = outbound;
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
  }
}

/** Changes a position without a fill, `qty` as added to it and `value` zero or more. */
export function changeWithoutFill(
  { portfolio, context }: Pick<EngineCore, 'portfolio' | 'context'>,
  { strategy, instrument }: Pick<HeldPosition, 'strategy' | 'instrument'>,
  event: 'adopted' | 'settled' | 'forced_close',
  qty: SignedQty,
  value: Money,
): void {
  portfolio.addWithoutFill(strategy, event, instrument, qty, value);
  context.append({ ...context.head(strategy), kind: 'position_event', event, instrument, qty, value });
}
