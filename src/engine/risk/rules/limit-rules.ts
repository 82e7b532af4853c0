import { assert } from '../../../domain/assert.ts';
import { CEILING_NONE, ratesOf, valueOf } from '../../../domain/contract.ts';
import { initialMargin } from '../../../domain/costs.ts';
import { signOf } from '../../../domain/order.ts';
import { type InstrumentIndex, priceTicks } from '../../../domain/units.ts';
import type { Denial } from '../../ports/denial.ts';
import { accountBoundOf, accountWorstOf, workingQty, worstOf } from '../exposure.ts';
import type { RiskRequest, RiskRule, RiskScene } from '../risk-rule.ts';
import type { OrderView } from '../risk-view.ts';
import { lastPrice } from './price-rules.ts';
/** How large a position may become at worst. */

/** No entries on an unproven position (failure cases, 16). */
export const positionUnproven: RiskRule = {
  name: 'position_unproven',
  appliesTo: 'entry',
  check(_, { view }) {
    const reason = view.unproven();
    return reason === null ? undefined : { code: 'position_unproven', reason };
  },
};

export const strategyPositionLimit: RiskRule = {
  name: 'strategy_position_limit',
  appliesTo: 'entry',
  check(request, { view, strategy }) {
    const worst = worstOf(view, request.strategy, request);
    const max = strategy?.risk.positionMax ?? 0;
    return worst <= max ? undefined : { code: 'strategy_position_limit', worst, max };
  },
};

export const accountPositionLimit: RiskRule = {
  name: 'account_position_limit',
  appliesTo: 'entry',
  check(request, { view, settings }) {
    const max = settings.risk.accountPositionMax;
    if (accountBoundOf(view, request) <= max) return undefined;
    const worst = accountWorstOf(view, settings.strategies, request);
    return worst <= max ? undefined : { code: 'account_position_limit', worst, max };
  },
};

/** Realised + open - costs of the day (rulings, 37). The session controller sets the halt that outlives the day. */
export const dailyLoss: RiskRule = {
  name: 'daily_loss',
  appliesTo: 'entry',
  check({ strategy: owner }, { view, strategy, settings }) {
    const denial = lostTooMuch(view.lossOf(owner), strategy?.risk.dailyLossMax ?? 0);
    const max = settings.risk.accountDailyLossMax;
    if (denial !== undefined || view.accountLossAtMost() < max) return denial;
    return lostTooMuch(view.accountLoss(), max);
  },
};

const lostTooMuch = (loss: number, max: number): Denial | undefined =>
  loss < max ? undefined : { code: 'daily_loss', loss, max };

export const accountUnknown: RiskRule = {
  name: 'account_unknown',
  appliesTo: 'entry',
  check(_, { view, settings }) {
    const ageUs = view.nowUs() - view.accountReadUs();
    const maxUs = settings.risk.accountAgeMax;
    return ageUs <= maxUs ? undefined : { code: 'account_unknown', ageUs, maxUs };
  },
};

/** A part of the broker's buying power, less the margin of our orders since it was read. */
export const margin: RiskRule = {
  name: 'margin',
  appliesTo: 'entry',
  check(request, scene) {
    const { view, settings } = scene;
    const needed = neededMargin(request, scene);
    if (needed === 0) return undefined;
    const account = view.account();
    assert(account !== undefined, 'an unknown account is denied before margin is asked');
    const free = Math.floor((account.buyingPower * settings.risk.marginUseBps) / 10_000);
    const available = free - unreflectedMargin(request, scene);
    return needed <= available ? undefined : { code: 'margin', needed, available };
  },
};

/** Margin of the part that opens; the part that closes the account's position needs none. */
function neededMargin(request: RiskRequest, scene: RiskScene): number {
  const { contract, limitPrice, changed, exposedQty } = request;
  const added = exposedQty - (changed === null ? 0 : reflectedQty(changed, scene));
  const opening = added - closingQty(request, scene);
  return marginOf(contract.index, limitPrice, opening, scene);
}

/** Contracts of the account's position that orders on this side would close, beyond those that work already. */
function closingQty({ contract: { index }, side, changed }: RiskRequest, { view }: RiskScene): number {
  const held = -signOf(side) * view.accountQty(index);
  return held <= 0 ? 0 : Math.max(0, held - workingQty(view, null, index, side, changed));
}

function unreflectedMargin({ changed }: RiskRequest, scene: RiskScene): number {
  let total = 0;
  for (const order of scene.view.openOrders()) {
    if (order.clientOrderId === changed?.clientOrderId || order.purpose === 'reduce') continue;
    const price = Math.max(order.limitPrice, order.pendingPrice ?? 0);
    total += marginOf(order.instrument, price, order.exposedQty - reflectedQty(order, scene), scene);
  }
  return total;
}

/**
 * Quantity of an order that the broker's figure includes. A figure that was read cannot hold an order that was sent after it, has no
 * number yet, or waits for a price, nor an increase sent since; one of the moment holds all that has arrived.
 */
function reflectedQty(order: OrderView, { view }: RiskScene): number {
  const { orderNo, isWaiting, createdUs, leavesQty, exposedQty, filledQty } = order;
  const { grownUs = -Infinity, grownFrom = 0 } = order;
  const arrivedUs = view.arrivedUs();
  const knownUs = arrivedUs ?? view.accountReadUs();
  if (isWaiting === true || createdUs >= knownUs || (arrivedUs === null && orderNo === null)) return 0;
  if (grownUs < knownUs) return arrivedUs === null ? leavesQty : exposedQty;
  return Math.min(leavesQty, Math.max(0, grownFrom - filledQty));
}

/** At the order's price or the market's, the dearer of both; a market order has none of its own. */
function marginOf(
  instrument: InstrumentIndex,
  price: number,
  contracts: number,
  { view, costs }: RiskScene,
): number {
  const contract = view.contract(instrument);
  if (contract === undefined || contracts <= 0) return 0;
  const ask = price >= CEILING_NONE ? (lastPrice(view, contract) ?? price) : price;
  const atLeast = Math.max(ask, view.tradedPrice(instrument) ?? 0);
  const value = valueOf(contract.spec, priceTicks(atLeast), contracts);
  return initialMargin(ratesOf(contract.spec, costs), view.tradingDay(), value, contracts);
}
