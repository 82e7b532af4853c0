/** The strategies of a configuration, each checked against its own schema. */
import { formatCount } from '../text/numbers.ts';
import { z } from 'zod';
import type { StrategyCode, StrategyConfig } from './config.ts';
import type { ConfigFile } from './config-schema.ts';
import { meantHint, type Problem } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';
import { zodProblems } from './zod-problems.ts';

/** The part of a strategy's definition that the configuration checks. */
export interface CatalogEntry {
  readonly name: string;
  readonly params: z.ZodType;
  /** A name for each contract that the strategy trades. */
  readonly legs: readonly string[];
  readonly code?: StrategyCode;
}

export type Catalog = readonly CatalogEntry[];

type Entry = ConfigFile['strategies'][number];

/** Lines and tables show these names next to those of strategies. */
const RESERVED: ReadonlySet<string> = new Set(['operator', 'system', 'all', 'total']);

export interface StrategiesRead {
  readonly entries: readonly StrategyConfig[];
  readonly problems: readonly Problem[];
}

/** Strategies that are not in the catalogue and that `isAsWritten` names are taken as they are written: they cannot run. */
export function readStrategies(
  source: YamlSource,
  file: Pick<ConfigFile, 'strategies'>,
  catalog: Catalog,
  isAsWritten: (strategy: string) => boolean = () => false,
): StrategiesRead {
  const entries: StrategyConfig[] = [];
  const problems: Problem[] = [];
  const ids = new Map<string, number>();
  file.strategies.forEach((entry, i) => {
    const path = ['strategies', i];
    const taken = ids.get(entry.id) ?? (RESERVED.has(entry.id) ? null : undefined);
    if (taken !== undefined) {
      const hint = taken === null ? 'the program itself has this name' : `line ${taken} has it too`;
      problems.push(source.problem([...path, 'id'], 'an id that no other strategy has', hint));
    }
    ids.set(entry.id, source.lineOf([...path, 'id']));
    const definition = catalog.find(({ name }) => name === entry.strategy);
    if (definition === undefined && isAsWritten(entry.strategy)) {
      const { id, strategy, symbols, params } = entry;
      entries.push({ id, strategy, code: null, symbols, params });
    } else if (definition === undefined) problems.push(unknownStrategy(source, path, entry, catalog));
    else problems.push(...readOne(source, path, entry, definition, entries));
  });
  return { entries, problems };
}

function unknownStrategy(
  source: YamlSource,
  path: readonly PropertyKey[],
  entry: Entry,
  catalog: Catalog,
): Problem {
  const names = catalog.map(({ name }) => name);
  return source.problem(
    [...path, 'strategy'],
    `one of ${names.join(', ')}, a file such as ./mine.ts, or an installed package`,
    meantHint(entry.strategy, names, 'see tickwright strategies'),
  );
}

/** The command lists the strategies of the program alone. */
const helpOf = ({ code, params }: CatalogEntry): string =>
  code === undefined || !(params instanceof z.ZodObject)
    ? 'see tickwright strategies'
    : `write one of ${Object.keys(params.shape).join(', ')}`;

function readOne(
  source: YamlSource,
  path: readonly PropertyKey[],
  entry: Entry,
  definition: CatalogEntry,
  entries: StrategyConfig[],
): readonly Problem[] {
  const problems: Problem[] = [];
  if (entry.symbols.length !== definition.legs.length) {
    const expected = `${formatCount(definition.legs.length, 'symbol')} (${definition.legs.join(', ')})`;
    problems.push(source.problem([...path, 'symbols'], expected));
  }
  const params = definition.params.safeParse(entry.params);
  if (!params.success) {
    const place = { base: [...path, 'params'], help: helpOf(definition) };
    // Rules between parameters wait until every key is spelled right.
    const issues = params.error.issues;
    const isMisspelt = issues.some(({ code }) => code === 'unrecognized_keys');
    const relevant = issues.filter(({ code }) => !isMisspelt || code !== 'custom');
    return [...problems, ...zodProblems(source, relevant, definition.params, place)];
  }
  const { id, strategy, symbols } = entry;
  const read = Object.fromEntries(Object.entries(params.data ?? {}));
  entries.push({ id, strategy, code: definition.code ?? null, symbols, params: read });
  return problems;
}
