/** State that most parts read, and the one way to change a position without a fill. `EngineView` and `EngineState` add to it. */
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import type { Money, SignedQty } from '../domain/units.ts';
import type { ContractTable, Market } from './market/market.ts';
import type { Orders } from './orders/orders.ts';
import type { ReadRequester } from './ports/outbound.ts';
import type { HeldPosition, Portfolio } from './positions/portfolio.ts';
import type { SessionState } from './session/session-state.ts';
import type { StrategyRegistry } from './session/strategy-registry.ts';
import type { EventContext } from './state/event-context.ts';
import type { DueWork, MarketTimers } from './state/timers.ts';

export interface EngineCore {
  readonly context: EventContext;
  readonly dueWork: DueWork;
  readonly timers: MarketTimers;
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly orders: Orders;
  readonly session: SessionState;
  readonly reads: ReadRequester;
  readonly portfolio: Portfolio;
  readonly registry: StrategyRegistry;
  readonly settings: EngineSettings;
  readonly costs: CostSchedule;
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
