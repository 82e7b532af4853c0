/** Money and positions of one account, as the broker shows them (notes, section 5). */
import type { AccountId, OrderCode } from '../../domain/ids.ts';
import type { MarginLevel } from '../venue-event.ts';
import type { Money, PriceHundredths, PriceTicks, SignedQty } from '../../domain/units.ts';

/**
 * Identities: `requiredMargin = initialMargin + max(0, -dayProfit) + deliveryMargin + uncollected`;
 * `usageBps = requiredMargin / collateral`; `netAssetValue = cash + dayProfit - uncollected`;
 * `buyingPower = collateral x entry ratio - requiredMargin - workingMargin`, never below zero.
 */
export interface AccountFigures {
  readonly accountId: AccountId;
  readonly subAccountId: string;
  readonly cash: Money;
  readonly collateral: Money;
  readonly netAssetValue: Money;
  /** `im`. */
  readonly initialMargin: Money;
  /** `vm`: profit of the day, open and closed, before costs. */
  readonly dayProfit: Money;
  /** `dm`. */
  readonly deliveryMargin: Money;
  /** `mr`. */
  readonly requiredMargin: Money;
  /** Margin that working orders would need on top. */
  readonly workingMargin: Money;
  readonly buyingPower: Money;
  /** `tyle` in parts of 10,000. */
  readonly usageBps: number;
  /** Where that stands against the broker's ratios. */
  readonly level: MarginLevel;
  /** Fees and tax of the day, accrued and not yet taken from cash. */
  readonly uncollected: Money;
  readonly brokerFee: Money;
  readonly exchangeFee: Money;
  readonly clearingFee: Money;
  readonly tax: Money;
  /** What may be withdrawn. */
  readonly withdrawable: Money;
  /** What is missing to come back under the warning ratio. */
  readonly topUp: Money;
}

export interface PositionFigures {
  readonly orderCode: OrderCode;
  readonly net: SignedQty;
  /** Margin rate in parts of 10,000. */
  readonly marginBps: number;
  readonly lastPrice: PriceHundredths;
  /** Average entry of the open quantity: money, not a price; divide by |net| to show it. */
  readonly openValue: Money;
  /** Contracts and money bought and sold today. */
  readonly boughtQty: number;
  readonly boughtValue: Money;
  readonly soldQty: number;
  readonly soldValue: Money;
  readonly initialMargin: Money;
  readonly requiredMargin: Money;
  /** Profit since the last settlement (or since entry today), open and closed. */
  readonly dayProfit: Money;
  /** Profit of the open quantity against its entry. */
  readonly openProfit: Money;
  /** Profit of what was closed today, against its entry or the last settlement. */
  readonly closedProfit: Money;
  /** Contracts that can still be closed: |net| less working closing orders. */
  readonly closableQty: number;
  readonly longQty: number;
  readonly shortQty: number;
  readonly expiryDay: string;
  readonly lastTradePrice: PriceTicks | null;
}
