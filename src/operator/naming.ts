/** Names of strategies, contracts, prices and times in console lines. */
import { type TradingCalendar, tradingDayAt } from '../domain/calendar.ts';
import { formatTime } from '../domain/civil-date.ts';
import { withAliases } from '../domain/contract-code.ts';
import { type Contract, formatPoints } from '../domain/contract.ts';
import type { OrderCode, StrategyNames } from '../domain/ids.ts';
import type { InstrumentIndex, PriceTicks, StrategyIndex, TsUs } from '../domain/units.ts';

export interface ContractNaming {
  readonly code: string;
  /** Points as people write them, `1305.2`. */
  readonly points: (ticks: PriceTicks) => string;
  /** Average price in points of `qty` contracts worth `value` money. */
  readonly average: (value: number, qty: number) => string;
}

export interface NamingFacts {
  readonly contracts: () => readonly Contract[];
  /** Null where it cannot be read any more: times are in UTC then, and contracts are codes. */
  readonly calendar: TradingCalendar | null;
  /** State directory; null for the default of the commands. */
  readonly stateDir?: string | null;
}

export type Naming = Readonly<ReturnType<typeof createNaming>>;

export function createNaming(
  names: Pick<StrategyNames, 'nameOf'>,
  { contracts, calendar, stateDir = null }: NamingFacts,
) {
  return {
    /** Null means the daemon itself. */
    strategy: (index: StrategyIndex | null): string => (index === null ? 'system' : names.nameOf(index)),
    contract: (instrument: InstrumentIndex | OrderCode): ContractNaming => {
      const found = contracts().find(({ index, orderCode }) =>
        typeof instrument === 'number' ? index === instrument : orderCode === instrument,
      );
      return found === undefined ? unlisted(instrument) : listed(found);
    },
    /** Names the contracts in a text of that moment. */
    named: (text: string, at: TsUs): string =>
      calendar === null ? text : withAliases(text, calendar, tradingDayAt(calendar, at)),
    /** To the second: the journal has the microseconds. */
    time: (tsUs: TsUs): string => formatTime(tsUs, calendar?.utcOffsetMinutes ?? 0).slice(0, 8),
    /** A command line of the program with this daemon's state directory. */
    command: (text: string): string => `tickwright ${text}${stateDir === null ? '' : ` --state ${stateDir}`}`,
  };
}

const listed = ({ orderCode, spec }: Contract): ContractNaming => ({
  code: orderCode,
  points: (ticks) => formatPoints(spec, ticks),
  average: (value, qty) => {
    if (qty === 0) return '-';
    const hundredths = value / (qty * spec.moneyPerHundredth);
    const points = hundredths / 100;
    return hundredths % spec.hundredthsPerTick === 0 ? points.toFixed(1) : points.toFixed(3);
  },
});

/** Prices stay ticks without the contract's terms. */
const unlisted = (instrument: InstrumentIndex | OrderCode): ContractNaming => ({
  code: typeof instrument === 'number' ? `contract ${instrument}` : instrument,
  points: (ticks) => `${ticks} ticks`,
  average: () => 'unknown price',
});
