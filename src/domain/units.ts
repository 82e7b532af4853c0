/** Whole numbers with a brand, minted in this file alone; off the grid is an error. `src/wire` converts the broker's decimals, once. */
import { assert } from './assert.ts';

declare const brand: unique symbol;
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Order and trade prices: whole ticks of the contract (VN30F: 0.1 point). */
export type PriceTicks = Brand<number, 'PriceTicks'>;
/** Reference, settlement and average prices: whole hundredths of a point (rulings, 1). */
export type PriceHundredths = Brand<number, 'PriceHundredths'>;
/** Whole contracts, zero or more. */
export type Qty = Brand<number, 'Qty'>;
/** Whole contracts with a sign: above zero long, below zero short. */
export type SignedQty = Brand<number, 'SignedQty'>;
/** Whole units of the account's currency (VN30F: whole VND), with a sign. */
export type Money = Brand<number, 'Money'>;
/** Whole microseconds since 1970-01-01T00:00:00Z. */
export type TsUs = Brand<number, 'TsUs'>;
/** A span of whole microseconds, zero or more. */
export type DurationUs = Brand<number, 'DurationUs'>;
/** Position of an input in the sequence of all inputs of the engine. */
export type Seq = Brand<number, 'Seq'>;
/** Index of a contract in the session's contract table: a symbol becomes an index at the edge. */
export type InstrumentIndex = Brand<number, 'InstrumentIndex'>;
/** Index of a strategy instance in the configuration; `OPERATOR_INDEX` owns adopted positions. */
export type StrategyIndex = Brand<number, 'StrategyIndex'>;

/** Parts of the whole. */
export const BPS = 10_000;
export const bpsOf = (percent: number): number => Math.round(percent * 100);

export const US_PER_MS = 1_000;
export const US_PER_SECOND = 1_000_000;
export const US_PER_MINUTE = 60 * US_PER_SECOND;
export const US_PER_HOUR = 60 * US_PER_MINUTE;
export const US_PER_DAY = 24 * US_PER_HOUR;

/**
 * V8 keeps a whole number of 32 bits in place where it was calculated in whole numbers, and else outside of the object: one such quantity
 * changes the layout of all objects that hold one, and the code that reads them is compiled again. -0 and 0 are one number.
 */
function inPlace(value: number): number {
  const whole = value | 0;
  return whole === value ? whole : value;
}

export function priceTicks(value: number): PriceTicks {
  assert(Number.isSafeInteger(value), 'a price is a whole number of ticks');
  return inPlace(value) as PriceTicks;
}

export function priceHundredths(value: number): PriceHundredths {
  assert(Number.isSafeInteger(value), 'a reference price is a whole number of hundredths');
  return inPlace(value) as PriceHundredths;
}

export function qty(value: number): Qty {
  assert(Number.isSafeInteger(value) && value >= 0, 'a quantity is a whole number, zero or more');
  return inPlace(value) as Qty;
}

export function signedQty(value: number): SignedQty {
  assert(Number.isSafeInteger(value), 'a position is a whole number');
  return inPlace(value) as SignedQty;
}

/** Sums would be rounded in silence. */
const BEYOND =
  'money stays within 2^53 of its smallest unit: take less capital, a larger lot or a coarser tick';

export function money(value: number): Money {
  assert(Number.isSafeInteger(value), Number.isInteger(value) ? BEYOND : 'money is a whole number');
  return (value === 0 ? 0 : value) as Money;
}

export function tsUs(value: number): TsUs {
  assert(Number.isSafeInteger(value), 'a time is a whole number of microseconds');
  return value as TsUs;
}

export function durationUs(value: number): DurationUs {
  assert(
    Number.isSafeInteger(value) && value >= 0,
    'a duration is a whole number of microseconds, zero or more',
  );
  return value as DurationUs;
}

export function seq(value: number): Seq {
  assert(Number.isSafeInteger(value) && value >= 0, 'a sequence number is a whole number, zero or more');
  return inPlace(value) as Seq;
}

export function instrumentIndex(value: number): InstrumentIndex {
  assert(Number.isSafeInteger(value) && value >= 0, 'an instrument index is a whole number, zero or more');
  return inPlace(value) as InstrumentIndex;
}

export function strategyIndex(value: number): StrategyIndex {
  assert(
    Number.isSafeInteger(value) && value >= -1,
    'a strategy index is a whole number, -1 for the operator',
  );
  return inPlace(value) as StrategyIndex;
}

/** Owner of adopted orders and positions (rulings, 40). */
export const OPERATOR_INDEX = strategyIndex(-1);

/** Whole milliseconds, rounded down. */
export const toMs = (us: number): number => Math.floor(us / US_PER_MS);
export const milliseconds = (value: number): DurationUs => durationUs(Math.round(value * US_PER_MS));
export const seconds = (value: number): DurationUs => durationUs(Math.round(value * US_PER_SECOND));
export const minutes = (value: number): DurationUs => durationUs(Math.round(value * US_PER_MINUTE));
export const hours = (value: number): DurationUs => durationUs(Math.round(value * US_PER_HOUR));
export const days = (value: number): DurationUs => durationUs(Math.round(value * US_PER_DAY));
export const addUs = (at: TsUs, span: number): TsUs => tsUs(at + span);
