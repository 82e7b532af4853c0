/** Rules on the number and rate of orders, and against trades with ourselves. */
import { isMarketLimit } from '../../../domain/contract.ts';
import type { OrderIntent, Side } from '../../../domain/order.ts';
import { priceTicks, qty, US_PER_MINUTE, US_PER_SECOND } from '../../../domain/units.ts';
import type { Denial } from '../../ports/denial.ts';
import type { OrderView, RiskView } from '../risk-view.ts';
import type { RiskRequest, RiskRule } from '../risk-rule.ts';
import { lastPrice } from './price-rules.ts';

/** A change opens no order; a reduction is bounded by the position it shrinks. */
export const openOrdersLimit: RiskRule = {
  name: 'open_orders_limit',
  appliesTo: 'entry',
  check({ strategy: owner, changed }, { view, strategy, settings }) {
    if (changed !== null) return undefined;
    const all = view.openOrders();
    let own = 0;
    let others = 0;
    for (const order of all) {
      if (order.isProtective === true) continue;
      if (order.strategy === owner) own += 1;
      else others += 1;
    }
    return (
      aboveMax(own, strategy?.risk.openOrdersMax ?? 0) ?? aboveMax(own + others, settings.risk.openOrdersMax)
    );
  },
};

const aboveMax = (open: number, max: number): Denial | undefined =>
  open < max ? undefined : { code: 'open_orders_limit', open, max };

/** Two windows that slide with market time; changes count like orders. */
export const orderRate: RiskRule = {
  name: 'order_rate',
  appliesTo: 'entry',
  check: (_, { view, settings: { risk } }) =>
    tooMany(view, risk.ordersPerSecondMax, US_PER_SECOND) ??
    tooMany(view, risk.ordersPerMinuteMax, US_PER_MINUTE),
};

function tooMany(view: RiskView, max: number, perUs: number): Denial | undefined {
  const orders = view.sentWithin(perUs);
  return orders < max ? undefined : { code: 'order_rate', orders, max, perUs };
}

/**
 * No trade with ourselves, across all strategies (rulings, 40). An entry keeps away from any order that may be resting; an exit
 * only from those known to rest, so that an order of unknown fate cannot trap a position. An exit that waits for its trigger
 * will meet the orders that rest then; orders that the market reaches before the trigger of a waiting entry are gone by then.
 */
export const ownCross: RiskRule = {
  name: 'own_cross',
  appliesTo: 'entry_and_reduce',
  check(request, { view, purpose, settings }) {
    if (settings.risk.selfTradePrevention === false) return undefined;
    if (request.isWaiting && purpose === 'reduce') return undefined;
    const order = crossedOrder(view, request, purpose === 'entry');
    if (order === undefined) return undefined;
    return { code: 'own_cross', price: request.limitPrice, restingPrice: nearestPrice(order) };
  },
};

/** The first open order that the request would trade with. */
export function crossedOrder(
  view: RiskView,
  request: Pick<RiskRequest, 'contract' | 'side' | 'limitPrice' | 'otherPrices' | 'isWaiting'>,
  withUnknown: boolean,
): OrderView | undefined {
  const { contract, side } = request;
  const last = lastPrice(view, contract);
  const limitPrice = reachOf(side, request.limitPrice, last);
  const trigger = request.isWaiting ? request.otherPrices?.[0] : undefined;
  for (const order of view.openOrders()) {
    if (order.instrument !== contract.index || order.side === side || order.exposedQty === 0) continue;
    if (order.isWaiting === true && order.status !== 'triggering') continue;
    if (!withUnknown && (order.orderNo === null || order.isWaiting === true)) continue;
    const resting = reachOf(order.side, nearestPrice(order), last);
    const isMet = side === 'buy' ? limitPrice >= resting : limitPrice <= resting;
    if (isMet && (trigger === undefined || (side === 'buy' ? resting >= trigger : resting <= trigger)))
      return order;
  }
  return undefined;
}

/** A market order takes the price of the market, and what rests behind that it does not reach. */
const reachOf = (side: Side, limit: number, last: number | undefined): number =>
  last !== undefined && isMarketLimit(side, limit) ? last : limit;

/** While a change of price is open either price may be resting: the one nearer to the other side counts. */
function nearestPrice({ side, limitPrice, pendingPrice }: OrderView): number {
  if (pendingPrice === null) return limitPrice;
  return side === 'buy' ? Math.max(limitPrice, pendingPrice) : Math.min(limitPrice, pendingPrice);
}

/** Identical order, identical rejection: after a few of them one probe a minute (failure cases, 32). */
export const sameRejection: RiskRule = {
  name: 'same_rejection',
  appliesTo: 'entry_and_reduce',
  check(request, { view, settings }) {
    const record = view.rejections(request.strategy, intentOf(request));
    if (record === undefined || record.count < settings.risk.sameRejectionsMax) return undefined;
    if (view.nowUs() - record.lastUs >= US_PER_MINUTE) return undefined;
    return { code: 'same_rejection', rejections: record.count, text: record.text };
  },
};

/** The request as an intent, after the rules on shape have passed. */
const intentOf = ({ contract, side, qty: contracts, limitPrice }: RiskRequest): OrderIntent => ({
  kind: 'limit',
  instrument: contract.index,
  side,
  qty: qty(contracts),
  limitPrice: priceTicks(limitPrice),
  reason: '',
});
