/**
 * The worst that can happen: every open order fills whole. Orders of unknown fate, presumed absent ones and those with a
 * cancel under way count like any other, until it is proven that they are gone (failure cases, 5 and 7).
 */
import { type Side, signOf } from '../../domain/order.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import {
  type InstrumentIndex,
  OPERATOR_INDEX,
  type StrategyIndex,
  strategyIndex,
} from '../../domain/units.ts';
import type { OrderView, RiskView } from './risk-view.ts';
import type { RiskRequest } from './risk-rule.ts';

/** Contracts that open orders of one owner may still trade on one side. */
export function workingQty(
  view: RiskView,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
  except: OrderView | null,
): number {
  let total = 0;
  for (const order of view.openOrders()) {
    if (order.strategy !== strategy || order.instrument !== instrument || order.side !== side) continue;
    if (order.clientOrderId !== except?.clientOrderId) total += order.exposedQty;
  }
  return total;
}

/** The owner's position on the side of the request, if everything on that side fills; below zero it is on the other side. */
export function worstOf(view: RiskView, owner: StrategyIndex, request: RiskRequest): number {
  const { contract, side, changed, strategy, exposedQty } = request;
  const held = signOf(side) * view.position(owner, contract.index).qty;
  const working = workingQty(view, owner, contract.index, side, changed);
  return held + working + (owner === strategy ? exposedQty : 0);
}

/**
 * The account's position on the side of the request at worst. Opposite positions of two strategies are not set off against
 * each other: either may be closed at any time, by an order that no limit may deny. So the limit holds whatever happens next.
 */
export function accountWorstOf(
  view: RiskView,
  strategies: readonly StrategySettings[],
  request: RiskRequest,
): number {
  let total = Math.max(0, worstOf(view, OPERATOR_INDEX, request));
  for (let i = 0; i < strategies.length; i += 1)
    total += Math.max(0, worstOf(view, strategyIndex(i), request));
  return total;
}
