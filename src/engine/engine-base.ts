/** What of the engine needs nothing but its ports. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { Agenda } from './agenda.ts';
import { CallQueue } from './call-queue.ts';
import { ClientOrderIds } from './client-order-ids.ts';
import { ContractTable } from './contract-table.ts';
import { EntryLatch } from './entry-latch.ts';
import { Market } from './market/market.ts';
import { OrderNews } from './order-news.ts';
import { OrderLife } from './orders/order-life.ts';
import { Orders } from './orders/orders.ts';
import { RejectionMemory } from './orders/rejection-memory.ts';
import { SendRate } from './orders/send-rate.ts';
import type { Outbound } from './ports/outbound.ts';
import type { StrategyHost } from './ports/strategy-port.ts';
import { Portfolio } from './positions/portfolio.ts';
import { Reads } from './reads.ts';
import { Replay } from './replay.ts';
import { Roster } from './roster.ts';
import { SessionState } from './session-state.ts';
import { TimerHeap } from './timer-heap.ts';
import { Turn } from './turn.ts';

export interface EngineOptions {
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly host: StrategyHost;
  readonly outbound: Outbound;
}

export function createBase({ settings, calendar, host, outbound }: EngineOptions) {
  const turn = new Turn(outbound.journal);
  const agenda = new Agenda();
  const contracts = new ContractTable();
  const market = new Market();
  const orders = new Orders(agenda);
  const news = new OrderNews(agenda);
  const ids = new ClientOrderIds();
  const replay = new Replay();
  return {
    turn,
    agenda,
    contracts,
    market,
    orders,
    news,
    ids,
    replay,
    timers: new TimerHeap(agenda),
    queue: new CallQueue(ids, replay, agenda),
    session: new SessionState(calendar, turn),
    latch: new EntryLatch(turn),
    reads: new Reads(turn, outbound.reports),
    roster: new Roster(settings.strategies, host),
    life: new OrderLife(turn, orders, news),
    portfolio: new Portfolio(contracts, market),
    rate: new SendRate(),
    rejections: new RejectionMemory(),
    /** Letters and matched volume disagreed this often. */
    disagreements: { count: 0 },
  };
}

export type EngineBase = ReturnType<typeof createBase>;
