/** Runs the script of a user's strategy in this thread; its imports come from the program that runs. */
import { Console } from 'node:console';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { resolve } from 'node:path';
import { compileFunction, Script } from 'node:vm';
import { config } from 'rxjs';
import type { StrategyCode } from '../../config/config.ts';
import type { StrategyDefinition } from '../../strategy/index.ts';
import { setTrap } from './clock-trap.ts';
import { addressOf, machineUses, StrategyFileError } from './strategy-code.ts';

export type LoadedStrategy = Awaited<ReturnType<typeof runStrategyCode>>;

/** Throws a `StrategyFileError` where it cannot be loaded. `name`: its file or package, as it is written. */
export async function runStrategyCode(name: string, code: StrategyCode, limitMs = LOAD_MS_MAX) {
  const { place } = code;
  const modules = await modulesFor(code.imports);
  // As while it runs (see `createStrategyHost`): otherwise errors of a stream come later, and end the process.
  config.useDeprecatedSynchronousErrorHandling = true;
  const trap = setTrap({ places: new Map([[place, place]]), isFalse: false });
  let exported: unknown;
  let changes: readonly string[] = [];
  try {
    exported = endingLoops(() => evaluated(code, modules), limitMs);
  } catch (error) {
    if (error instanceof StrategyFileError) throw error;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const frame = error instanceof Error ? ownFrame(error.stack ?? '', code) : '';
    throw new StrategyFileError(
      'a module that can be loaded',
      `${text}${frame}`,
      'nothing else of it has run',
    );
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
    place,
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

function evaluated({ script, place }: StrategyCode, modules: Modules): unknown {
  const module: { exports: unknown } = { exports: {} };
  const names = ['module', 'exports', 'require', 'console'];
  const run: unknown = compileFunction(script, names, { filename: place });
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
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      throw error;
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
  const frame = stack.split('\n').find((line) => line.includes(code.place));
  const where = frame === undefined ? null : /\(?([^\s(]+:\d+:\d+)\)?$/.exec(inSource(frame, code));
  return where === null ? '' : ` at ${where[1] ?? ''}`;
};

/** The runtime knows no source map of the script. */
function inSource(stack: string, { place, map, file }: StrategyCode): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the bundler
  const lines = new SourceMap(JSON.parse(map) as SourceMapPayload);
  const frame = new RegExp(String.raw`[^\s(]*${place}:(\d+):(\d+)`, 'g');
  return stack.replaceAll(frame, (_, line: string, column: string) => {
    const entry = lines.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalLine' in entry)) return `${file}:${line}:${column}`;
    const source = resolve('/', entry.originalSource);
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}
