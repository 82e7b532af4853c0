/**
 * Strategies from files of the user's own: one module whose default export is a strategy. It imports what strategies may import
 * (`tickwright/strategy`, `zod`, `rxjs`, `trading-signals`) wherever it lies, and may be JavaScript or TypeScript.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StrategyDefinition } from '../../../strategy/index.ts';
import { setTrap } from './clock-trap.ts';
import { ALLOWED_TEXT, hiddenLoading, IMPORTED, mayImport } from './strategy-imports.ts';

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
  /** Functions of the machine that it called while it was loaded. */
  readonly loadUses: readonly string[];
  /** Puts file and lines of its author into a stack. */
  inSource(stack: string): string;
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
  const { text, lines } = path.endsWith('ts') ? compiled(path, state) : written(path);
  const { module, place, loadUses } = await loaded(text, path, state);
  const found = definitionIn(module);
  if (found === undefined) {
    throw new StrategyFileError(
      'a module whose default export is a strategy',
      `${file} without one`,
      'export default defineStrategy({ ... })',
    );
  }
  return { definition: found, place, loadUses, inSource: (stack) => inSource(stack, { path, place, lines }) };
}

interface Source {
  readonly path: string;
  readonly place: string;
  /** Null where the file runs as it was written. */
  readonly lines: SourceMap | null;
}

/** The copy that runs has no source map for the runtime: the traps tell strategies by its name. */
function inSource(stack: string, { path, place, lines }: Source): string {
  const frame = new RegExp(String.raw`[^\s(]*${place}:(\d+):(\d+)`, 'g');
  return stack.replaceAll(frame, (_, line: string, column: string) => {
    const entry = lines?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !('originalLine' in entry)) return `${path}:${line}:${column}`;
    return `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

async function loaded(
  text: string,
  path: string,
  state: string,
): Promise<{ readonly module: unknown } & Pick<LoadedStrategy, 'place' | 'loadUses'>> {
  try {
    const placed = withResolvedImports(text, path);
    const copy = join(resolve(state), 'strategies', `${digestOf(placed)}.mjs`);
    mkdirSync(dirname(copy), { recursive: true });
    writeFileSync(copy, placed);
    const place = basename(copy);
    const trap = setTrap({ places: new Map([[place, place]]), isFalse: false });
    try {
      const module: unknown = await import(pathToFileURL(copy).href);
      return { module, place, loadUses: trap.uses.map(({ what }) => what) };
    } finally {
      trap.release();
    }
  } catch (error) {
    if (!(error instanceof Error) || error instanceof StrategyFileError) throw error;
    const hint = `node --check ${path} shows where; it may import ${ALLOWED_TEXT}`;
    throw new StrategyFileError('a module that can be loaded', `${error.name}: ${error.message}`, hint);
  }
}

interface Code {
  readonly text: string;
  readonly lines: SourceMap | null;
}

const written = (path: string): Code => ({ text: readFileSync(path, 'utf8'), lines: null });

/** The compiler only strips the types; it is the one that built the program. */
function compiled(path: string, state: string): Code {
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
  const scope = ['--noCheck', '--noResolve', '--ignoreConfig', '--sourceMap', '--outDir', out, path];
  const run = spawnSync(process.execPath, [compiler, ...kind, ...scope], { encoding: 'utf8' });
  const made = join(out, basename(path).replace(/ts$/, 'js'));
  if (run.status !== 0 || !existsSync(made)) {
    const output = `${run.stdout}${run.stderr}`.trim();
    throw new StrategyFileError('TypeScript that compiles', output, 'see strategies/README.md');
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by the compiler just now
  const map = JSON.parse(readFileSync(`${made}.map`, 'utf8')) as SourceMapPayload;
  const text = readFileSync(made, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
  return { text, lines: new SourceMap(map) };
}

/** The copy lies elsewhere: every name becomes the address of what it means. */
function withResolvedImports(text: string, path: string): string {
  refuseHidden(text, path);
  return text.replaceAll(IMPORTED, (_, before: string, quote: string, name: string) => {
    return `${before}${quote}${addressOf(name, path)}${quote}`;
  });
}

function refuseHidden(text: string, path: string): void {
  const hidden = hiddenLoading(text);
  if (hidden === null) return;
  throw new StrategyFileError(
    'a module that imports all it needs by name',
    `${hidden} in ${basename(path)}`,
    'nobody could say whether its backtest is true',
  );
}

function addressOf(name: string, path: string): string {
  const own = /^tickwright\/(strategy|domain\/[\w-]+)$/.exec(name)?.[1];
  if (own !== undefined) return addressOfSource(own === 'strategy' ? 'strategy/index' : own);
  if (mayImport(name)) return name.startsWith('node:') ? name : import.meta.resolve(name);
  if (!name.startsWith('.')) throw notAllowed(name, path);
  const meant = resolve(dirname(path), name);
  const inSource = relative(join(ROOT, 'src'), meant);
  if (/^(strategy|domain)[/\\]/.test(inSource)) return addressOfSource(inSource.replace(/\.[jt]s$/, ''));
  if (meant.endsWith('.ts')) {
    throw new StrategyFileError('a strategy in one file', `an import of ${name}`, 'put it all into one file');
  }
  if (!inSource.startsWith('..') || !/\.m?js$/.test(meant)) throw notAllowed(name, path);
  return addressOfPart(meant);
}

const notAllowed = (name: string, path: string): StrategyFileError =>
  new StrategyFileError(
    `a module that imports nothing but ${ALLOWED_TEXT} and JavaScript beside it`,
    `an import of ${name} in ${basename(path)}`,
    'a strategy is repeatable only without files, network, clock and chance',
  );

/** A file beside the strategy, which the same rules hold for; it is loaded from where it lies. */
function addressOfPart(path: string, known = new Set<string>()): string {
  if (!known.has(path) && existsSync(path)) {
    known.add(path);
    const text = readFileSync(path, 'utf8');
    refuseHidden(text, path);
    for (const [, , , name = ''] of text.matchAll(IMPORTED)) {
      if (name.startsWith('.') && /\.m?js$/.test(name)) addressOfPart(resolve(dirname(path), name), known);
      else if (!mayImport(name)) throw notAllowed(name, path);
    }
  }
  return pathToFileURL(path).href;
}

const addressOfSource = (place: string): string => pathToFileURL(join(COMPILED, `${place}${ENDING}`)).href;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

function definitionIn(module: unknown): StrategyDefinition | undefined {
  if (typeof module !== 'object' || module === null || !('default' in module)) return undefined;
  const found: unknown = module.default;
  const isOne = typeof found === 'object' && found !== null && 'connect' in found && 'parseParams' in found;
  return isOne ? (found as StrategyDefinition) : undefined; // oxlint-disable-line typescript/no-unsafe-type-assertion -- what defineStrategy makes, told by its parts
}
