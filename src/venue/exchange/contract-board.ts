/** Everything a price list shows of one contract. */
import type { Contract, PriceBand } from '../../domain/contract.ts';
import type { BookLevel } from '../../domain/ticks.ts';
import type { PriceHundredths, PriceTicks, Qty } from '../../domain/units.ts';

export interface ContractBoard {
  readonly contract: Contract;
  readonly band: PriceBand;
  readonly lastPrice: PriceTicks | null;
  readonly lastQty: Qty;
  readonly totalVolume: number;
  readonly openInterest: number;
  /** Null before the first trade of the day. */
  readonly day: {
    readonly open: PriceTicks;
    readonly high: PriceTicks;
    readonly low: PriceTicks;
    readonly average: PriceHundredths;
  } | null;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  readonly inferred: boolean;
  readonly auctionPrice: PriceTicks | null;
}
