/** Loads the strategies of a configuration that are files or packages of the user's own; each problem is reported at its line. */
import { z } from 'zod';
import { type StrategyCode, loadConfig, type ReadConfig } from '../../config/config.ts';
import type { Problem } from '../../config/problem.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import { defineStrategy, type StrategyDefinition } from '../../strategy/index.ts';
import { assert } from '../../domain/assert.ts';
import { hasCode } from '../../domain/failure.ts';
import { setTrap } from './clock-trap.ts';
import {
  addressOf,
  isInstalled,
  isStrategyFile,
  machineUses,
  readStrategyCode,
  StrategyFileError,
} from './strategy-code.ts';
import { Console } from 'node:console';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { resolve } from 'node:path';
import { compileFunction, Script } from 'node:vm';
import { config } from 'rxjs';
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

/** `known`: code that another thread of this run has read; `limitMs`: longest time that the code of a strategy may take to load. */
export async function loadOwnStrategies(
  source: YamlSource,
  entries: readonly { readonly strategy: string }[],
  known?: ReadonlyMap<string, StrategyCode>,
  limitMs?: number,
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
  onLoading: (index: number) => void = () => undefined,
): Promise<DefinitionOf> {
  const definitions = new Map(CATALOG.map((definition) => [definition.name, definition]));
  for (const [index, { strategy, code }] of strategies.entries()) {
    if (code === null || definitions.has(strategy)) continue;
    onLoading(index);
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

// Runs the script of a user's strategy in this thread; its imports come from the program that runs.

export type LoadedStrategy = Awaited<ReturnType<typeof runStrategyCode>>;

/** Throws a `StrategyFileError` where it cannot be loaded. `name`: its file or package, as it is written. */
export async function runStrategyCode(name: string, code: StrategyCode, limitMs = LOAD_MS_MAX) {
  const { stackName } = code;
  const modules = await modulesFor(code.imports);
  // As while it runs (see `createStrategyHost`): otherwise errors of a stream come later, and end the process.
  config.useDeprecatedSynchronousErrorHandling = true;
  const trap = setTrap({ stackNames: new Map([[stackName, stackName]]), isFalse: false });
  let exported: unknown;
  let changes: readonly string[] = [];
  try {
    exported = endingLoops(() => evaluated(code, modules), limitMs);
  } catch (error) {
    if (error instanceof StrategyFileError) throw error;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const frame = error instanceof Error ? ownFrame(error.stack ?? '', code) : '';
    throw new StrategyFileError('a module that can be loaded', text + frame, 'nothing else of it has run');
  } finally {
    changes = trap.release();
  }
  if (changes.length > 0) {
    throw new StrategyFileError(
      'a module that leaves alone what all code shares',
      `a change of ${changes.join(', ')}`,
      'keep values of your own in variables',
    );
  }
  const definition = definitionIn(exported);
  if (definition === undefined) {
    throw new StrategyFileError(
      'a module whose default export is a strategy',
      `${name} without one`,
      'export default defineStrategy({ ... })',
    );
  }
  const loadUses = [...new Set([...machineUses(code.script), ...trap.uses.map(({ what }) => what)])];
  return {
    definition,
    /** Name of its script, or part of the path of its code, by which a stack trace shows it. */
    stackName,
    /** What of the machine its script names, or called while it was loaded. */
    loadUses,
    /** Puts file and lines of its author into a stack. */
    inSource: (stack: string) => inSource(stack, code),
  };
}

const LOAD_MS_MAX = 20_000;

type Modules = ReadonlyMap<string, object>;

/** Plain copies: a strategy reads them faster than namespaces, and a changed one is its own alone. */
async function modulesFor(names: readonly string[]): Promise<Modules> {
  const modules = new Map<string, object>();
  for (const name of names) {
    try {
      const module: object = await import(addressOf(name));
      modules.set(name, Object.freeze({ __esModule: true, ...module }));
    } catch {
      throw new StrategyFileError(
        'imports of modules that there are',
        `an import of ${name}`,
        'see strategies/README.md',
      );
    }
  }
  return modules;
}

/** The standard output belongs to the program: figures as JSON, lines of the log. */
const ON_STDERR = new Console({ stdout: process.stderr, stderr: process.stderr, colorMode: false });

function evaluated({ script, stackName }: StrategyCode, modules: Modules): unknown {
  const module: { exports: unknown } = { exports: {} };
  const names = ['module', 'exports', 'require', 'console'];
  const run: unknown = compileFunction(script, names, { filename: stackName });
  const given = [module, module.exports, (name: string) => modules.get(name), ON_STDERR];
  if (typeof run === 'function') Reflect.apply(run, undefined, given);
  return module.exports;
}

const LOAD = Symbol.for('tickwright.load');
const CALL_LOAD = new Script(`globalThis[Symbol.for('${LOAD.description ?? ''}')]()`);

/** A module that loops for ever is ended: only a script can be given a limit. */
function endingLoops(load: () => unknown, limitMs: number): unknown {
  Reflect.set(globalThis, LOAD, load);
  try {
    // Else the runtime writes the line that failed before the stack.
    return CALL_LOAD.runInThisContext({ timeout: limitMs, displayErrors: false });
  } catch (error) {
    if (!hasCode(error, 'ERR_SCRIPT_EXECUTION_TIMEOUT')) throw error;
    throw new StrategyFileError(
      'a module that can be loaded',
      `code outside of connect() that did not end within ${limitMs / 1_000} s`,
      'no stack can be read there: look for a loop that runs for ever',
    );
  } finally {
    Reflect.deleteProperty(globalThis, LOAD);
  }
}

function definitionIn(exported: unknown): StrategyDefinition | undefined {
  if (typeof exported !== 'object' || exported === null || !('default' in exported)) return undefined;
  const found: unknown = exported.default;
  const isOne = typeof found === 'object' && found !== null && 'connect' in found && 'parseParams' in found;
  return isOne ? (found as StrategyDefinition) : undefined; // oxlint-disable-line typescript/no-unsafe-type-assertion -- an object of defineStrategy, checked by its parts
}

const ownFrame = (stack: string, code: StrategyCode): string => {
  const frame = stack.split('\n').find((line) => line.includes(code.stackName));
  const where = frame === undefined ? null : /\(?([^\s(]+:\d+:\d+)\)?$/.exec(inSource(frame, code));
  return where === null ? '' : ` at ${where[1] ?? ''}`;
};

/** The runtime knows no source map of the script. */
function inSource(stack: string, { stackName, map, file }: StrategyCode): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the bundler
  const lines = new SourceMap(JSON.parse(map) as SourceMapPayload);
  const frame = new RegExp(String.raw`[^\s(]*${stackName}:(\d+):(\d+)`, 'g');
  return stack.replaceAll(frame, (_, line: string, column: string) => {
    const entry = lines.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalLine' in entry)) return `${file}:${line}:${column}`;
    const source = resolve('/', entry.originalSource);
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
