/** What of the engine needs nothing but its ports. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { DueWork } from './state/due-work.ts';
import { IntentQueue } from './orders/intent-queue.ts';
import { ClientOrderIds } from './orders/client-order-ids.ts';
import { ContractTable } from './state/contract-table.ts';
import { EntryHalt } from './risk/entry-halt.ts';
import { Market } from './market/market.ts';
import { OrderUpdates } from './orders/order-updates.ts';
import { OrderLife } from './orders/order-life.ts';
import { Orders } from './orders/orders.ts';
import { RejectionMemory } from './orders/rejection-memory.ts';
import { SendRate } from './orders/send-rate.ts';
import type { Outbound } from './ports/outbound.ts';
import type { StrategyHost } from './ports/strategy-port.ts';
import { Portfolio } from './positions/portfolio.ts';
import { Snapshots } from './state/snapshots.ts';
import { StrategyRegistry } from './state/strategy-registry.ts';
import { SessionState } from './session/session-state.ts';
import { TimerHeap } from './state/timer-heap.ts';
import { EventContext } from './state/event-context.ts';

export interface EngineOptions {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly host: StrategyHost;
  readonly outbound: Outbound;
}

export function createBase({ settings, calendar, host, outbound }: EngineOptions) {
  const context = new EventContext(outbound.journal);
  const dueWork = new DueWork();
  const contracts = new ContractTable();
  const market = new Market();
  const orders = new Orders(dueWork);
  const news = new OrderUpdates(dueWork);
  const ids = new ClientOrderIds();
  return {
    context,
    dueWork,
    contracts,
    market,
    orders,
    news,
    ids,
    timers: new TimerHeap(dueWork),
    queue: new IntentQueue(dueWork),
    session: new SessionState(calendar, context),
    halt: new EntryHalt(context),
    snapshots: new Snapshots(context, outbound.reports),
    registry: new StrategyRegistry(settings.strategies, host),
    life: new OrderLife(context, orders, news),
    portfolio: new Portfolio(contracts, market),
    rate: new SendRate(),
    rejections: new RejectionMemory(),
    /** Letters and matched volume disagreed this often. */
    disagreements: { count: 0 },
  };
}

export type EngineBase = ReturnType<typeof createBase>;
