/**
 * All rules in the order in which they are asked; the first that says no is the denial. First what is nonsense whatever the
 * day, then who may act at all, then the hour, the market, positions, money, and last the limits on how often, so that a
 * refused order says the most basic thing that is wrong with it. Tests depend on this order.
 */
import type { RiskRule } from './risk-rule.ts';
import {
  calendarEnded,
  clockSkew,
  closingOut,
  contractExpired,
  halted,
  sessionClosed,
  stopping,
  strategyStopped,
} from './rules/session-rules.ts';
import {
  accountPositionLimit,
  accountUnknown,
  dailyLoss,
  margin,
  positionUnproven,
  strategyPositionLimit,
} from './rules/limit-rules.ts';
import { openOrdersLimit, orderRate, ownCross, sameRejection } from './rules/order-flow-rules.ts';
import {
  bandUnknown,
  dataStale,
  priceOffGrid,
  priceOutsideBand,
  priceOutsideCollar,
  qtyAboveMax,
  qtyNotPositive,
  streamDown,
} from './rules/price-rules.ts';

export const RISK_RULES: readonly RiskRule[] = [
  qtyNotPositive,
  priceOffGrid,
  qtyAboveMax,
  strategyStopped,
  stopping,
  halted,
  calendarEnded,
  contractExpired,
  sessionClosed,
  closingOut,
  clockSkew,
  streamDown,
  bandUnknown,
  priceOutsideBand,
  dataStale,
  priceOutsideCollar,
  positionUnproven,
  strategyPositionLimit,
  accountPositionLimit,
  openOrdersLimit,
  ownCross,
  dailyLoss,
  accountUnknown,
  margin,
  sameRejection,
  orderRate,
];
