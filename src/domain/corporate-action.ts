/** Splits and dividends of shares: what they do to positions, prices and orders on the morning of their ex-date. */
import { assert } from './assert.ts';
import type { TradingDay } from './civil-date.ts';
import type { ContractSpec } from './contract.ts';
import { partOf, type Position } from './position.ts';
import { money, type Money, signedQty } from './units.ts';

/** So many new shares for so many old ones: 2 for 1, or 1 for 10 where shares are put together. */
export interface Split {
  readonly kind: 'split';
  readonly code: string;
  readonly exDay: TradingDay;
  readonly newShares: number;
  readonly oldShares: number;
}

export interface Dividend {
  readonly kind: 'dividend';
  readonly code: string;
  readonly exDay: TradingDay;
  /** Null: the ex-date. */
  readonly payDay: TradingDay | null;
  /** Of one share, in parts of `DIVIDEND_PARTS` of a point. */
  readonly amount: number;
}

/** It is traded no more: what is held is paid out, and orders end. */
export interface Delisting {
  readonly kind: 'delisting';
  readonly code: string;
  readonly exDay: TradingDay;
  /** Paid for one share, in parts of `DIVIDEND_PARTS` of a point; null: the last price. */
  readonly price: number | null;
}

export type CorporateAction = Split | Dividend | Delisting;

export const DIVIDEND_PARTS = 1_000_000;

/** For people. */
export function actionText(action: CorporateAction): string {
  switch (action.kind) {
    case 'split':
      return `split ${action.newShares} for ${action.oldShares}`;
    case 'dividend':
      return `dividend of ${action.amount / DIVIDEND_PARTS} a share`;
    case 'delisting':
      return `paid out at ${action.price === null ? 'the last price' : action.price / DIVIDEND_PARTS}`;
  }
}

/** Fate of orders that work through an ex-date: `splits` leaves them alone on that of a dividend. */
export type OrderRule = 'adjust' | 'splits' | 'cancel';

/** New terms of orders in one contract. */
export interface OrderAdjustment {
  /** Why, for an order that ends. */
  readonly reason: string;
  /** Zero ends the order. */
  qty(qty: number): number;
  /** Ticks; zero ends the order. `isBelow`: it waits for a falling price, as buy limits and sell stops do. */
  price(ticks: number, isBelow: boolean): number;
  /** A distance between two prices. */
  distance(ticks: number): number;
}

/**
 * As FINRA rule 5330 has it: a dividend lowers orders that wait below the market, to the tick at or below, and leaves the others; a split
 * changes price and quantity. Sell limits and buy stops, which the rule leaves to their owner, follow a split too, to the tick at or
 * above. Null: orders stay as they are.
 */
export function adjustmentOf(
  action: CorporateAction,
  { hundredthsPerTick, partsPerPoint = 100 }: ContractSpec,
  rule: OrderRule,
): OrderAdjustment | null {
  const reason = actionText(action);
  if (rule === 'cancel' || action.kind === 'delisting')
    return { reason, qty: () => 0, price: () => 0, distance: (ticks) => ticks };
  if (action.kind === 'split') {
    const { newShares, oldShares } = action;
    const round = (ticks: number, isDown: boolean): number => {
      const exact = (ticks * oldShares) / newShares;
      return isDown ? Math.floor(exact) : Math.ceil(exact);
    };
    return {
      reason,
      qty: (qty) => Math.floor((qty * newShares) / oldShares),
      price: round,
      distance: (ticks) => Math.max(1, Math.round((ticks * oldShares) / newShares)),
    };
  }
  if (rule === 'splits') return null;
  const parts = hundredthsPerTick * DIVIDEND_PARTS;
  return {
    reason,
    qty: (qty) => qty,
    price: (ticks, isBelow) =>
      isBelow ? Math.max(0, Math.floor((ticks * parts - action.amount * partsPerPoint) / parts)) : ticks,
    distance: (ticks) => ticks,
  };
}

/** A price of before on the ex-date, in the same unit: `perPoint` of it make a point. A dividend that is larger than the price leaves it. */
export function priceAfter(action: CorporateAction, price: number, perPoint: number): number {
  if (action.kind === 'split') return (price * action.oldShares) / action.newShares;
  if (action.kind === 'delisting') return price;
  const left = price - (action.amount * perPoint) / DIVIDEND_PARTS;
  return left > 0 ? left : price;
}

/** Money of one contract for a dividend, in parts of `DIVIDEND_PARTS`. */
export const dividendMoney = (
  { amount }: Dividend,
  { partsPerPoint = 100, moneyPerHundredth }: ContractSpec,
): number => amount * partsPerPoint * moneyPerHundredth;

export interface SplitPosition {
  readonly position: Position;
  /** Paid for the fraction of a lot that is left, below zero by a short position. */
  readonly cash: Money;
}

/** Whole lots of the new shares at the same entry value; a fraction is closed at `unitValue`, money of one old lot. */
export function splitPosition(
  { qty, openValue, realised }: Position,
  { newShares, oldShares }: Split,
  unitValue: number,
): SplitPosition {
  const size = Math.abs(qty);
  const sign = Math.sign(qty);
  const parts = size * newShares;
  assert(Number.isSafeInteger(parts), 'a split position is a whole number of parts');
  const rest = parts % oldShares;
  const closedEntry = rest === 0 ? 0 : partOf(openValue, rest, parts);
  const closedExit = rest === 0 ? 0 : partOf(unitValue, rest, newShares);
  return {
    position: {
      qty: signedQty((sign * (parts - rest)) / oldShares),
      openValue: money(openValue - closedEntry),
      realised: money(realised + sign * (closedExit - closedEntry)),
    },
    cash: money(sign * closedExit),
  };
}
