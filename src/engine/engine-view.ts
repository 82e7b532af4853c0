/** What follows from the state and is asked for by risk and reconciliation, and answers that need several of its parts. */
import { EngineCore, type EngineOptions } from './engine-core.ts';
import type { Contract } from '../domain/contract.ts';
import { cover, type Cover } from '../domain/cover.ts';
import { CarriedOrders } from './orders/carried-orders.ts';
import { EntryWithdrawal } from './orders/withdrawal.ts';
import { BracketExits } from './orders/exits.ts';
import type { ManagedOrder } from './orders/managed-order.ts';
import { OrderLife } from './orders/order-life.ts';
import { isNumberLost } from './orders/orders.ts';
import { RowOwners } from './orders/row-owners.ts';
import { PositionReconciler } from './positions/position-reconciler.ts';
import { EntryHalt } from './risk/entry-halt.ts';
import { CircuitBreakers, LossLimits } from './risk/halt-limits.ts';
import { isSamePosition, type PositionKey, Targets } from './session/targets.ts';
import { opposite, type Side, signOf } from '../domain/order.ts';
import { type InstrumentIndex, OPERATOR_INDEX, type StrategyIndex } from '../domain/units.ts';

export class EngineView extends EngineCore {
  readonly exits;
  readonly withdrawal;
  readonly halt;
  readonly losses;
  readonly breakers;
  readonly targets = new Targets();
  readonly life;
  readonly carriedOrders;
  readonly rowOwners;
  readonly positionReconciler;

  constructor(options: EngineOptions) {
    super(options);
    this.exits = new BracketExits(this);
    this.withdrawal = new EntryWithdrawal(this, this.exits);
    this.halt = new EntryHalt(this, this.withdrawal);
    this.losses = new LossLimits(this, this.halt);
    this.breakers = new CircuitBreakers(this, this.halt);
    this.life = new OrderLife(this, options.host);
    this.carriedOrders = new CarriedOrders(this, this.exits, this.life);
    this.rowOwners = new RowOwners(this);
    this.positionReconciler = new PositionReconciler(this, this.carriedOrders);
  }
}

/** A key that is renamed does not pass unseen. */
type StrictOmit<T, Key extends keyof T> = Omit<T, Key>;

/** A live view of an order: do not keep it. */
export type OrderView = Readonly<
  StrictOmit<
    ManagedOrder,
    | 'become'
    | 'grow'
    | 'asWorkingOrder'
    | 'markReported'
    | 'activateTrail'
    | 'clearAbsence'
    | 'setClockBack'
    | 'writableExtras'
    | 'writableTrigger'
  >
>;

export const ordersOf = (
  { orders }: Pick<EngineView, 'orders'>,
  position: PositionKey,
): readonly OrderView[] => orders.open.filter((order) => isSamePosition(order, position));

/** Cover of the owner's position by those of its orders that count. */
export function coverOf(
  view: Pick<EngineView, 'orders' | 'portfolio'>,
  position: PositionKey,
  counts: (order: OrderView) => boolean,
): Cover<OrderView> {
  const held = view.portfolio.position(position.strategy, position.instrument).qty;
  return cover(held, ordersOf(view, position).filter(counts), ({ asCover }) => asCover);
}

/** True where the order will end by itself. A presumed absent one may not: a person resolves it, and the guard counts it until then. */
export const mayEnd = ({ status }: OrderView): boolean => status !== 'presumed_absent';

/** At the exchange, or on its way there. */
export const mayFill = (order: OrderView): boolean => !order.isTriggerOrder && mayEnd(order);

export const isNotBeingCanceled = ({ status }: OrderView): boolean => status !== 'pending_cancel';

/** Beyond its expiry and off the broker's list: nothing of it trades. What the list still has is not over, whatever expiry it says. */
export const isOver = (
  { session, contracts }: Pick<EngineView, 'session' | 'contracts'>,
  { index, expiry }: Contract,
): boolean => session.tradingDay() > expiry && contracts.isEnded(index);

/**
 * Why positions do not count as proven (not compared since the start, mismatch, an unproven order), or null. With a contract: those of it, to
 * which an order that is absent in another one does nothing.
 */
export function whyUnproven(
  { rowOwners, positionReconciler, orders }: Pick<EngineView, 'rowOwners' | 'positionReconciler' | 'orders'>,
  instrument: InstrumentIndex | null = null,
): string | null {
  const reason = rowOwners.unproven ?? positionReconciler.unproven();
  if (reason !== null) return reason;
  for (const order of orders.open) {
    const { clientOrderId: id } = order;
    if (order.extras.isContradicted) return `the book contradicts itself about order ${id}`;
    if (isNumberLost(order)) return `order ${id} has a number that another order has too`;
    // No end without evidence, and no entries meanwhile (failure cases, 5).
    if (order.status === 'presumed_absent' && (instrument ?? order.instrument) === order.instrument)
      return `order ${id} is not in the book: resolve it`;
  }
  return null;
}

/**
 * Contracts that open orders of one owner or, null, of the account may still trade on one side: at worst every order fills whole. Orders of
 * unknown fate, presumed absent ones and those with a cancel under way count like any other, until it is proven that they are gone (failure
 * cases, 5 and 7).
 */
export function workingQty(
  { orders }: Pick<EngineView, 'orders'>,
  strategy: StrategyIndex | null,
  instrument: InstrumentIndex,
  side: Side,
  except: OrderView | null = null,
): number {
  let total = 0;
  for (const order of orders.open) {
    if (order.instrument !== instrument || order.side !== side) continue;
    if ((strategy === null || order.strategy === strategy) && order !== except) total += order.exposedQty;
  }
  return total;
}

/** Contracts of exits of one owner or, null, of the account on one side that the broker makes of fills, and the trigger book has not shown yet. */
export function unshownExitQty(
  { orders, exits }: Pick<EngineView, 'orders' | 'exits'>,
  strategy: StrategyIndex | null,
  instrument: InstrumentIndex,
  side: Side,
): number {
  let total = 0;
  for (const bracket of orders.bracketsMissingExits) {
    if (bracket.instrument !== instrument || bracket.side === side) continue;
    if (strategy === null || bracket.strategy === strategy) total += exits.unshownQty(bracket);
  }
  return total;
}

/** Those of one owner that may still come: what enough scans have not shown closes nothing. */
export function awaitedExitQty(
  { orders, exits }: Pick<EngineView, 'orders' | 'exits'>,
  position: PositionKey,
  side: Side,
): number {
  let total = 0;
  for (const bracket of orders.bracketsMissingExits)
    if (isSamePosition(bracket, position) && bracket.side !== side && !exits.areMissing(bracket))
      total += exits.unshownQty(bracket);
  return total;
}

/** Contracts that an exit may close by the broker's own figure, net of the orders that work already; zero when it is old or unknown. */
export function provenQty(
  view: EngineView,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
): number {
  const held = shownQty(view, strategy, instrument, side);
  return Math.max(0, held - workingQty(view, strategy, instrument, side));
}

/** The owner's position by the broker's own figure, without the other owners' positions and manual closes. */
export function shownQty(
  view: EngineView,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
): number {
  const { portfolio, positionReconciler } = view;
  const broker = positionReconciler.brokerQty(instrument);
  if (broker === undefined || !positionReconciler.isFresh) return 0;
  const sign = -signOf(side);
  const held = sign * portfolio.position(strategy, instrument).qty;
  const others = sign * portfolio.accountQty(instrument) - held;
  const left =
    strategy === OPERATOR_INDEX
      ? held - portfolio.closedByHand(instrument, opposite(side))
      : leftToClose(view, strategy, instrument, side);
  return Math.max(0, Math.min(held, sign * broker - others, left));
}

/** Quantity that manual orders left to close, less the exits of other owners. */
export function leftToClose(
  view: Pick<EngineView, 'orders' | 'portfolio'>,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
): number {
  const left = view.portfolio.leftToCloseByHand(instrument, side);
  if (left === Infinity) return left;
  return left - workingQty(view, null, instrument, side) + workingQty(view, strategy, instrument, side);
}
