/** Fees, tax and margin as dated tables and pure functions (market rules, sections 6 and 7). */
import { assert } from './assert.ts';
import type { TradingDay } from './civil-date.ts';
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
 * Fee and tax of one order's cumulative fills. They are functions of the cumulative quantity and value, rounded once per
 * order, so that how often we look cannot change what is charged (rulings, 2).
 */
export function orderCosts(schedule: CostSchedule, day: TradingDay, cumQty: number, cumValue: number): Costs {
  assert(cumQty >= 0 && cumValue >= 0, 'cumulative quantity and value are zero or more');
  const perContract =
    rateOn(schedule.exchangeFee, day) + rateOn(schedule.clearingFee, day) + rateOn(schedule.brokerFee, day);
  return { fee: money(perContract * cumQty), tax: taxOn(schedule, day, cumValue) };
}

/** 0.1 % x value x margin rate / 2, half a VND and more up. Exact: the product exceeds 2^53, so it is done in bigint. */
export function taxOn(schedule: CostSchedule, day: TradingDay, value: number): Money {
  const numerator =
    BigInt(value) * BigInt(rateOn(schedule.taxPpm, day)) * BigInt(rateOn(schedule.marginBps, day));
  const denominator = 2n * 1_000_000n * 10_000n;
  return money(Number((2n * numerator + denominator) / (2n * denominator)));
}

/**
 * Initial margin of a position of `value` money (price x multiplier x |contracts|), rounded up. Exact: a remainder and no
 * fraction, which would be lost in a large product.
 */
export function initialMargin(schedule: CostSchedule, day: TradingDay, value: number): Money {
  const product = Math.abs(value) * rateOn(schedule.marginBps, day);
  assert(Number.isSafeInteger(product), 'a margin is computed from whole numbers below 2^53');
  const rest = product % 10_000;
  return money((product - rest) / 10_000 + (rest > 0 ? 1 : 0));
}
