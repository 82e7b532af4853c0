/** Options of a venue: data, seeds and switches. */
import type { TradingCalendar } from '../domain/calendar.ts';
import type { CostSchedule } from '../domain/costs.ts';
import type { ContractSpec } from '../domain/contract.ts';
import type { AccountId, OrderCode } from '../domain/ids.ts';
import type { Side } from '../domain/order.ts';
import type { BookLevel } from '../domain/ticks.ts';
import {
  type DurationUs,
  milliseconds,
  type PriceHundredths,
  type PriceTicks,
  type TsUs,
} from '../domain/units.ts';
import { DEFAULT_MARGIN_RULES, type MarginRules } from './account/margin.ts';
import type { CarryRates } from './exchange/settlement-price.ts';

export interface VenueOptions {
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly spec: ContractSpec;
  readonly startUs: TsUs;
  readonly accounts: readonly AccountOptions[];
  readonly market: MarketOptions;
  /** `legacy` VN30F2511, `coded` 41I1FB000. */
  readonly codes: 'legacy' | 'coded';
  /** Stream code of an order code; the same by default (rulings, 4). */
  readonly streamCodeOf?: (code: OrderCode) => string;
  readonly rules?: Partial<VenueRules>;
}

interface AccountOptions {
  readonly accountId: AccountId;
  readonly subAccountId: string;
  /** Cash of a new account; ignored when the state knows it. */
  readonly cash: number;
}

export type MarketOptions =
  | {
      /** A seeded market in all listed contracts. */
      readonly kind: 'synthetic';
      readonly seed: number;
      /** Where the front month starts when no state says otherwise. */
      readonly startPrice: PriceTicks;
    }
  | {
      /** Recorded trades of one contract, given by `print`. */
      readonly kind: 'tape';
      readonly orderCode: OrderCode;
      /** Settlement price of the day before. */
      readonly reference: PriceHundredths;
    }
  | {
      /** `feed`: trades and books of another market, given by `print`. `empty`: no orders but the accounts', for tests. */
      readonly kind: 'feed' | 'empty';
      readonly startPrice: PriceTicks;
    };

/** One recorded trade; with a book also a change of that alone, whose quantity is 0. */
export interface TapePrint {
  readonly tsUs: TsUs;
  readonly orderCode: OrderCode;
  readonly price: PriceTicks;
  readonly qty: number;
  /** Null when the recording does not say. */
  readonly aggressor: Side | null;
  /** After it, best levels first; absent where none was recorded. */
  readonly book?: { readonly bids: readonly BookLevel[]; readonly asks: readonly BookLevel[] };
}

/** Switches where two readings exist, and limits of the broker. */
export interface VenueRules extends MarginRules {
  /** A change of price and volume at once (market rules, 4). */
  readonly changeOfBoth: 'refuse' | 'replace';
  readonly repeatedRefId: 'accept' | 'refuse';
  /** From the broker's gateway to the exchange's confirmation; 0 makes every command final at once. */
  readonly gatewayDelay: DurationUs;
  /** How long an order waits for its trigger: until the close, or until its contract expires. */
  readonly triggerLife: 'day' | 'contract';
  /** Orders that may wait for a trigger in one account. */
  readonly triggersMax: number;
  /** Ticks by which the order of a bracket's stop-loss gives way, so that it fills. */
  readonly stopLossSlipTicks: number;
  readonly carry: CarryRates;
}

/** The careful readings. */
export const DEFAULT_RULES: VenueRules = {
  changeOfBoth: 'refuse',
  repeatedRefId: 'accept',
  gatewayDelay: milliseconds(30),
  ...DEFAULT_MARGIN_RULES,
  triggerLife: 'day',
  triggersMax: 200,
  stopLossSlipTicks: 10,
  carry: { interestBps: 300, dividendBps: 150 },
};
