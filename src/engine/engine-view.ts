/** The state that the engine's parts share, read-only: each part changes by its own events alone. */
import type { CostSchedule } from '../domain/costs.ts';
import type { EngineSettings } from '../domain/settings.ts';
import { cover, type Cover } from '../domain/cover.ts';
import type { Market } from './market/market.ts';
import type { EarlierOrders } from './orders/earlier-orders.ts';
import type { EntryWithdrawal } from './orders/entry-withdrawal.ts';
import type { BracketExits } from './orders/exits.ts';
import type { ManagedOrder } from './orders/managed-order.ts';
import type { OrderLife } from './orders/order-life.ts';
import type { Orders } from './orders/orders.ts';
import type { RowOwners } from './orders/row-owners.ts';
import type { SnapshotRequests } from './ports/outbound.ts';
import type { Portfolio } from './positions/portfolio.ts';
import type { PositionReconciler } from './positions/position-reconciler.ts';
import type { EntryHalt } from './risk/entry-halt.ts';
import type { LossLimits } from './risk/loss-limits.ts';
import type { SessionState } from './session/session-state.ts';
import type { StrategyRegistry } from './session/strategy-registry.ts';
import { isSamePosition, type ProtectedPosition, type Targets } from './session/targets.ts';
import type { ContractTable } from './state/contract-table.ts';
import type { EventContext } from './state/event-context.ts';

export interface EngineView {
  readonly context: EventContext;
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly orders: Orders;
  readonly rowOwners: RowOwners;
  readonly life: OrderLife;
  readonly entries: EntryWithdrawal;
  readonly exits: BracketExits;
  readonly earlier: EarlierOrders;
  readonly portfolio: Portfolio;
  readonly positionReconciler: PositionReconciler;
  readonly session: SessionState;
  readonly snapshots: SnapshotRequests;
  readonly registry: StrategyRegistry;
  readonly targets: Targets;
  readonly halt: EntryHalt;
  readonly losses: LossLimits;
  readonly settings: EngineSettings;
  readonly costs: CostSchedule;
}

/** A live view of an order: do not keep it. */
export type OrderView = Readonly<
  Omit<
    ManagedOrder,
    | 'become'
    | 'grow'
    | 'working'
    | 'isFirstReport'
    | 'follow'
    | 'isShown'
    | 'setClockBack'
    | 'inDoubt'
    | 'ownTrigger'
  >
>;

export const ordersOf = (
  { orders }: Pick<EngineView, 'orders'>,
  position: ProtectedPosition,
): readonly OrderView[] => orders.open.filter((order) => isSamePosition(order, position));

/** Cover of the owner's position by those of its orders that count. */
export function coverOf(
  view: Pick<EngineView, 'orders' | 'portfolio'>,
  position: ProtectedPosition,
  counts: (order: OrderView) => boolean,
): Cover<OrderView> {
  const held = view.portfolio.position(position.strategy, position.instrument).qty;
  return cover(held, ordersOf(view, position).filter(counts), ({ asCover }) => asCover);
}

/** Its end may be awaited. A presumed absent order may never end by itself: a person resolves it, and until then the guard counts it. */
export const mayEnd = ({ status }: OrderView): boolean => status !== 'presumed_absent';

export const isStaying = ({ status }: OrderView): boolean => status !== 'pending_cancel';

/** Why positions do not count as proven (not compared since the start, mismatch, an unproven order), or null. */
export function whyUnproven({
  rowOwners,
  positionReconciler,
  orders,
}: Pick<EngineView, 'rowOwners' | 'positionReconciler' | 'orders'>): string | null {
  const reason = rowOwners.unproven() ?? positionReconciler.unproven();
  if (reason !== null) return reason;
  if (orders.contradicted !== null)
    return `the book contradicts itself about order ${orders.contradicted.clientOrderId}`;
  if (orders.numberLost !== null)
    return `order ${orders.numberLost.clientOrderId} has a number that another order has too`;
  if (orders.presumedAbsent === null) return null;
  // No end without evidence, and no entries meanwhile (failure cases, 5).
  return `order ${orders.presumedAbsent.clientOrderId} is not in the book: resolve it`;
}
