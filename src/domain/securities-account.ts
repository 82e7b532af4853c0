/** The stock side of a client: shares, cash and loan packages of a normal or margin sub-account. */
import type { Money, Qty } from './units.ts';

/** Shares of one stock. */
export interface StockHolding {
  readonly symbol: string;
  readonly qty: Qty;
  /** What may be sold now; null when the answer does not say. */
  readonly availableQty: Qty | null;
  /** VND a share, to the nearest. */
  readonly averagePrice: Money | null;
  readonly marketValue: Money | null;
}

/** Cash of one sub-account; whole VND. Null where the answer has no figure. */
export interface CashBalance {
  readonly accountNo: string;
  readonly cash: Money;
  readonly balance: Money | null;
  readonly withdrawable: Money | null;
  /** Held for stock bought and not yet settled. */
  readonly buying: Money | null;
  readonly blocked: Money | null;
  /** What may be bought without a loan. */
  readonly purchasingPower: Money | null;
}

/** A supplementary loan package of a margin account. */
export interface LoanPackage {
  readonly id: number;
  readonly name: string;
  readonly code: string;
  /** VND. */
  readonly subscriptionFee: Money | null;
  readonly status: string;
}

/** A package with tiers of interest ("T+"). */
export interface TieredPackage {
  readonly id: number;
  readonly name: string;
  /** As the broker writes it: the unit is not documented. */
  readonly firstRate: number | null;
  readonly status: string;
}

export interface LoanPackages {
  readonly packages: readonly LoanPackage[];
  readonly tiered: readonly TieredPackage[];
}
