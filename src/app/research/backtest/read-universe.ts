/** The contracts of a run, and the days on which each is traded: members of a universe, and contracts that expire. */
import type { Problem } from '../../../config/problem.ts';
import type { YamlSource } from '../../../config/yaml-source.ts';
import { addDays, isTradingDay, type TradingDay, tradingDay } from '../../../domain/civil-date.ts';
import type { Delisting } from '../../../domain/corporate-action.ts';
import { readSmallTable } from '../../../recording/import/table-file.ts';
import { placed } from '../../host/strategy-files/strategy-code.ts';
import type { BacktestMarket } from './backtest-market.ts';
import type { BacktestFile } from './backtest-schema.ts';

export interface Universe {
  /** Null: all that the data has. */
  readonly symbols: readonly string[] | null;
  isListed(code: string, day: TradingDay): boolean;
  /** Positions held on these days are paid out at the last price. */
  readonly leaves: readonly Delisting[];
}

/** Both days belong to it; null without an end. */
interface Membership {
  readonly symbol: string;
  readonly from: TradingDay | null;
  readonly to: TradingDay | null;
}

const HINT =
  'one symbol a line, or symbol,from,to with the first and the last day of a membership: AAPL,1982-11-30,';

export function readUniverse(
  source: YamlSource,
  { data: { symbols } }: BacktestFile,
  market: BacktestMarket,
  problems: Problem[],
): Universe {
  const expiring = Object.entries(market.settledAfter).map(([symbol, to]): Membership => ({
    symbol,
    from: null,
    to,
  }));
  if (typeof symbols !== 'string') return universeOf(symbols ?? null, expiring);
  const read = membershipsIn(placed(symbols, source.file));
  if ('wrong' in read) {
    problems.push(source.problem(['data', 'symbols'], 'a file of symbols', HINT, read.wrong));
    return universeOf(null, expiring);
  }
  const unknown = read.find(({ symbol }) => market.specOf(symbol) === undefined);
  if (unknown !== undefined)
    problems.push(source.problem(['data', 'symbols'], 'contracts of this market', '', unknown.symbol));
  return universeOf([...new Set(read.map(({ symbol }) => symbol))], [...expiring, ...read]);
}

function universeOf(symbols: readonly string[] | null, memberships: readonly Membership[]): Universe {
  const bySymbol = new Map<string, Membership[]>();
  for (const each of memberships) {
    const same = bySymbol.get(each.symbol);
    if (same === undefined) bySymbol.set(each.symbol, [each]);
    else same.push(each);
  }
  return {
    symbols,
    isListed: (code, day) => bySymbol.get(code)?.some((each) => holds(each, day)) ?? true,
    leaves: memberships.flatMap(({ symbol, to }) => {
      if (to === null) return [];
      const exDay = addDays(to, 1);
      const goesOn = bySymbol.get(symbol)?.some((each) => holds(each, exDay)) ?? false;
      return goesOn ? [] : [{ kind: 'delisting', code: symbol, exDay, price: null } as const];
    }),
  };
}

const holds = ({ from, to }: Membership, day: TradingDay): boolean =>
  (from === null || from <= day) && (to === null || day <= to);

function membershipsIn(path: string): readonly Membership[] | { readonly wrong: string } {
  const table = readSmallTable(path);
  if ('wrong' in table) return table;
  const found: Membership[] = [];
  for (const [i, { cells, place }] of table.entries()) {
    const [symbol = '', from = '', to = '', ...more] = cells;
    if (i === 0 && symbol.toLowerCase() === 'symbol') continue;
    const isRow = symbol !== '' && more.length === 0 && isDay(from) && isDay(to);
    if (!isRow || (from !== '' && to !== '' && to < from)) return { wrong: place };
    found.push({ symbol, from: dayOf(from), to: dayOf(to) });
  }
  return found.length === 0 ? { wrong: `${path} has no symbols` } : found;
}

const isDay = (text: string): boolean => text === '' || isTradingDay(text);
const dayOf = (text: string): TradingDay | null => (text === '' ? null : tradingDay(text));
