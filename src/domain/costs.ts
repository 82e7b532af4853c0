/** Fees, tax and margin as dated tables and pure functions (market rules, 6 and 7). */
import { assert } from './assert.ts';
import type { TradingDay } from './civil-date.ts';
import type { Side } from './order.ts';
import { partOf } from './position.ts';
import { type Money, money } from './units.ts';

/** From `from` on, until the next row. Rows are sorted by `from`. */
export interface DatedValue<T> {
  readonly from: TradingDay;
  readonly value: T;
}

export interface CostSchedule {
  /** Fees, money a contract and matched side. */
  readonly exchangeFee: readonly DatedValue<number>[];
  readonly clearingFee: readonly DatedValue<number>[];
  readonly brokerFee: readonly DatedValue<number>[];
  /** Income tax on turnover, parts of a million: 1,000 is 0.1 %; times margin rate / 2. */
  readonly taxPpm: readonly DatedValue<number>[];
  /** Initial margin rate, parts of 10,000: 1,700 is 17 %. */
  readonly marginBps: readonly DatedValue<number>[];
  /** Fee on the traded value, parts of 10^10: 4,000,000 is 0.04 %. Absent where fees are per contract. */
  readonly valueFee?: readonly DatedValue<ValueFee>[];
  /** Fee of an order once any of it is filled, on top of those of its contracts and value; money. */
  readonly orderFee?: readonly DatedValue<number>[];
  /** Least of all fees of an order once any of it is filled, money. */
  readonly orderFeeMin?: readonly DatedValue<number>[];
  /** Most of all fees of an order, parts of 10^10 of its value; it is stronger than the least one. */
  readonly orderFeeMax?: readonly DatedValue<number>[];
  /** Tax on the sold value, parts of 10^10 of it. */
  readonly sellTax?: readonly DatedValue<number>[];
  /** Rounding of fees and of the tax on the sold value. Absent: whole money once an order, half and more up. */
  readonly rounding?: Rounding;
  /** Margin of a contract whatever its price is, instead of a rate. */
  readonly contractMargin?: readonly DatedValue<ContractMargin>[];
  /** Part of the value of a position, of 10,000, below which equity must not fall. Absent: nothing is closed by force. */
  readonly maintenanceBps?: readonly DatedValue<number>[];
}

/** By the liquidity of the fill; below zero is paid to us. An auction counts as taking. */
export interface ValueFee {
  readonly taker: number;
  readonly maker: number;
}

export type RoundingMode = 'half_even' | 'half_up' | 'up';

/** `half_up`: half a step and more away from zero. `up`: any part of a step, in favour of the charging side. */
export interface Rounding {
  readonly per: 'fill' | 'order';
  readonly mode: RoundingMode;
  /** Money in the smallest amount that is charged: a cent. */
  readonly step: number;
}

/** Money a contract. */
export interface ContractMargin {
  readonly initial: number;
  readonly maintenance: number;
}

export function rateOn<T>(rows: readonly DatedValue<T>[], day: TradingDay): T {
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

/** What has filled, of an order or of one fill alone. */
export interface Filled {
  readonly side: Side;
  readonly filledQty: number;
  readonly filledValue: number;
  /** The part of the value that made liquidity; absent: none. */
  readonly makerValue?: number;
  /** Sums over the fills where each is rounded by itself. */
  readonly fillFees?: number;
  readonly fillTaxes?: number;
}

/**
 * Fee and tax of all fills of an order. They are functions of the cumulative quantity and value, rounded once per order, so that reading
 * more often cannot change the charge (rulings, 2).
 */
export function orderCosts(schedule: CostSchedule, day: TradingDay, filled: Filled): Costs {
  const { rounding } = schedule;
  const { side, filledValue, fillFees = 0, fillTaxes = 0 } = filled;
  const taxOnValue = taxOn(schedule, day, filledValue);
  if (rounding === undefined) {
    const saleTax = partsOf(filledValue, saleRate(schedule, day, side), VALUE_PARTS);
    return { fee: money(orderFee(schedule, day, filled)), tax: money(taxOnValue + saleTax) };
  }
  const { fee, tax } =
    rounding.per === 'fill'
      ? { fee: fillFees, tax: fillTaxes }
      : roundedCosts(schedule, rounding, day, filled);
  return { fee: money(withOrderFee(schedule, day, filled, fee)), tax: money(taxOnValue + tax) };
}

/** Rounded once, from the exact amounts. The tax of index futures has its own rounding. */
export function roundedCosts(
  schedule: CostSchedule,
  rounding: Rounding,
  day: TradingDay,
  filled: Filled,
): Costs {
  const { side, filledQty, filledValue } = filled;
  const onContracts = BigInt(perContract(schedule, day)) * BigInt(filledQty) * BigInt(VALUE_PARTS);
  const onValue = onValueOf(filled, valueRates(schedule, day));
  const onSale = BigInt(saleRate(schedule, day, side)) * BigInt(filledValue);
  return {
    fee: inSteps(onContracts + onValue, rounding),
    tax: inSteps(onSale, rounding),
  };
}

const onValueOf = ({ filledValue, makerValue = 0 }: Filled, { taker, maker }: ValueFee): bigint =>
  BigInt(taker) * BigInt(filledValue - makerValue) + BigInt(maker) * BigInt(makerValue);

/** `product / VALUE_PARTS` money in whole steps. */
function inSteps(product: bigint, { mode, step }: Rounding): Money {
  const whole = BigInt(VALUE_PARTS) * BigInt(step);
  let steps = product / whole;
  const remainder = product - steps * whole;
  const sign = remainder < 0n ? -1n : 1n;
  const twice = 2n * remainder * sign;
  const isAway =
    mode === 'up'
      ? remainder > 0n
      : twice > whole || (twice === whole && (mode === 'half_up' || steps % 2n !== 0n));
  if (isAway) steps += sign;
  return money(Number(steps) * step);
}

function orderFee(schedule: CostSchedule, day: TradingDay, filled: Filled): number {
  const { filledQty, filledValue, makerValue = 0 } = filled;
  assert(filledQty >= 0 && filledValue >= 0, 'cumulative quantity and value are zero or more');
  const onContracts = perContract(schedule, day) * filledQty;
  const { valueFee, orderFee: perOrder, orderFeeMin, orderFeeMax } = schedule;
  if ((valueFee ?? perOrder ?? orderFeeMin ?? orderFeeMax) === undefined) return onContracts;
  const rates = valueRates(schedule, day);
  const onValue =
    makerValue === 0 || rates.maker === rates.taker
      ? partsOf(filledValue, rates.taker, VALUE_PARTS)
      : inSteps(onValueOf(filled, rates), WHOLE_MONEY);
  return withOrderFee(schedule, day, filled, onContracts + onValue);
}

/** A fee below zero stays where there is no least one. */
function withOrderFee(
  { orderFee, orderFeeMin, orderFeeMax, rounding = WHOLE_MONEY }: CostSchedule,
  day: TradingDay,
  { filledQty, filledValue }: Filled,
  fee: number,
): number {
  if (filledQty === 0) return fee;
  const whole = orderFee === undefined ? fee : fee + rateOn(orderFee, day);
  const min = orderFeeMin === undefined ? 0 : rateOn(orderFeeMin, day);
  const charged = min === 0 ? whole : Math.max(whole, min);
  if (orderFeeMax === undefined) return charged;
  return Math.min(charged, inSteps(BigInt(filledValue) * BigInt(rateOn(orderFeeMax, day)), rounding));
}

const perContract = (schedule: CostSchedule, day: TradingDay): number =>
  rateOn(schedule.exchangeFee, day) + rateOn(schedule.clearingFee, day) + rateOn(schedule.brokerFee, day);

const WHOLE_MONEY: Rounding = { per: 'order', mode: 'half_up', step: 1 };
const NO_VALUE_FEE: ValueFee = { taker: 0, maker: 0 };

const valueRates = ({ valueFee }: CostSchedule, day: TradingDay): ValueFee =>
  valueFee === undefined ? NO_VALUE_FEE : rateOn(valueFee, day);

const saleRate = ({ sellTax }: CostSchedule, day: TradingDay, side: Side): number =>
  side === 'buy' || sellTax === undefined ? 0 : rateOn(sellTax, day);

/** Parts of a rate on value: a percentage with eight digits behind the point is whole. */
const VALUE_PARTS = 10_000_000_000;
const MILLION = 1_000_000;

/** 0.1 % x value x margin rate / 2, half a VND and more up. */
export const taxOn = (schedule: CostSchedule, day: TradingDay, value: number): Money =>
  partsOf(value, rateOn(schedule.taxPpm, day) * rateOn(schedule.marginBps, day), 2 * MILLION * 10_000);

/** `value x rate / whole`, half and more away from zero. */
const partsOf = (value: number, rate: number, whole: number): Money =>
  rate < 0 ? money(0 - partOf(value, 0 - rate, whole)) : partOf(value, rate, whole);

/** Initial margin of contracts worth `value` money, rounded up. Exact: a remainder and no fraction, which a large product would lose. */
export function initialMargin(
  { contractMargin, marginBps }: CostSchedule,
  day: TradingDay,
  value: number,
  contracts: number,
): Money {
  if (contractMargin !== undefined) return money(rateOn(contractMargin, day).initial * Math.abs(contracts));
  return shareUp(Math.abs(value), rateOn(marginBps, day));
}

/** Equity that a position must not fall below, rounded up; zero where nothing is closed by force. */
export function maintenanceMargin(
  { contractMargin, maintenanceBps }: CostSchedule,
  day: TradingDay,
  value: number,
  contracts: number,
): Money {
  if (contractMargin !== undefined)
    return money(rateOn(contractMargin, day).maintenance * Math.abs(contracts));
  return maintenanceBps === undefined ? money(0) : shareUp(Math.abs(value), rateOn(maintenanceBps, day));
}

export const hasMaintenance = ({ contractMargin, maintenanceBps }: CostSchedule): boolean =>
  (contractMargin ?? maintenanceBps) !== undefined;

/** The whole value of a position is paid with cash. */
export const isPaidInFull = ({ contractMargin, marginBps }: CostSchedule, day: TradingDay): boolean =>
  contractMargin === undefined && rateOn(marginBps, day) >= WHOLE_BPS;

const WHOLE_BPS = 10_000;

function shareUp(value: number, bps: number): Money {
  const product = value * bps;
  // Exact: a fraction is 1/10,000 at least, and a double of such a size is nearer than that.
  if (Number.isSafeInteger(product)) return money(Math.ceil(product / WHOLE_BPS));
  return money(Number((BigInt(value) * BigInt(bps) + 9_999n) / 10_000n));
}
