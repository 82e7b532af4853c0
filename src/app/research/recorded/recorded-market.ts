/** The configured market of recorded data: its hours and its price steps. */
import type { Config } from '../../../config/config.ts';
import type { TradingCalendar } from '../../../domain/calendar.ts';
import { contractMonthOf } from '../../../domain/contract-code.ts';
import type { ContractSpec } from '../../../domain/contract.ts';

export interface RecordedMarket {
  /** The exchange's own hours, also where a paper market trades at any hour. */
  readonly calendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
}

const HUNDREDTHS = 100;
/** `VN30F1M`, `VN30F2Q`: a place among the listed months, not a contract. */
const ROLLING = /^([A-Z0-9]+)F\d[MQ]$/;

export const recordedMarket = ({ exchangeCalendar, contracts }: Config): RecordedMarket => ({
  calendar: exchangeCalendar,
  contracts,
});

/** Undefined for a symbol of another market. */
export function specOfSymbol({ contracts }: RecordedMarket, symbol: string): ContractSpec | undefined {
  const code = symbol.toUpperCase();
  const underlying = contractMonthOf(code)?.underlying ?? ROLLING.exec(code)?.[1] ?? '';
  return Object.hasOwn(contracts, underlying) ? contracts[underlying] : undefined;
}

/** Decimal text, such as `0.1`. */
export const tickSizeOf = ({ hundredthsPerTick, partsPerPoint = HUNDREDTHS }: ContractSpec): string =>
  String(hundredthsPerTick / partsPerPoint);
