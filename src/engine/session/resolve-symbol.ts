/** Which contract a configured symbol means today (market rules, sections 1 and 2). */
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { Contract } from '../../domain/contract.ts';
import { type ContractMonth, contractMonthOf } from '../../domain/contract-code.ts';
import { notParsed, parsed, type Parsed } from '../../domain/parsed.ts';
import type { TsUs } from '../../domain/units.ts';
import { isPassed } from './day-plan.ts';

const ALIAS = /^(VN30|VN100)F([12])([MQ])$/;
/** Listed are the current month, the next, and two quarters (market rules, section 1). */
const PLACES: Readonly<Record<string, number>> = { '1M': 0, '2M': 1, '1Q': 2, '2Q': 3 };

/**
 * An alias counts the contracts that are not over yet, nearest expiry first; after the close of its last day a contract no
 * longer counts. Anything else is a code, in either of its forms.
 */
export function resolveSymbol(
  symbol: string,
  contracts: readonly Contract[],
  calendar: TradingCalendar,
  now: TsUs,
): Parsed<Contract> {
  const alias = ALIAS.exec(symbol);
  const contract = alias
    ? live(contracts, calendar, now, alias[1] ?? '')[PLACES[`${alias[2]}${alias[3]}`] ?? -1]
    : byCode(symbol, contracts);
  if (contract === undefined) return notParsed(symbol, 'a listed contract', codesOf(contracts));
  if (isPassed(calendar, contract, now))
    return notParsed(symbol, 'a contract that has not expired', contract.expiry);
  return parsed(contract);
}

const live = (
  contracts: readonly Contract[],
  calendar: TradingCalendar,
  now: TsUs,
  underlying: string,
): readonly Contract[] =>
  contracts
    .filter((contract) => contract.spec.underlying === underlying && !isPassed(calendar, contract, now))
    .toSorted((a, b) => (a.expiry < b.expiry ? -1 : 1));

function byCode(symbol: string, contracts: readonly Contract[]): Contract | undefined {
  const exact = contracts.find(({ orderCode, streamCode }) => orderCode === symbol || streamCode === symbol);
  const month = contractMonthOf(symbol);
  if (exact !== undefined || month === undefined) return exact;
  return contracts.find(({ orderCode }) => isSameMonth(contractMonthOf(orderCode), month));
}

const isSameMonth = (a: ContractMonth | undefined, b: ContractMonth): boolean =>
  a !== undefined && a.underlying === b.underlying && a.year === b.year && a.month === b.month;

const codesOf = (contracts: readonly Contract[]): string =>
  contracts.map(({ orderCode }) => orderCode).join(' ');
