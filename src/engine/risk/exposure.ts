/**
 * The worst that can happen: every open order fills whole. Orders of unknown fate, presumed absent ones and those with a
 * cancel under way count like any other, until it is proven that they are gone (failure cases, 5 and 7).
 */
import { cover, type CoverOrder, type CoverRole, sentRole, waitingRole } from '../../domain/cover.ts';
import { opposite, type Side, signOf } from '../../domain/order.ts';
import type { StrategySettings } from '../../domain/settings.ts';
import {
  type InstrumentIndex,
  OPERATOR_INDEX,
  type StrategyIndex,
  strategyIndex,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { RiskRequest } from './risk-rule.ts';
import type { OrderView, RiskView } from './risk-view.ts';

/** Contracts that open orders of one owner or, null, of the account may still trade on one side. */
export function workingQty(
  view: RiskView,
  strategy: StrategyIndex | null,
  instrument: InstrumentIndex,
  side: Side,
  except: OrderView | null,
): number {
  let total = 0;
  for (const order of view.openOrders()) {
    if (order.instrument !== instrument || order.side !== side) continue;
    if (strategy !== null && order.strategy !== strategy) continue;
    if (order.clientOrderId !== except?.clientOrderId) total += order.exposedQty;
  }
  return total;
}

/** The owner's position on the side of the request, if everything on that side fills; below zero it is on the other side. */
export function worstOf(view: RiskView, owner: StrategyIndex, request: RiskRequest): number {
  const { contract, side, changed, strategy, exposedQty } = request;
  const held = signOf(side) * view.position(owner, contract.index).qty;
  const working = workingQty(view, owner, contract.index, side, changed);
  const owed = view.owedExitQty(owner, contract.index, side);
  return held + working + owed + (owner === strategy ? exposedQty : 0);
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

/** A bound of `accountWorstOf` that costs the same with any number of strategies; seldom above a limit. */
export function accountBoundOf(view: RiskView, { contract, side, changed, exposedQty }: RiskRequest): number {
  const { index } = contract;
  const working = workingQty(view, null, index, side, changed) + view.owedExitQty(null, index, side);
  return view.grossQty(index, side) + working + exposedQty;
}

/**
 * A reduction (rulings, 36) is an order that can only shrink the position of its owner, whatever else fills,
 * as shown by a read of the position less than 5 s old.
 */
const POSITION_AGE_US_MAX = 5 * US_PER_SECOND;

export interface Reduction {
  /** Its owner holds something that it could close. */
  readonly isHeld: boolean;
  /** Our own books say that it shrinks the position. */
  readonly shrinks: boolean;
  /** The broker's books say so too, and were read just now. */
  readonly isProven: boolean;
}

export function reductionOf(view: RiskView, request: RiskRequest): Reduction {
  const { strategy, contract, side, exposedQty, isSystem } = request;
  const working = closingQty(view, request);
  const held = -signOf(side) * view.position(strategy, contract.index).qty;
  // The account's figure has what filled unseen, of whichever owner. A flatten or a policy goes by that alone: nobody has to wait for a person.
  const unseen = isSystem ? 0 : view.unseenExitQty(strategy, contract.index, side);
  const shrinks = exposedQty <= held - working - unseen;
  const isHeld = held > 0;
  if (!shrinks) return { isHeld, shrinks, isProven: false };
  return {
    isHeld,
    shrinks,
    isProven: exposedQty <= shownQty(view, strategy, contract.index, side) - working,
  };
}

/**
 * Contracts that orders beside the request may take from its owner's position. A protective stop and an exit do not wait for each
 * other: the stop is withdrawn as the position shrinks, and only other stops are in its place.
 */
function closingQty(
  view: RiskView,
  { strategy, contract, side, changed, isProtective }: RiskRequest,
): number {
  const isOther = (order: OrderView): boolean =>
    order.instrument === contract.index &&
    order.side === side &&
    order.strategy === strategy &&
    order.clientOrderId !== changed?.clientOrderId;
  const awaited = view.awaitedExitQty(strategy, contract.index, side);
  if (isProtective) return awaited + cover(-signOf(side), view.openOrders().filter(isOther), coverOf).stopQty;
  let total = awaited;
  for (const order of view.openOrders())
    if (isOther(order) && order.isProtective !== true) total += order.exposedQty;
  return total;
}

/** An order as `cover` counts it. What a stop sent is the stop at work; what a take-profit sent is a limit order that may never fill. */
export function coverOf(order: OrderView): CoverOrder {
  const { side, leavesQty, exposedQty, group, isProtective = false } = order;
  const qty = Math.max(leavesQty, exposedQty);
  return { side, qty, role: roleOf(order), group: group ?? null, isProtective };
}

function roleOf({ side, isWaiting, trigger, triggerWhen, parent }: OrderView): CoverRole {
  if (trigger?.kind === 'bracket') return 'entry';
  if (isWaiting === true) return waitingRole(side, triggerWhen ?? null);
  return typeof parent === 'string' ? sentRole(side, triggerWhen ?? null) : 'exit';
}

/** Contracts that an exit may close by the broker's own figure, net of the orders that work already; zero when it is old or unknown. */
export function provenQty(
  view: RiskView,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
): number {
  const held = shownQty(view, strategy, instrument, side);
  return Math.max(0, held - workingQty(view, strategy, instrument, side, null));
}

/** The owner's position by the broker's own figure, without what the other owners hold and what a person has closed. */
function shownQty(view: RiskView, strategy: StrategyIndex, instrument: InstrumentIndex, side: Side): number {
  const broker = view.brokerQty(instrument);
  if (broker === undefined || !isPositionFresh(view)) return 0;
  const sign = -signOf(side);
  const own = sign * view.position(strategy, instrument).qty;
  const others = sign * view.accountQty(instrument) - own;
  const left =
    strategy === OPERATOR_INDEX
      ? own - view.closedByHand(instrument, opposite(side))
      : leftBeside(view, strategy, instrument, side);
  return Math.max(0, Math.min(own, sign * broker - others, left));
}

/** The same, without what the exits of other owners close. */
function leftBeside(
  view: RiskView,
  strategy: StrategyIndex,
  instrument: InstrumentIndex,
  side: Side,
): number {
  const left = leftByHand(view, instrument, side);
  if (left === Infinity) return left;
  const exits =
    workingQty(view, null, instrument, side, null) - workingQty(view, strategy, instrument, side, null);
  return left - exits;
}

/**
 * What orders by hand leave to be closed, by all owners together; Infinity where there are none. They belong to the operator, so nobody
 * knows which strategy's contracts they closed: what is left serves whoever asks first.
 */
export function leftByHand(
  books: Pick<RiskView, 'closedByHand' | 'grossQty'>,
  instrument: InstrumentIndex,
  side: Side,
): number {
  const closed = books.closedByHand(instrument, side);
  return closed === 0 ? Infinity : books.grossQty(instrument, opposite(side)) - closed;
}

export const isPositionFresh = (view: RiskView): boolean =>
  view.nowUs() - view.positionsReadUs() < POSITION_AGE_US_MAX;
