/** What was closed today, as the broker reports it. */
import type { OrderCode } from './ids.ts';
import type { Side } from './order.ts';
import type { Money, PriceHundredths, Qty } from './units.ts';

/** One contract and side. */
export interface BrokerClosedPosition {
  readonly orderCode: OrderCode;
  readonly side: Side;
  /** Contracts closed, and closed plus still open; null when the answer does not say. */
  readonly closedQty: Qty | null;
  readonly totalQty: Qty | null;
  /** Averages to the nearest hundredth of a point: to look at, money is in the profits. */
  readonly averageOpen: PriceHundredths | null;
  readonly averageClose: PriceHundredths | null;
  readonly fee: Money;
  readonly tax: Money;
  /** Before fee and tax. */
  readonly closedProfit: Money;
  readonly openProfit: Money;
  /** When the last of it was closed, in the broker's words; empty when it does not say. */
  readonly time: string;
}

/** Sums over all contracts. */
export type ClosedTotal = Pick<BrokerClosedPosition, 'fee' | 'tax' | 'closedProfit' | 'openProfit'>;
