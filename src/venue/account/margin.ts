/** Margin of positions and working orders, as a broker and not the clearing house computes it (market rules, 6). */
import type { TradingDay } from '../../domain/civil-date.ts';
import { type CostSchedule, initialMargin } from '../../domain/costs.ts';
import type { OrderCode } from '../../domain/ids.ts';
import type { Side } from '../../domain/order.ts';
import { BPS, type Money } from '../../domain/units.ts';

/** Limits of the broker on an account. Usage is required margin by collateral, in parts of 10,000. */
export interface MarginRules {
  /** From this usage on nothing is opened. */
  readonly entryBps: number;
  /** The broker warns, and a forced close ends below it. */
  readonly warnBps: number;
  /** The broker closes positions. */
  readonly forceBps: number;
  /** Largest position of an account: contracts of different expiry add up. */
  readonly positionMax: number;
}

/** Ratios of the most common broker sheet, and the limit of an individual (market rules, 1 and 6). */
export const DEFAULT_MARGIN_RULES: MarginRules = {
  entryBps: 8_000,
  warnBps: 9_000,
  forceBps: 10_000,
  positionMax: 5_000,
};

/** Contracts of working orders: quantities that may still be bought and sold. */
export interface WorkingQty {
  readonly buy: number;
  readonly sell: number;
}

export const NOTHING_WORKING: WorkingQty = { buy: 0, sell: 0 };

/** The largest position, without sign, that working orders can lead to: one side fills and the other does not. */
export function worstPosition(net: number, working: WorkingQty): number {
  return Math.max(Math.abs(net), Math.abs(net + working.buy), Math.abs(net - working.sell));
}

export const plus = (working: WorkingQty, side: Side, qty: number): WorkingQty =>
  side === 'buy'
    ? { buy: working.buy + qty, sell: working.sell }
    : { buy: working.buy, sell: working.sell + qty };

/** Rates of a contract, and the money of one at its price now. */
export interface MarginTerms {
  readonly costs: CostSchedule;
  readonly unitValue: number;
}

export const marginOf = ({ costs, unitValue }: MarginTerms, day: TradingDay, qty: number): Money =>
  initialMargin(costs, day, Math.abs(qty) * unitValue, qty);

/** A position of an account that the broker closes by force. */
interface HeldContracts {
  readonly code: OrderCode;
  readonly expiry: TradingDay;
  readonly net: number;
  /** Quantity that working forced orders will close. */
  readonly closing: number;
  readonly marginOfOne: number;
}

/** As few contracts as bring usage below the warning, nearest expiry first; all of them where that is not enough. */
export function contractsToClose(
  held: readonly HeldContracts[],
  { requiredMargin, collateral }: { readonly requiredMargin: number; readonly collateral: number },
  { warnBps, forceBps }: Pick<MarginRules, 'warnBps' | 'forceBps'>,
): { readonly code: OrderCode; readonly side: Side; readonly qty: number }[] {
  // Usage is rounded up: at one part less it is below the ratio.
  let excess = requiredMargin - Math.floor((collateral * (Math.min(warnBps, forceBps) - 1)) / BPS);
  const closings = [];
  for (const { code, net, closing, marginOfOne } of held.toSorted((a, b) => (a.expiry < b.expiry ? -1 : 1))) {
    excess -= closing * marginOfOne;
    const most = Math.abs(net) - closing;
    const qty = excess > 0 ? Math.min(most, Math.ceil(excess / marginOfOne)) : 0;
    excess -= qty * marginOfOne;
    if (qty > 0) closings.push({ code, side: net > 0 ? ('sell' as const) : ('buy' as const), qty });
  }
  return closings;
}

/** Shown for an account that needs margin and has none. */
const USAGE_BPS_MAX = 10_000_000;

/** Required margin by collateral, parts of 10,000, rounded up. */
export function usageBps(required: number, collateral: number): number {
  if (required === 0) return 0;
  if (collateral <= 0) return USAGE_BPS_MAX;
  return Math.min(USAGE_BPS_MAX, Math.ceil((required / collateral) * BPS));
}
