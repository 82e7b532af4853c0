/**
 * Decimals of a market as whole numbers: ticks of any size, lots below one, a currency with as many digits as it takes, so that
 * the money of one tick of one lot is whole and nothing is ever rounded away.
 */
import { type ContractSpec, NO_BAND_BPS } from '../../../domain/contract.ts';

/** What a market says of one contract, in decimals. */
export interface ContractTerms {
  readonly tick: number;
  readonly lot: number;
  /** Money of one point for one unit of what is traded. */
  readonly pointValue: number;
  readonly orderQtyMax: number;
  readonly bandPercent: number | null;
}

/** Profits of partly closed positions are told to a ten-thousandth of the currency at least. */
const MONEY_DECIMALS_MIN = 4;
const PRICE_DECIMALS_MIN = 2;

/** Decimals of a number as people write it: 2 for 0.25. */
function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = value.toString().split('e');
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent));
}

/** Digits of money behind the point that all of `contracts` need. */
export function moneyDecimals(contracts: readonly ContractTerms[]): number {
  const needed = contracts.map(
    ({ tick, lot, pointValue }) =>
      Math.max(PRICE_DECIMALS_MIN, decimalsOf(tick)) + decimalsOf(lot) + decimalsOf(pointValue),
  );
  return Math.max(MONEY_DECIMALS_MIN, ...needed);
}

/** A decimal as a whole number of its `decimals`-th digits; undefined where it has more digits. */
export function wholeOf(value: number, decimals: number): number | undefined {
  const whole = Math.round(value * 10 ** decimals);
  return Number.isSafeInteger(whole) && Math.abs(whole / 10 ** decimals - value) <= Math.abs(value) * 1e-12
    ? whole
    : undefined;
}

/** `moneyScale` units of money make one of the currency. */
export function specOf(symbol: string, terms: ContractTerms, moneyScale: number): ContractSpec {
  const priceDecimals = Math.max(PRICE_DECIMALS_MIN, decimalsOf(terms.tick));
  const partsPerPoint = 10 ** priceDecimals;
  const money = terms.pointValue * terms.lot * moneyScale;
  return {
    underlying: symbol,
    hundredthsPerTick: Math.round(terms.tick * partsPerPoint),
    moneyPerHundredth: Math.round(money / partsPerPoint),
    orderQtyMax: terms.orderQtyMax,
    bandBps: terms.bandPercent === null ? NO_BAND_BPS : Math.round(terms.bandPercent * 100),
    partsPerPoint,
    lotSize: terms.lot,
  };
}
