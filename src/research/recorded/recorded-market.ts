/** The configured market of recorded data: its hours, its price steps, and the days of its stream as columns. */
import type { Config } from '../../config/config.ts';
import { alwaysOpen, type TradingCalendar } from '../../domain/calendar.ts';
import { underlyingOf } from '../../domain/contract-code.ts';
import { tradingDay } from '../../domain/civil-date.ts';
import type { ContractSpec } from '../../domain/contract.ts';
import { decimalText } from '../../text/decimals.ts';

export { COLUMN_ROLES, type NamedColumns, PLAIN_ROLES } from '../../recording/import/column-map.ts';
export type { SideWords } from '../../recording/import/import-table.ts';

export interface RecordedMarket {
  /** The exchange's own hours, also where a paper market trades at any hour. */
  readonly calendar: TradingCalendar;
  readonly contracts: Readonly<Record<string, ContractSpec>>;
}

const HUNDREDTHS = 100;

export const recordedMarket = ({ exchangeCalendar, contracts }: Config): RecordedMarket => ({
  calendar: exchangeCalendar,
  contracts,
});

/** Without contracts, and open at any time: of files from anywhere. */
export const NO_MARKET: RecordedMarket = {
  calendar: alwaysOpen({
    name: 'none',
    timeZone: 'UTC',
    utcOffsetMinutes: 0,
    weekdays: [],
    phases: [],
    closures: new Set(),
    validFrom: tradingDay('1970-01-01'),
    validTo: tradingDay('9999-12-31'),
  }),
  contracts: {},
};

/** Undefined for a symbol of another market. */
export function specOfSymbol({ contracts }: RecordedMarket, symbol: string): ContractSpec | undefined {
  const underlying = underlyingOf(symbol.toUpperCase()) ?? '';
  return Object.hasOwn(contracts, underlying) ? contracts[underlying] : undefined;
}

/** Sizes of a tick and of a lot as decimals, such as `0.1`. */
export const stepsOf = ({ hundredthsPerTick, partsPerPoint = HUNDREDTHS, lotSize = 1 }: ContractSpec) => ({
  tickSize: decimalText(hundredthsPerTick / partsPerPoint),
  lotSize: decimalText(lotSize),
});
