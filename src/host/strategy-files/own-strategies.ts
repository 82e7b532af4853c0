/** Loads the strategies of a configuration that are files or packages of the user's own; each problem is reported at its line. */
import { z } from 'zod';
import { type StrategyCode, loadConfig, type ReadConfig } from '../../config/config.ts';
import type { Problem } from '../../config/problem.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import { defineStrategy, type StrategyDefinition } from '../../strategy/index.ts';
import { assert } from '../../domain/assert.ts';
import { type LoadedStrategy, runStrategyCode } from './run-strategy-code.ts';
import { isInstalled, isStrategyFile, readStrategyCode, StrategyFileError } from './strategy-code.ts';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { CATALOG } from '../../../strategies/catalog.ts';
import { isRecord } from '../../domain/parsed.ts';

export interface OwnStrategy extends LoadedStrategy {
  readonly code: StrategyCode;
}

export type OwnStrategies = Awaited<ReturnType<typeof loadOwnStrategies>>;

/** Names of the program's strategies mean these, whatever packages are installed. */
export const isOwn = (strategy: string): boolean =>
  isStrategyFile(strategy) || CATALOG.every(({ name }) => name !== strategy);

interface LoadOptions {
  /** Code that another thread of this run has read already. */
  readonly known?: ReadonlyMap<string, StrategyCode> | undefined;
  /** Longest time that the code of a strategy may take to load. */
  readonly limitMs?: number | undefined;
}

export async function loadOwnStrategies(
  source: YamlSource,
  entries: readonly { readonly strategy: string }[],
  { known, limitMs }: LoadOptions = {},
) {
  const loaded = new Map<string, OwnStrategy>();
  const problems: Problem[] = [];
  for (const [i, { strategy }] of entries.entries()) {
    if (!isOwn(strategy) || loaded.has(strategy)) continue;
    const read = known?.get(strategy);
    // Else it is a misspelled strategy of the program, most likely.
    if (read === undefined && !isStrategyFile(strategy) && !isInstalled(strategy, source.file)) continue;
    try {
      const code = read ?? (await readStrategyCode(strategy, source.file));
      loaded.set(strategy, { code, ...(await runStrategyCode(strategy, code, limitMs)) });
    } catch (error) {
      if (!(error instanceof StrategyFileError)) throw error;
      problems.push(
        source.problem(['strategies', i, 'strategy'], error.expected, error.hint, error.received),
      );
    }
  }
  return {
    /** By file or package, as it is written. */
    loaded,
    problems,
  };
}

/** The strategies of the program and these, as a configuration names them. */
export const catalogWith = (
  loaded: OwnStrategies['loaded'],
): readonly (StrategyDefinition & { readonly code?: StrategyCode })[] => [
  ...CATALOG,
  ...[...loaded].map(([name, { definition, code }]) => ({ ...definition, name, code })),
];

/** By the name of a valid configuration. */
export type DefinitionOf = (strategy: string) => StrategyDefinition;

/** A script that fails here, after it was loaded before, fails when it is connected, and so stops itself alone. */
export async function loadDefinitions(
  strategies: readonly { readonly strategy: string; readonly code: StrategyCode | null }[],
  onLoading: (place: number) => void = () => undefined,
): Promise<DefinitionOf> {
  const definitions = new Map(CATALOG.map((definition) => [definition.name, definition]));
  for (const [place, { strategy, code }] of strategies.entries()) {
    if (code === null || definitions.has(strategy)) continue;
    onLoading(place);
    definitions.set(strategy, await loadedOrFailing(strategy, code));
  }
  return (strategy) => {
    const definition = definitions.get(strategy);
    assert(definition !== undefined, 'a strategy of a valid configuration was loaded');
    return definition;
  };
}

async function loadedOrFailing(name: string, code: StrategyCode): Promise<StrategyDefinition> {
  try {
    return (await runStrategyCode(name, code)).definition;
  } catch (error) {
    return {
      ...defineStrategy({
        name: 'failed',
        summary: '',
        params: z.object({}),
        legs: ['contract'],
        connect: fail,
      }),
      name,
    };
    function fail(): never {
      throw error;
    }
  }
}

export { CATALOG };

/** A configuration that is only shown: strategies that this build does not have are taken as they are written. */
export const storedConfig = (file: string): ReadConfig => loadConfig(file, CATALOG, () => true);

const CODE = new URL('../../../strategies/', import.meta.url);

/** Digest of the files with the code of a strategy: of its folder, or of all strategies when no folder has its name. */
export function codeDigest(strategy: string): string {
  const own = new URL(`${strategy}/`, CODE);
  const folder = existsSync(own) ? own : CODE;
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => /\.[jt]s$/.test(file))
    .toSorted();
  return digestOf(files.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
}

/** Twelve hexadecimal digits; the order of keys does not count. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, sortedKeys)).digest('hex').slice(0, 12);

export function sortedKeys(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
