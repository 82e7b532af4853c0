/**
 * Strategies from files of the user's own: one module whose default export is a strategy. It imports what strategies may import
 * (`tickwright/strategy`, `zod`, `rxjs`, `trading-signals`) wherever it lies, and may be JavaScript or TypeScript.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StrategyDefinition } from '../../../strategy/index.ts';

/** The file is no strategy; `hint` says what to do. */
export class StrategyFileError extends Error {
  override readonly name = 'StrategyFileError';
  readonly expected: string;
  readonly received: string;
  readonly hint: string;

  constructor(expected: string, received: string, hint: string) {
    super(`expected ${expected}, was ${received} (${hint})`);
    this.expected = expected;
    this.received = received;
    this.hint = hint;
  }
}

export interface LoadedStrategy {
  readonly definition: StrategyDefinition;
  /** Part of the path of its code, by which a stack trace shows it. */
  readonly place: string;
}

/** A name in the catalogue has neither a slash nor an ending. */
export const isStrategyFile = (name: string): boolean => /[/\\]|\.[cm]?[jt]s$/.test(name);

const HERE = dirname(fileURLToPath(import.meta.url));
/** `src` as it runs: compiled, or the sources themselves in a test. */
const COMPILED = resolve(HERE, '../../..');
const ENDING = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const ROOT = ENDING === '.js' ? resolve(COMPILED, '../..') : resolve(COMPILED, '..');

/** Paths in a file are relative to it. */
export const placed = (name: string, besides: string): string =>
  isAbsolute(name) ? name : join(dirname(besides), name);

export async function loadStrategyFile(
  file: string,
  besides: string,
  state: string,
): Promise<LoadedStrategy> {
  const path = placed(file, besides);
  if (!existsSync(path)) {
    throw new StrategyFileError(
      'a strategy of the catalogue, or a file beside this one',
      `no ${path}`,
      'see tickwright strategies',
    );
  }
  const text = path.endsWith('ts') ? compiled(path, state) : readFileSync(path, 'utf8');
  const { module, place } = await loaded(text, path, state);
  const found = definitionIn(module);
  if (found === undefined) {
    throw new StrategyFileError(
      'a module whose default export is a strategy',
      `${file} without one`,
      'export default defineStrategy({ ... })',
    );
  }
  return { definition: found, place };
}

async function loaded(
  text: string,
  path: string,
  state: string,
): Promise<{ readonly module: unknown; readonly place: string }> {
  try {
    const placed = withResolvedImports(text, path);
    const copy = join(resolve(state), 'strategies', `${digestOf(placed)}.mjs`);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, placed);
    const module: unknown = await import(pathToFileURL(copy).href);
    return { module, place: basename(copy) };
  } catch (error) {
    if (!(error instanceof Error) || error instanceof StrategyFileError) throw error;
    const hint = `node --check ${path} shows where; it may import tickwright/strategy, zod, rxjs, trading-signals`;
    throw new StrategyFileError('a module that can be loaded', `${error.name}: ${error.message}`, hint);
  }
}

/** The compiler only strips the types; it is the one that built the program. */
function compiled(path: string, state: string): string {
  const out = join(resolve(state), 'strategies', digestOf(path));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  if (!existsSync(compiler)) {
    throw new StrategyFileError(
      'a TypeScript compiler here',
      'none',
      'npm ci installs it; or write the strategy as JavaScript (.mjs)',
    );
  }
  const kind = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2023'];
  const scope = ['--noCheck', '--noResolve', '--ignoreConfig', '--outDir', out, path];
  const run = spawnSync(process.execPath, [compiler, ...kind, ...scope], { encoding: 'utf8' });
  const made = join(out, basename(path).replace(/ts$/, 'js'));
  if (run.status !== 0 || !existsSync(made)) {
    const output = `${run.stdout}${run.stderr}`.trim();
    throw new StrategyFileError('TypeScript that compiles', output, 'see strategies/README.md');
  }
  return readFileSync(made, 'utf8');
}

/** Matches a module name after `from` or `import`, or in `import(...)`. */
const IMPORTED = /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\2/g;

/** The copy lies elsewhere: every name becomes the address of what it means. */
const withResolvedImports = (text: string, path: string): string =>
  text.replaceAll(IMPORTED, (_, before: string, quote: string, name: string) => {
    return `${before}${quote}${addressOf(name, path)}${quote}`;
  });

function addressOf(name: string, path: string): string {
  const own = /^tickwright\/(strategy|domain\/[\w-]+)$/.exec(name)?.[1];
  if (own !== undefined) return addressOfSource(own === 'strategy' ? 'strategy/index' : own);
  if (!name.startsWith('.')) return name.startsWith('node:') ? name : import.meta.resolve(name);
  const meant = resolve(dirname(path), name);
  const inSource = relative(join(ROOT, 'src'), meant);
  if (!inSource.startsWith('..') && !isAbsolute(inSource))
    return addressOfSource(inSource.replace(/\.[jt]s$/, ''));
  if (meant.endsWith('.ts')) {
    throw new StrategyFileError('a strategy in one file', `an import of ${name}`, 'put it all into one file');
  }
  return pathToFileURL(meant).href;
}

const addressOfSource = (place: string): string => pathToFileURL(join(COMPILED, `${place}${ENDING}`)).href;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function definitionIn(module: unknown): StrategyDefinition | undefined {
  if (typeof module !== 'object' || module === null || !('default' in module)) return undefined;
  const found: unknown = module.default;
  const isOne = typeof found === 'object' && found !== null && 'connect' in found && 'parseParams' in found;
  return isOne ? (found as StrategyDefinition) : undefined; // oxlint-disable-line typescript/no-unsafe-type-assertion -- what defineStrategy makes, told by its parts
}
