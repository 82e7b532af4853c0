/** Currencies: the smallest amount that is paid. */

/** ISO 4217 where it is not two; coins as their networks or most exchanges count them. */
const DECIMALS: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  ISK: 0,
  JPY: 0,
  KRW: 0,
  PYG: 0,
  UGX: 0,
  VND: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  BTC: 8,
  ETH: 8,
  USDC: 8,
  USDT: 8,
};
const USUAL = 2;

/** Digits behind the point of the smallest amount: 2 for USD, 0 for VND, 8 for BTC. */
export const currencyDecimals = (currency: string): number => DECIMALS[currency] ?? USUAL;

const ISO_4217: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

const isCurrency = (code: string): boolean => ISO_4217.has(code) || code in DECIMALS;

/** The currency in which a pair like `USDJPY` or `BTC-EUR` is quoted; undefined for a name that is no pair of known ones. */
export function quoteCurrency(symbol: string): string | undefined {
  const [, base = '', quote = ''] = /^([A-Z]{3})[.-]?([A-Z]{3})$/.exec(symbol) ?? [];
  return isCurrency(base) && isCurrency(quote) ? quote : undefined;
}
