/** Fees, tax and margin as dated tables and pure functions (market rules, sections 6 and 7). */
import { assert } from './assert.ts';
import type { TradingDay } from './civil-date.ts';
import type { Side } from './order.ts';
import { type Money, money } from './units.ts';

/** From `from` on, until the next row. Rows are sorted by `from`. */
export interface Dated<T> {
  readonly from: TradingDay;
  readonly value: T;
}

export interface CostSchedule {
  /** Exchange fee, money a contract and matched side. */
  readonly exchangeFee: readonly Dated<number>[];
  /** Clearing fee, money a contract and matched side. */
  readonly clearingFee: readonly Dated<number>[];
  /** Broker fee, money a contract and matched side. */
  readonly brokerFee: readonly Dated<number>[];
  /** Income tax on turnover, parts of a million: 1,000 is 0.1 %; times margin rate / 2. */
  readonly taxPpm: readonly Dated<number>[];
  /** Initial margin rate, parts of 10,000: 1,700 is 17 %. */
  readonly marginBps: readonly Dated<number>[];
  /** Fee on the traded value, parts of a million: 400 is 0.04 %. Absent where fees are per contract. */
  readonly valueFeePpm?: readonly Dated<number>[];
  /** Least fee of an order once any of it is filled, money. */
  readonly orderFeeMin?: readonly Dated<number>[];
  /** Tax on what is sold, parts of a million of its value. */
  readonly sellTaxPpm?: readonly Dated<number>[];
}

export function rateOn<T>(rows: readonly Dated<T>[], day: TradingDay): T {
  for (let i = rows.length - 1; i >= 0; i -= 1) {
    const row = rows[i];
    if (row !== undefined && row.from <= day) return row.value;
  }
  throw new Error(`no rate on ${day}: the first row starts on ${rows[0]?.from ?? 'no day'}`);
}

export interface Costs {
  readonly fee: Money;
  readonly tax: Money;
}

/**
 * Fee and tax of one order's cumulative fills. They are functions of the cumulative quantity and value, rounded once per order,
 * so that reading more often cannot change the charge (rulings, 2).
 */
export function orderCosts(
  schedule: CostSchedule,
  day: TradingDay,
  cumQty: number,
  cumValue: number,
  side: Side = 'buy',
): Costs {
  const { contracts, value } = orderFees(schedule, day, cumQty, cumValue);
  const { sellTaxPpm } = schedule;
  const onSale = side === 'buy' || sellTaxPpm === undefined ? 0 : rateOn(sellTaxPpm, day);
  const saleTax = onSale === 0 ? 0 : partsOf(cumValue, onSale, MILLION);
  return { fee: money(contracts + value), tax: money(taxOn(schedule, day, cumValue) + saleTax) };
}

/** Fee of an order in two parts: per contract, and by value or as the least fee. */
export function orderFees(
  schedule: CostSchedule,
  day: TradingDay,
  cumQty: number,
  cumValue: number,
): { readonly contracts: number; readonly value: number } {
  assert(cumQty >= 0 && cumValue >= 0, 'cumulative quantity and value are zero or more');
  const perContract =
    rateOn(schedule.exchangeFee, day) + rateOn(schedule.clearingFee, day) + rateOn(schedule.brokerFee, day);
  const contracts = perContract * cumQty;
  const { valueFeePpm, orderFeeMin } = schedule;
  if (valueFeePpm === undefined && orderFeeMin === undefined) return { contracts, value: 0 };
  const onValue = valueFeePpm === undefined ? 0 : partsOf(cumValue, rateOn(valueFeePpm, day), MILLION);
  const least = orderFeeMin === undefined || cumQty === 0 ? 0 : rateOn(orderFeeMin, day);
  return { contracts, value: Math.max(onValue, least - contracts) };
}

const MILLION = 1_000_000;

/** 0.1 % x value x margin rate / 2, half a VND and more up. */
export const taxOn = (schedule: CostSchedule, day: TradingDay, value: number): Money =>
  partsOf(value, rateOn(schedule.taxPpm, day) * rateOn(schedule.marginBps, day), 2 * MILLION * 10_000);

/** `value x rate / whole`, half and more up. Exact: where the product may exceed 2^53 it is done in bigint. */
function partsOf(value: number, rate: number, whole: number): Money {
  const product = value * rate;
  if (Number.isSafeInteger(product)) {
    const rest = product % whole;
    return money((product - rest) / whole + (2 * rest >= whole ? 1 : 0));
  }
  const [numerator, denominator] = [BigInt(value) * BigInt(rate), BigInt(whole)];
  return money(Number((2n * numerator + denominator) / (2n * denominator)));
}

/**
 * Initial margin of a position of `value` money (price x multiplier x |contracts|), rounded up. Exact: a remainder and no
 * fraction, which would be lost in a large product.
 */
export function initialMargin(schedule: CostSchedule, day: TradingDay, value: number): Money {
  const rate = rateOn(schedule.marginBps, day);
  const product = Math.abs(value) * rate;
  if (Number.isSafeInteger(product)) {
    const rest = product % 10_000;
    return money((product - rest) / 10_000 + (rest > 0 ? 1 : 0));
  }
  return money(Number((BigInt(Math.abs(value)) * BigInt(rate) + 9_999n) / 10_000n));
}
