/**
 * All rules in the order in which they are asked; the first refusal is the denial. Malformed orders come first, then who may
 * act, then hours, market, positions, money, and last the limits on rates, so that a refused order names its most basic fault.
 * Tests depend on this order.
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
  bookUnknown,
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
  bookUnknown,
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

/** Rules that may stop a reduction too. */
export const REDUCE_RULES = RISK_RULES.filter(({ appliesTo }) => appliesTo === 'entry_and_reduce');
