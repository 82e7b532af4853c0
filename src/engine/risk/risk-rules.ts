/**
 * All rules in the order of checking; the first refusal is the denial. Malformed orders come first, then permissions, hours, market,
 * positions, money, and last the limits on rates, so that a refused order names its most basic fault. Tests depend on this order.
 */
import { assert } from '../../domain/assert.ts';
import type { SessionPhase } from '../../domain/calendar.ts';
import {
  CEILING_NONE,
  type Contract,
  isMarketLimit,
  marketLimit,
  ratesOf,
  valueOf,
} from '../../domain/contract.ts';
import { initialMargin } from '../../domain/costs.ts';
import { type Side, signOf } from '../../domain/order.ts';
import type { EngineSettings, StrategySettings } from '../../domain/settings.ts';
import {
  addUs,
  BPS,
  bpsOf,
  OPERATOR_INDEX,
  strategyIndex,
  type PriceTicks,
  priceTicks,
  US_PER_MINUTE,
  US_PER_SECOND,
} from '../../domain/units.ts';
import { type Market, touchOf } from '../market/market.ts';
import {
  type EngineView,
  leftToClose,
  unshownExitQty,
  type OrderView,
  whyUnproven,
  workingQty,
} from '../engine-view.ts';
import type { Denial } from '../ports/denial.ts';
import type { RiskRequest } from './risk-request.ts';

/** Calls that a rule may stop (rulings, 36): all, all but reductions, or only new orders that reduce nothing. */
type Scope = 'all' | 'entry' | 'new_entry';

type RiskCheck = (request: RiskRequest) => Denial | undefined;

interface RiskRule {
  readonly appliesTo: Scope;
  readonly check: RiskCheck;
}

export const RISK_RULES: Readonly<Partial<Record<Denial['code'], RiskRule>>> = {
  qty_not_positive: {
    appliesTo: 'all',
    check: ({ qty }) =>
      Number.isSafeInteger(qty) && qty > 0 ? undefined : { code: 'qty_not_positive', qty },
  },
  price_off_grid: {
    appliesTo: 'all',
    check(request) {
      const price = firstDisallowedPrice(request, isOffGrid);
      return price === undefined ? undefined : { code: 'price_off_grid', price };
    },
  },
  qty_above_max: {
    // The exchange's largest order and ours; a larger position is closed in several orders, and protected by one.
    appliesTo: 'all',
    check({ qty, contract, isProtective, settings }) {
      const ours = isProtective ? Infinity : settings.risk.orderQtyMax;
      const max = Math.min(ours, contract.spec.orderQtyMax);
      return qty <= max ? undefined : { code: 'qty_above_max', qty, max };
    },
  },
  strategy_stopped: {
    // A stopped strategy sends nothing; exits that the system sends or changes for it go on.
    appliesTo: 'all',
    check: (request) =>
      request.view.registry.isStopped(request.strategy) && !isSystemExit(request)
        ? { code: 'strategy_stopped' }
        : undefined,
  },
  stopping: {
    // While the daemon is stopping, strategies send nothing: a call in flight would be left behind.
    appliesTo: 'all',
    check: (request) =>
      request.view.halt.isStopping && !isSystemExit(request) ? { code: 'stopping' } : undefined,
  },
  halted: {
    appliesTo: 'entry',
    check({ strategy, view: { halt } }) {
      const reason = halt.reason ?? halt.strategyReason(strategy);
      return reason === null ? undefined : { code: 'halted', reason };
    },
  },
  calendar_ended: {
    // Past its last day the calendar knows no holidays (rulings, 5).
    appliesTo: 'entry',
    check({ day, view: { calendar } }) {
      const { validTo } = calendar;
      return day <= validTo ? undefined : { code: 'calendar_ended', validTo, tradingDay: day };
    },
  },
  contract_expired: {
    // What the broker still lists is not over, whatever expiry the list has: its position may be closed.
    appliesTo: 'all',
    check: ({ day, purpose, contract: { index, expiry }, view: { contracts } }) =>
      day <= expiry || (purpose === 'reduce' && !contracts.isEnded(index))
        ? undefined
        : { code: 'contract_expired', expiry, tradingDay: day },
  },
  contract_unknown: {
    appliesTo: 'entry',
    check: ({ strategy, contract, view: { registry } }) =>
      registry.lacksMonth(strategy) ? { code: 'contract_unknown', instrument: contract.index } : undefined,
  },
  session_closed: {
    /*
     * Continuous trading allows everything; an auction allows reductions, and entries where the settings allow them, but no change;
     * break and night allow nothing. For an entry near an edge the stricter of our clock and the broker's counts (rulings, 28).
     * Where trading goes on over midnight, nothing is sent beside orders that ended unseen with the day: they may still rest.
     */
    appliesTo: 'all',
    check(request) {
      const { session } = request.view;
      const ours = session.hasUnprovenEnds ? 'closed' : session.phase;
      if (!isPhaseAllowed(ours, request)) return { code: 'session_closed', phase: ours };
      if (request.purpose === 'reduce') return undefined;
      const brokers = brokersPhase(request);
      return isPhaseAllowed(brokers, request) ? undefined : { code: 'session_closed', phase: brokers };
    },
  },
  closing_out: {
    // No new entries while the session controller closes positions and withdraws orders; nothing that would rest in the way of an exit.
    appliesTo: 'all',
    check(request) {
      const { purpose, strategy, view } = request;
      const isEntry = purpose === 'entry';
      const { targets } = view;
      const isClosing =
        targets.all.length > 0 && (wouldBlockExit(request) || (isEntry && targets.isFlattening(strategy)));
      if (isClosing) return { code: 'closing_out', because: 'flatten' };
      return isEntry ? (closeOutDenial(request) ?? auctionDenial(request)) : undefined;
    },
  },
  clock_skew: {
    appliesTo: 'entry',
    check({ view: { session }, settings }) {
      const stepUs = session.clockStepUs;
      const skewUs = stepUs === 0 ? session.clockSkewUs : -stepUs;
      const maxUs = settings.risk.clockSkewMax;
      return Math.abs(skewUs) <= maxUs ? undefined : { code: 'clock_skew', skewUs, maxUs };
    },
  },
  stream_down: {
    appliesTo: 'entry',
    check: ({ view: { market } }) => (market.isLive ? undefined : { code: 'stream_down' }),
  },
  band_unknown: {
    // Entries wait for the reference prices after every connect (rulings, 20).
    appliesTo: 'entry',
    check: ({ view: { market }, instrument, band }) =>
      market.isReferenceFresh && band !== undefined && market.of(instrument).bandUs === market.referenceUs
        ? undefined
        : { code: 'band_unknown' },
  },
  book_unknown: {
    // After a disconnect the prices of before are not traded on (failure cases, 23).
    appliesTo: 'entry',
    check: ({ view: { market }, instrument }) =>
      market.of(instrument).book.isAwaited ? { code: 'book_unknown' } : undefined,
  },
  price_outside_band: {
    // The band of the day is the exchange's: it holds for exits too, whenever it is known.
    appliesTo: 'all',
    check(request) {
      const price = firstDisallowedPrice(request, isOutsideBand);
      const { band } = request;
      if (price === undefined || band === undefined) return undefined;
      return { code: 'price_outside_band', price, floor: band.floor, ceiling: band.ceiling };
    },
  },
  data_stale: {
    appliesTo: 'entry',
    check({ view: { market }, nowUs, instrument, settings }) {
      const ageUs = nowUs - market.of(instrument).seenUs;
      const maxUs = settings.risk.dataAgeMax;
      return ageUs <= maxUs ? undefined : { code: 'data_stale', ageUs, maxUs };
    },
  },
  price_outside_collar: {
    // Against the last trade; a contract that has not traded yet is measured against its reference price.
    appliesTo: 'entry',
    check(request) {
      const { last } = request;
      assert(last !== undefined, 'without a reference price the band is unknown');
      const price = firstDisallowedPrice(request, isOutsideCollar);
      if (price === undefined) return undefined;
      return {
        code: 'price_outside_collar',
        price,
        last,
        collarBps: bpsOf(request.settings.risk.collarPercent),
      };
    },
  },
  position_unproven: {
    // No entries on an unproven position (failure cases, 16).
    appliesTo: 'entry',
    check(request) {
      const reason = whyUnproven(request.view) ?? whyClosed(request);
      return reason === null ? undefined : { code: 'position_unproven', reason };
    },
  },
  strategy_position_limit: {
    appliesTo: 'entry',
    check(request) {
      const worst = worstOf(request);
      const max = request.ownerSettings?.risk.positionMax ?? 0;
      return worst <= max ? undefined : { code: 'strategy_position_limit', worst, max };
    },
  },
  account_position_limit: {
    appliesTo: 'entry',
    check(request) {
      const { strategies, risk } = request.settings;
      const max = risk.positionMax;
      if (accountBoundOf(request) <= max) return undefined;
      const worst = accountWorstOf(strategies, request);
      return worst <= max ? undefined : { code: 'account_position_limit', worst, max };
    },
  },
  open_orders_limit: {
    // A change opens no order; a reduction is bounded by the position it shrinks.
    appliesTo: 'new_entry',
    check: ({ openOrders, ownerOpenOrders, ownerSettings, settings }) =>
      openDenial(ownerOpenOrders, ownerSettings?.risk.openOrdersMax ?? 0) ??
      openDenial(openOrders, settings.risk.openOrdersMax),
  },
  own_cross: {
    /*
     * No trade with ourselves, across all strategies (rulings, 40). An entry keeps away from any order that may be resting; an exit
     * only from those known to rest, so that an order of unknown fate cannot trap a position. A flatten tries again, so its exit also
     * waits for an answer that is under way. An exit that waits for its trigger will meet the orders that rest then; orders that the
     * market reaches before the trigger of a waiting entry are gone by then.
     */
    appliesTo: 'all',
    check(request) {
      if (request.settings.risk.selfTradePrevention === false) return undefined;
      if (request.isWaiting && request.purpose === 'reduce') return undefined;
      const exits = isSystemExit(request) ? isSentOrRests : isKnownToRest;
      const order = crossedOrder(request.view, request, request.purpose === 'entry' ? mayRest : exits);
      if (order === undefined) return undefined;
      return { code: 'own_cross', price: request.limitPrice, restingPrice: nearestPrice(order) };
    },
  },
  daily_loss: {
    // Realised + open - costs of the day (rulings, 37). `LossLimits` sets the halt that outlives the day.
    appliesTo: 'entry',
    check({ view: { losses }, strategy, ownerSettings, settings }) {
      const denial = dailyLossDenial(losses.strategyLoss(strategy), ownerSettings?.risk.dailyLossMax ?? 0);
      const max = settings.risk.dailyLossMax;
      if (denial !== undefined || losses.accountLossBound() < max) return denial;
      return dailyLossDenial(losses.accountLoss(), max);
    },
  },
  account_unknown: {
    appliesTo: 'entry',
    check({ view: { session }, nowUs, settings }) {
      const ageUs = nowUs - session.account.readUs;
      const maxUs = settings.risk.accountAgeMax;
      return ageUs <= maxUs ? undefined : { code: 'account_unknown', ageUs, maxUs };
    },
  },
  margin: {
    // A part of the broker's buying power, less the margin of our orders since it was read.
    appliesTo: 'entry',
    check(request) {
      const needed = neededMargin(request);
      if (needed === 0) return undefined;
      const { figures: account } = request.view.session.account;
      assert(account !== undefined, 'an unknown account is denied before margin is asked');
      const free = Math.floor((account.buyingPower * bpsOf(request.settings.risk.marginUsePercent)) / BPS);
      const available = free - unreflectedMargin(request);
      return needed <= available ? undefined : { code: 'margin', needed, available };
    },
  },
  same_rejection: {
    // Identical order, identical rejection: after a few of them one probe a minute (failure cases, 32).
    appliesTo: 'all',
    check(request) {
      const record = request.view.breakers.refusals.find(request.strategy, request);
      if (record === undefined || record.count < request.settings.risk.sameRejectionsMax) return undefined;
      if (request.nowUs - record.lastUs >= US_PER_MINUTE) return undefined;
      return { code: 'same_rejection', rejections: record.count, text: record.text };
    },
  },
  order_rate: {
    // Two windows that slide with market time; changes count like orders.
    appliesTo: 'entry',
    check: (request) =>
      orderRateDenial(request, request.settings.risk.ordersPerSecondMax, US_PER_SECOND) ??
      orderRateDenial(request, request.settings.risk.ordersPerMinuteMax, US_PER_MINUTE),
  },
};

/** Rules that may stop this sort of request, in their order. */
export const checksOf = (sort: Scope): readonly RiskCheck[] =>
  Object.values(RISK_RULES)
    .filter(({ appliesTo }) => appliesTo === 'all' || sort === 'new_entry' || appliesTo === sort)
    .map(({ check }) => check);

/** An exit of what others have closed, by hand or by force, would open the opposite in the account (rulings, 40). */
function whyClosed({ view, strategy, instrument, side, exposedQty, ownerWorkingQty }: RiskRequest) {
  const { portfolio } = view;
  if (portfolio.closedByHand(instrument, side) === 0) return null;
  const held = -signOf(side) * portfolio.position(strategy, instrument).qty;
  const closing = Math.min(exposedQty, held - ownerWorkingQty);
  const left = leftToClose(view, strategy, instrument, side) - ownerWorkingQty;
  return closing <= Math.max(0, left)
    ? null
    : `${closing - Math.max(0, left)} of these contracts were closed by hand or by the broker: flatten ends both positions without a trade`;
}

/** The position of the request's owner on its side, if everything on that side fills; below zero it is on the other side. */
function worstOf({ view, strategy, instrument, side, ownerWorkingQty, exposedQty }: RiskRequest): number {
  const held = signOf(side) * view.portfolio.position(strategy, instrument).qty;
  return held + ownerWorkingQty + unshownExitQty(view, strategy, instrument, side) + exposedQty;
}

/**
 * The account's position on the side of the request at worst. Opposite positions of two strategies are not set off against
 * each other: either may be closed at any time, by an order that no limit may deny. So the limit holds whatever happens next.
 */
function accountWorstOf(strategies: readonly StrategySettings[], request: RiskRequest): number {
  const { view, instrument, side, changed } = request;
  let total = Math.max(0, worstOf(request));
  for (let owner = OPERATOR_INDEX; owner < strategies.length; owner = strategyIndex(owner + 1)) {
    if (owner === request.strategy) continue;
    const held = signOf(side) * view.portfolio.position(owner, instrument).qty;
    const working = workingQty(view, owner, instrument, side, changed);
    total += Math.max(0, held + working + unshownExitQty(view, owner, instrument, side));
  }
  return total;
}

/** A bound of `accountWorstOf` that costs the same with any number of strategies; seldom above a limit. */
function accountBoundOf({ view, instrument, side, workingQty: working, exposedQty }: RiskRequest): number {
  const unshown = unshownExitQty(view, null, instrument, side);
  return view.portfolio.grossQty(instrument, side) + working + unshown + exposedQty;
}

/** The first of the prices of a request that is not allowed, or undefined. */
function firstDisallowedPrice(
  request: RiskRequest,
  isWrong: (price: number, request: RiskRequest) => boolean,
): number | undefined {
  const { limitPrice, otherPrices } = request;
  if (isWrong(limitPrice, request)) return limitPrice;
  return otherPrices.length === 0 ? undefined : otherPrices.find((price) => isWrong(price, request));
}

const isOffGrid = (price: number): boolean => !Number.isSafeInteger(price) || price <= 0;

function isOutsideBand(price: number, request: RiskRequest): boolean {
  const { band } = request;
  const isOutside = band !== undefined && (price < band.floor || price > band.ceiling);
  return isOutside && !isAtMarket(price, request);
}

function isOutsideCollar(price: number, request: RiskRequest): boolean {
  const { last = price, settings } = request;
  return (
    Math.abs(price - last) * BPS > bpsOf(settings.risk.collarPercent) * last && !isAtMarket(price, request)
  );
}

const isAtMarket = (price: number, { side, settings }: RiskRequest): boolean =>
  settings.marketOrders === true && isMarketLimit(side, price);

/**
 * Limit of an order that takes any price. Where the exchange has no market orders that is the furthest price inside the band of
 * the day and the collar, which is measured from the last trade, or from the trigger of a stop that closes a position.
 */
export function marketPrice(
  market: Market,
  { marketOrders, risk }: EngineSettings,
  contract: Contract,
  side: Side,
  trigger?: PriceTicks,
): PriceTicks {
  if (marketOrders === true) return marketLimit(side);
  const band = market.of(contract.index).band;
  const last = trigger ?? market.lastOrReference(contract);
  const sign = signOf(side);
  const edge = (side === 'buy' ? band?.ceiling : band?.floor) ?? marketLimit(side);
  if (last === undefined) return edge;
  const room = Math.floor((last * bpsOf(risk.collarPercent)) / BPS);
  const furthest = sign > 0 ? Math.floor(last) + room : Math.ceil(last) - room;
  return priceTicks(sign * Math.min(sign * edge, sign * furthest));
}

/** The engine closes a position on the strategy's behalf. */
const isSystemExit = ({ isSystem, changed, purpose }: RiskRequest): boolean =>
  isSystem && (changed === null || purpose === 'reduce');

/** Computed here: timers fire before the phase of their moment is set. */
const brokersPhase = ({ view: { session }, nowUs, hours }: RiskRequest): SessionPhase =>
  hours.phaseAt(addUs(nowUs, 0 - Math.round(session.clockSkewUs)));

/** In an auction an order can be placed but not changed (market rules, 3). */
const TAKEN_IN_PHASE: Readonly<Record<SessionPhase, 'all' | 'new_orders' | 'nothing'>> = {
  continuous: 'all',
  opening_auction: 'new_orders',
  closing_auction: 'new_orders',
  break: 'nothing',
  closed: 'nothing',
};

function isPhaseAllowed(phase: SessionPhase, { changed, purpose, settings }: RiskRequest): boolean {
  const takes = TAKEN_IN_PHASE[phase];
  if (takes !== 'new_orders') return takes === 'all';
  return changed === null && (purpose === 'reduce' || settings.risk.auctionEntries === true);
}

/**
 * A flatten withdraws what its exit would trade with: nothing takes the place of that while it closes, no take-profit either. A stop, and
 * a reduction that would trade at once, go.
 */
function wouldBlockExit(request: RiskRequest): boolean {
  const { view, instrument, side, limitPrice, purpose } = request;
  const { targets, market } = view;
  if (purpose === 'reduce') {
    const touch = touchOf(market.of(instrument).book.last, side);
    const isAtOnce = touch !== undefined && signOf(side) * (limitPrice - touch) >= 0;
    if (isAtOnce || request.isWaiting || isSystemExit(request)) return false;
  }
  return targets.all.some(
    (target) =>
      target.instrument === instrument && targets.isClosing(target) && target.meets(side, limitPrice),
  );
}

function closeOutDenial({ nowUs, contract, hours, ownerSettings }: RiskRequest): Denial | undefined {
  if (nowUs >= hours.expiryUs(contract)) return { code: 'closing_out', because: 'expiry' };
  const isFlatAtNight = ownerSettings !== undefined && !ownerSettings.overnight;
  if (isFlatAtNight && nowUs >= hours.nightUs) return { code: 'closing_out', because: 'overnight' };
  return undefined;
}

/** An entry this shortly before an auction would be carried into it, and could not be taken back there. */
function auctionDenial({ nowUs, hours: { auctions }, settings }: RiskRequest): Denial | undefined {
  if (settings.risk.auctionEntries === true) return undefined;
  for (const start of auctions)
    if (nowUs < start && nowUs >= start - settings.cancelBeforeAuction)
      return { code: 'closing_out', because: 'auction' };
  return undefined;
}

const openDenial = (open: number, max: number): Denial | undefined =>
  open < max ? undefined : { code: 'open_orders_limit', open, max };

const dailyLossDenial = (loss: number, max: number): Denial | undefined =>
  loss < max ? undefined : { code: 'daily_loss', loss, max };

function orderRateDenial({ view, nowUs }: RiskRequest, max: number, perUs: number): Denial | undefined {
  const { rate } = view.breakers;
  if (!rate.reaches(max, perUs, nowUs)) return undefined;
  return { code: 'order_rate', orders: rate.count(perUs, nowUs), max, perUs };
}

/** The first open order that the request would trade with. */
export function crossedOrder(
  { orders }: Pick<EngineView, 'orders'>,
  request: Pick<RiskRequest, 'contract' | 'side' | 'limitPrice' | 'otherPrices' | 'isWaiting' | 'last'>,
  mayMeet: (order: OrderView) => boolean,
) {
  const { contract, side, last } = request;
  const trigger = request.isWaiting ? request.otherPrices[0] : undefined;
  for (const order of orders.open) {
    if (order.instrument !== contract.index || order.side === side || order.exposedQty === 0) continue;
    if (order.isTriggerOrder && order.status !== 'triggering') continue;
    if (!mayMeet(order)) continue;
    const resting = reachedPrice(order.side, nearestPrice(order), last);
    if (
      doMeet(side, request.limitPrice, resting, last) &&
      (trigger === undefined || (side === 'buy' ? resting >= trigger : resting <= trigger))
    )
      return order;
  }
  return undefined;
}

const mayRest = (): boolean => true;

const isKnownToRest = ({ orderNo, isTriggerOrder }: OrderView): boolean =>
  orderNo !== null && !isTriggerOrder;

/** Its answer is awaited: it may rest in a moment. */
export const isSentOrRests = (order: OrderView): boolean =>
  isKnownToRest(order) || (order.status === 'submitted' && !order.isTriggerOrder);

/** An order on this side with this limit would trade with one that reaches `other`. */
export function doMeet(side: Side, limit: number, other: number, last: number | undefined): boolean {
  const reached = reachedPrice(side, limit, last);
  return side === 'buy' ? reached >= other : reached <= other;
}

/** A market order takes the price of the market, and does not reach orders that rest behind it. */
const reachedPrice = (side: Side, limit: number, last: number | undefined): number =>
  last !== undefined && isMarketLimit(side, limit) ? last : limit;

/** While a change of price is open either price may be resting: the one nearer to the other side counts. */
function nearestPrice({ side, limitPrice, pendingPrice }: OrderView): number {
  if (pendingPrice === null) return limitPrice;
  return side === 'buy' ? Math.max(limitPrice, pendingPrice) : Math.min(limitPrice, pendingPrice);
}

/** Margin of the part that opens; the part that closes the account's position, beyond its working orders, needs none. */
function neededMargin(request: RiskRequest): number {
  const { view, contract, instrument, side, limitPrice, changed, exposedQty } = request;
  const added = exposedQty - (changed === null ? 0 : reflectedQty(changed, view));
  const held = -signOf(side) * view.portfolio.accountQty(instrument);
  const closing = held <= 0 ? 0 : Math.max(0, held - request.workingQty);
  return marginOf(contract, limitPrice, added - closing, request);
}

function unreflectedMargin(request: RiskRequest): number {
  const { view, changed } = request;
  let total = 0;
  for (const order of view.orders.open) {
    if (order === changed || order.purpose === 'reduce') continue;
    const contracts = order.exposedQty - reflectedQty(order, view);
    if (contracts <= 0) continue;
    const price = Math.max(order.limitPrice, order.pendingPrice ?? 0);
    total += marginOf(view.contracts.at(order.instrument), price, contracts, request);
  }
  return total;
}

/**
 * Quantity of an order that the broker's figure includes. A figure that was read cannot hold an order that was sent after it, has no
 * number yet, or waits for a price, nor an increase sent since; one of the moment holds all that has arrived.
 */
function reflectedQty(order: OrderView, { session }: Pick<EngineView, 'session'>): number {
  const { arrivedUs } = session.account;
  const knownUs = arrivedUs ?? session.account.readUs;
  if (order.isTriggerOrder || order.createdUs >= knownUs) return 0;
  if (arrivedUs === null && order.orderNo === null) return 0;
  const { grownUs, grownFrom } = order.extras;
  if (grownUs < knownUs) return arrivedUs === null ? order.leavesQty : order.exposedQty;
  return Math.min(order.leavesQty, Math.max(0, grownFrom - order.filledQty));
}

/** Margin at the order's price or the market's, the dearer of both; a market order has no price of its own. */
function marginOf(
  contract: Contract | undefined,
  price: number,
  contracts: number,
  { view: { market, costs }, day }: RiskRequest,
): number {
  if (contract === undefined || contracts <= 0) return 0;
  const ask = price >= CEILING_NONE ? (market.lastOrReference(contract) ?? price) : price;
  const atLeast = Math.max(ask, market.of(contract.index).last.price ?? 0);
  const value = valueOf(contract.spec, priceTicks(atLeast), contracts);
  return initialMargin(ratesOf(contract.spec, costs), day, value, contracts);
}
