/** What a main file says of contracts must fit its market. */
import { contractMonthOf } from '../domain/contract-code.ts';
import type { ConfigFile } from './config-schema.ts';
import { nearest, type Problem } from './problem.ts';
import type { Market } from './read-market.ts';
import type { YamlSource } from './yaml-source.ts';

export function limitProblems(
  source: YamlSource,
  file: Pick<ConfigFile, 'risk' | 'strategies'>,
  { contracts }: Pick<Market, 'contracts'>,
): readonly Problem[] {
  return [...qtyProblems(source, file, contracts), ...symbolProblems(source, file, Object.keys(contracts))];
}

function qtyProblems(
  source: YamlSource,
  { risk }: Pick<ConfigFile, 'risk'>,
  contracts: Market['contracts'],
): readonly Problem[] {
  const most = Math.max(...Object.values(contracts).map(({ orderQtyMax }) => orderQtyMax));
  if (risk.orderQtyMax <= most) return [];
  return [source.problem(['risk', 'orderQtyMax'], `at most ${most}`, 'the exchange takes no larger order')];
}

/** Current and next month, and the two quarters after them. */
const PLACES = ['F1M', 'F2M', 'F1Q', 'F2Q'] as const;

function symbolProblems(
  source: YamlSource,
  { strategies }: Pick<ConfigFile, 'strategies'>,
  underlyings: readonly string[],
): readonly Problem[] {
  const aliases = underlyings.flatMap((underlying) => PLACES.map((place) => `${underlying}${place}`));
  return strategies.flatMap(({ symbols }, i) =>
    symbols.flatMap((symbol, j) => {
      const path = ['strategies', i, 'symbols', j];
      const month = contractMonthOf(symbol);
      const isKnown =
        aliases.includes(symbol) || (month !== undefined && underlyings.includes(month.underlying));
      if (!isKnown) return [unknownSymbol(source, path, symbol, aliases)];
      if (symbols.indexOf(symbol) === j) return [];
      return [source.problem(path, 'another contract for each leg')];
    }),
  );
}

function unknownSymbol(
  source: YamlSource,
  path: readonly PropertyKey[],
  symbol: string,
  aliases: readonly string[],
): Problem {
  const meant = nearest(symbol, aliases);
  const hint =
    meant === undefined
      ? 'F1M is the front month, F2M the next; a contract code goes too'
      : `did you mean ${meant}?`;
  return source.problem(path, `a contract of this market, like ${aliases[0] ?? ''}`, hint);
}
