/** Margin of positions and working orders (market rules, section 6: the broker's layer, not the clearing house's). */
import type { TradingDay } from '../../domain/civil-date.ts';
import { type CostSchedule, initialMargin } from '../../domain/costs.ts';
import { type ContractSpec, valueAtHundredths } from '../../domain/contract.ts';
import type { Side } from '../../domain/order.ts';
import type { Money, PriceHundredths } from '../../domain/units.ts';

/** Contracts of working orders: what may still be bought and sold. */
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

/** Rates and sizes on one day. */
export interface MarginTerms {
  readonly spec: ContractSpec;
  readonly costs: CostSchedule;
  readonly day: TradingDay;
}

/** `rate x |contracts| x price x multiplier`. */
export const marginOf = (terms: MarginTerms, qty: number, mark: PriceHundredths): Money =>
  initialMargin(terms.costs, terms.day, valueAtHundredths(terms.spec, mark, Math.abs(qty)));

/** Shown for an account that needs margin and has none. */
const USAGE_BPS_MAX = 10_000_000;

/** Required margin by collateral, parts of 10,000, rounded up. */
export function usageBps(required: number, collateral: number): number {
  if (required === 0) return 0;
  if (collateral <= 0) return USAGE_BPS_MAX;
  return Math.min(USAGE_BPS_MAX, Math.ceil((required / collateral) * 10_000));
}
