/**
 * The worst that can happen: every open order fills whole. Orders of unknown fate, presumed absent ones and those with a
 * cancel under way count like any other, until it is proven that they are gone (failure cases, 5 and 7).
 */
import { opposite, type Side, signOf } from '../../domain/order.ts';
import { type InstrumentIndex, OPERATOR_INDEX, type StrategyIndex } from '../../domain/units.ts';
import type { EngineView, OrderView } from '../engine-view.ts';

/** Contracts that open orders of one owner or, null, of the account may still trade on one side. */
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
  const own = sign * portfolio.position(strategy, instrument).qty;
  const others = sign * portfolio.accountQty(instrument) - own;
  const left =
    strategy === OPERATOR_INDEX
      ? own - portfolio.closedByHand(instrument, opposite(side))
      : leftToClose(view, strategy, instrument, side);
  return Math.max(0, Math.min(own, sign * broker - others, left));
}

/** Quantity that manual orders left to close, less the exits of other owners. */
function leftToClose(
  view: Pick<EngineView, 'orders' | 'portfolio'>,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
): number {
  const left = view.portfolio.leftByHand(instrument, side);
  if (left === Infinity) return left;
  return left - workingQty(view, null, instrument, side) + workingQty(view, strategy, instrument, side);
}
