/** Implements the view of the risk guard and the actions of the session controller on the engine's state. */
import { addUs, OPERATOR_INDEX, type StrategyIndex } from '../domain/units.ts';
import type { ContractTable } from './state/contract-table.ts';
import type { EntryHalt } from './risk/entry-halt.ts';
import type { EventContext } from './state/event-context.ts';
import type { LossLimits } from './risk/loss-limits.ts';
import type { Market } from './market/market.ts';
import type { EarlierOrders } from './orders/earlier-orders.ts';
import type { EntryWithdrawal } from './orders/entry-withdrawal.ts';
import type { Orders } from './orders/orders.ts';
import type { Portfolio } from './positions/portfolio.ts';
import type { PositionReconciler } from './positions/position-reconciler.ts';
import type { RejectionMemory, SendRate } from './orders/send-history.ts';
import type { ChildOrders } from './orders/adoption.ts';
import type { SessionState } from './session/session-state.ts';
import type { Snapshots } from './session/snapshots.ts';
import type { StrategyRegistry } from './session/strategy-registry.ts';
import type { StrategyStops } from './session/strategy-stops.ts';

import { CONTROLLER_TIMER, type TimerHeap } from './state/timer-heap.ts';
import { type BracketExits, isPartnerSent } from './orders/exits.ts';
import type { OrderView, RiskView } from './risk/risk-view.ts';
import type { SessionActions } from './session/session-actions.ts';

export interface RiskViewParts {
  readonly context: EventContext;
  readonly session: SessionState;
  readonly contracts: ContractTable;
  readonly market: Market;
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly halt: EntryHalt;
  readonly losses: LossLimits;
  readonly registry: StrategyRegistry;
  readonly rate: SendRate;
  readonly rejections: RejectionMemory;
  readonly exits: BracketExits;
  readonly earlier: EarlierOrders;
}

export function createRiskView(
  parts: RiskViewParts,
  positionReconciler: PositionReconciler,
  children: ChildOrders,
  isFlattening: (strategy: StrategyIndex) => boolean,
): RiskView {
  const { context, session, contracts, market, orders, portfolio, halt, losses } = parts;
  const { registry, rate, rejections, exits, earlier } = parts;
  return {
    nowUs: () => context.nowUs,
    seq: () => context.seq,
    tradingDay: () => session.tradingDay(),
    phase: () => session.phase,
    contract: (instrument) => contracts.at(instrument),
    contracts: () => contracts.all,
    isEnded: (instrument) => contracts.isEnded(instrument),
    band: (instrument) => market.band(instrument),
    tradedPrice: (instrument) => market.tradedPrice(instrument),
    lastBook: (instrument) => market.lastBook(instrument),
    isBookAwaited: (instrument) => market.isBookAwaited(instrument),
    dataAgeUs: (instrument) => context.nowUs - market.seenUs(instrument),
    isStreamLive: () => market.isLive,
    isReferenceFresh: () => market.isReferenceFresh,
    order: (id) => orders.get(id),
    openOrders: () => orders.open,
    owedExitQty: (strategy, instrument, side) => exits.owedQty(strategy, instrument, side),
    awaitedExitQty: (strategy, instrument, side) => exits.awaitedQty(strategy, instrument, side),
    unseenExitQty: (strategy, instrument, side) => earlier.unseenQty(strategy, instrument, side),
    position: (strategy, instrument) => portfolio.position(strategy, instrument),
    accountQty: (instrument) => portfolio.accountQty(instrument),
    grossQty: (instrument, side) => portfolio.grossQty(instrument, side),
    closedByHand: (instrument, side) => portfolio.closedByHand(instrument, side),
    brokerQty: (instrument) => positionReconciler.brokerQty(instrument),
    positionsReadUs: () => positionReconciler.readUs,
    triggersReadUs: () => session.triggersReadUs,
    bookReadUs: () => session.bookReadUs,
    unproven: () => {
      const reason = children.unproven() ?? positionReconciler.unproven();
      if (reason !== null) return reason;
      if (orders.contradicted !== null)
        return `the book contradicts itself about order ${orders.contradicted.clientOrderId}`;
      if (orders.numberLost !== null)
        return `order ${orders.numberLost.clientOrderId} has a number that another order has too`;
      if (orders.presumedAbsent === null) return null;
      // No end without evidence, and no entries meanwhile (failure cases, 5).
      return `order ${orders.presumedAbsent.clientOrderId} is not in the book: resolve it`;
    },
    account: () => session.account,
    accountReadUs: () => session.accountReadUs,
    lossOf: (strategy) => losses.of(strategy),
    accountLoss: () => losses.ofAccount(),
    isStopping: () => halt.isStopping,
    halted: () => halt.reason,
    haltedUntilUs: () => halt.offUntilUs,
    strategyHalted: (strategy) => halt.strategyReason(strategy),
    isFlattening,
    isStopped: (strategy) => registry.isStopped(strategy),
    sentWithin: (spanUs) => rate.within(spanUs, context.nowUs),
    rejections: (strategy, intent) => rejections.of(strategy, intent),
    clockSkewUs: () => session.clockSkewUs,
    clockStepUs: () => session.clockStepUs,
  };
}

export interface SessionActionsParts {
  readonly context: EventContext;
  readonly registry: StrategyRegistry;
  readonly portfolio: Portfolio;
  readonly snapshots: Snapshots;
  readonly timers: TimerHeap;
  readonly entries: EntryWithdrawal;
  readonly orders: Orders;
}

const NO_ORDERS: readonly OrderView[] = [];

export function createSessionActions(
  { context, registry, portfolio, snapshots, timers, entries, orders }: SessionActionsParts,
  view: RiskView,
  stops: StrategyStops,
): SessionActions {
  const head = (strategy: StrategyIndex | null) => ({ cause: context.seq, tsUs: context.nowUs, strategy });
  return {
    view,
    owners: () => {
      const strategies = registry.seats.map(({ index }) => index);
      return portfolio.has(OPERATOR_INDEX) ? [OPERATOR_INDEX, ...strategies] : strategies;
    },
    heldPositions: () => portfolio.held(),
    submitFor: (strategy, intent) => context.ask(strategy, 'system', { do: 'submit', intent }),
    modify: (strategy, change) => void context.ask(strategy, 'system', { do: 'modify', change }),
    cancel: (strategy, clientOrderId) => context.cancel(strategy, clientOrderId),
    withdraw: (strategy, clientOrderId) => context.withdraw(strategy, clientOrderId),
    takeLostStops: () =>
      orders.canceledWaiting.length === 0
        ? NO_ORDERS
        : orders.canceledWaiting.splice(0).filter((order) => !order.isUnwanted && !isPartnerSent(order)),
    isCover: (id) => entries.isCover(id),
    withdrawEntries: (strategy) => entries.withdraw(strategy),
    read: (what) => snapshots.want(what),
    stopStrategy: (strategy, reason) => stops.stop(strategy, reason, null),
    isStopped: (strategy) => registry.isStopped(strategy),
    hasUnmanaged: () => registry.hasUnmanaged,
    setLegs: (strategy, legs) => registry.setLegs(strategy, legs),
    legs: (strategy) => registry.legs(strategy),
    positionEvent: (strategy, event, instrument, qty, value) => {
      portfolio.addWithoutFill(strategy, event, instrument, qty, value);
      context.append({ ...head(strategy), kind: 'position_event', event, instrument, qty, value });
    },
    recordedPolicies: () => context.decisions.policies(),
    policyActed: (acted) => context.append({ ...head(acted.strategy), ...acted, kind: 'policy_acted' }),
    alert: (strategy, severity, code, text) => context.alert(strategy, severity, code, text),
    note: (strategy, text) => context.append({ ...head(strategy), kind: 'strategy_note', text }),
    stopReady: (reason) => context.append({ ...head(null), kind: 'stop_ready', reason }),
    setTimer: (after, tag) => timers.set(CONTROLLER_TIMER, addUs(context.nowUs, after), tag),
    setTimerAt: (at, tag) => timers.set(CONTROLLER_TIMER, at, tag, true),
    clearTimer: (timer) => timers.clear(timer),
  };
}
