/**
 * Strategies from files and packages of the user's own: one module whose default export is a strategy, with the modules next to it that it
 * imports. Their code becomes one script, plain data that runs the same way in every world: later edits change nothing.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildFailure, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import type { StrategyCode } from '../../config/config.ts';
import { placed } from '../../config/read-file.ts';

/** The file or package is no strategy; `hint` is the remedy. */
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

/** A name in the catalogue has neither a slash nor an ending. */
export const isStrategyFile = (name: string): boolean =>
  /^\.|[/\\]|\.[cm]?[jt]s$/.test(name) && !isScoped(name);

/** `@scope/package` has a slash too. */
const isScoped = (name: string): boolean => /^@[\w.-]+\/[\w.-]+$/.test(name);

const HERE = dirname(fileURLToPath(import.meta.url));
/** `src` as it runs: compiled, or the sources themselves in a test. */
const RUNNING = resolve(HERE, '../..');
const ENDING = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
export const ROOT = ENDING === '.js' ? resolve(RUNNING, '../..') : resolve(RUNNING, '..');

/** Whether an npm package of this name is installed in the folder of `configPath`. */
export function isInstalled(name: string, configPath: string): boolean {
  try {
    createRequire(resolve(configPath)).resolve(name);
    return true;
  } catch (error) {
    // A package for imports alone has no file for this question.
    return error instanceof Error && 'code' in error && error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}

/** `strategy`: a file, or an installed package, as the configuration at `configPath` names it. */
export async function readStrategyCode(strategy: string, configPath: string): Promise<StrategyCode> {
  const isFile = isStrategyFile(strategy);
  const path = isFile ? placed(strategy, configPath) : strategy;
  if (isFile && !existsSync(path)) {
    const expected = 'a strategy of the catalogue, or a file next to this one';
    throw new StrategyFileError(expected, `no ${path}`, 'see tickwright strategies');
  }
  // A pipe or a device could be read for ever.
  if (isFile && !statSync(path).isFile()) throw noFile(path);
  const reading = new SourceReading(isFile ? realpathSync(path) : null);
  // Runs with strategies of the program alone do not load the bundler.
  const { build } = await import('esbuild');
  try {
    const { outputFiles } = await build({
      entryPoints: [isFile ? resolve(path) : strategy],
      absWorkingDir: resolve(dirname(configPath)),
      bundle: true,
      write: false,
      outdir: '/',
      format: 'cjs',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['node', 'module'],
      target: 'es2023',
      // As the language is, whatever settings lie next to the file.
      tsconfigRaw: '{}',
      banner: { js: "'use strict';" },
      sourcemap: 'external',
      sourcesContent: false,
      logLevel: 'silent',
      plugins: [reading.plugin],
    });
    const textOf = (ending: string): string =>
      outputFiles.find((each) => each.path.endsWith(ending))?.text ?? '';
    return reading.codeOf(textOf('.js'), textOf('.js.map'));
  } catch (error) {
    throw refusalOf(error);
  }
}

const noFile = (path: string): StrategyFileError =>
  new StrategyFileError('a file with code', `${path}, which is a folder, a pipe or a device`, ALLOWED_HINT);

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || !('errors' in error)) return error;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an error of the bundler has errors
  const [first] = (error as BuildFailure).errors;
  if (first === undefined) return error;
  const detail: unknown = first.detail;
  const { location } = first;
  if (detail instanceof StrategyFileError) {
    const line = location === null ? '' : `:${location.line}`;
    return new StrategyFileError(detail.expected, `${detail.received}${line}`, detail.hint);
  }
  const where = location === null ? '' : `${location.file}:${location.line}:${location.column + 1} `;
  return new StrategyFileError('a module that can be loaded', `${where}${first.text}`, ALLOWED_HINT);
}

const ENTRY = 'entry-point';
const SOURCE_FILE = /\.[cm]?[jt]s$/;

/** Follows the imports of one strategy, and keeps the sources that it read. */
class SourceReading {
  /** The first file; null until it is found. */
  file: string | null;
  readonly #sources = new Map<string, string>();
  readonly #imports = new Set<string>();

  constructor(file: string | null) {
    this.file = file;
  }

  readonly plugin: Plugin = {
    name: 'strategy',
    setup: (bundler) => {
      bundler.onResolve({ filter: /./ }, async (request) => {
        if (request.pluginData === OWN) return undefined;
        const plain = { resolveDir: request.resolveDir, kind: 'import-statement', pluginData: OWN } as const;
        if (request.kind === ENTRY) {
          if (this.file !== null) return { path: this.file };
          const found = await bundler.resolve(request.path, plain);
          if (found.errors.length > 0) return { errors: found.errors };
          this.file = found.path;
          return { path: found.path };
        }
        const known = this.#known(request);
        if (known !== undefined) return known;
        const found = await bundler.resolve(request.path, { ...plain, importer: request.importer });
        const isCode = found.errors.length === 0 && SOURCE_FILE.test(found.path);
        return isCode || found.errors.length > 0
          ? { path: found.path, errors: found.errors }
          : refused(notAllowed(request));
      });
      bundler.onLoad({ filter: /./ }, ({ path }) => {
        if (!statSync(path).isFile()) return refused(noFile(path));
        const contents = readFileSync(path, 'utf8');
        this.#sources.set(path, contents);
        const hidden = hiddenLoading(contents);
        if (hidden !== null) return refused(hiddenIn(hidden, path));
        return { contents, loader: path.endsWith('ts') ? 'ts' : 'js', resolveDir: dirname(path) };
      });
    },
  };

  codeOf(script: string, map: string): StrategyCode {
    const { file } = this;
    if (file === null) throw new Error('a script comes from a file');
    const rows = [...this.#sources].map(([path, text]) => [relative(dirname(file), path), text] as const);
    const sorted = rows.toSorted(([a], [b]) => (a < b ? -1 : 1));
    const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 12);
    return { file, digest, script, stackName: `strategy-${digest}.js`, imports: [...this.#imports], map };
  }

  /** The address that an import becomes; undefined for a module next to the strategy. */
  #known(request: OnResolveArgs): OnResolveResult | undefined {
    const { path, kind, importer, resolveDir } = request;
    if (kind === 'dynamic-import') return refused(hiddenIn('import()', importer));
    if (kind !== 'import-statement') return refused(hiddenIn('require()', importer));
    if (ALLOWED.some((each) => each.test(path))) return this.#outside(path);
    if (!path.startsWith('.') && !isAbsolute(path)) return refused(notAllowed(request));
    if (/\.\w+$/.test(path) && !SOURCE_FILE.test(path)) return refused(notAllowed(request));
    const meant = resolve(resolveDir, path);
    for (const dir of [join(ROOT, 'src'), RUNNING]) {
      const inProgram = relative(dir, meant);
      if (inProgram.startsWith('..')) continue;
      if (!/^(strategy|domain)[/\\]/.test(inProgram)) return refused(notAllowed(request));
      return this.#outside(`tickwright/${inProgram.replace(/\.[jt]s$/, '')}`);
    }
    return undefined;
  }

  #outside(path: string): OnResolveResult {
    this.#imports.add(path);
    return { path, external: true };
  }
}

/** Marks questions of our own to the resolver. */
const OWN = Symbol('own');

const refused = (detail: StrategyFileError): { errors: { text: string; detail: StrategyFileError }[] } => ({
  errors: [{ text: detail.message, detail }],
});

const notAllowed = ({ path, importer }: OnResolveArgs): StrategyFileError =>
  new StrategyFileError(
    `a module that imports nothing but ${ALLOWED_TEXT} and modules next to it`,
    `an import of ${path} in ${basename(importer)}`,
    'a strategy is repeatable only without files, network, clock and chance',
  );

const hiddenIn = (hidden: string, path: string): StrategyFileError =>
  new StrategyFileError(
    'a module that imports all it needs by name',
    `${hidden} in ${basename(path)}`,
    'nobody could say whether its backtest is true',
  );

/** Address of a module of the program, or of a package that a script may ask for. */
export function addressOf(name: string): string {
  if (name === 'tickwright/strategy') return new URL(`strategy/index${ENDING}`, SOURCE).href;
  const own = /^tickwright\/((?:strategy|domain)\/[\w/-]+)$/.exec(name)?.[1];
  if (own !== undefined) return new URL(`${own}${ENDING}`, SOURCE).href;
  return name.startsWith('node:') ? name : import.meta.resolve(name);
}

const SOURCE = new URL('../../', import.meta.url);

// Imports that a strategy may have: the API for strategies and packages without clock, chance, files or network. This keeps honest code
// repeatable; it is no prison for code that hides its actions.

/** Names as they are written. */
const ALLOWED: readonly RegExp[] = [
  /^tickwright\/(strategy|domain\/[\w-]+)$/,
  /^zod(\/v4)?$/,
  /^rxjs(\/operators)?$/,
  /^trading-signals$/,
  /^node:assert(\/strict)?$/,
];

const ALLOWED_TEXT = 'tickwright/strategy, tickwright/domain/..., zod, rxjs, trading-signals, node:assert';
const ALLOWED_HINT = `it may import ${ALLOWED_TEXT}, and modules next to it`;

/** Comments and plain texts, which are no code. */
const NO_CODE = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;

/** Ways to load or make code while a strategy runs. */
const HIDDEN =
  /\bimport\s*\(|\brequire\s*\(|\beval\s*\(|\bFunction\s*\(|\bgetBuiltinModule\b|\bprocess\s*\.\s*binding\b|\bcreateRequire\b/;

/** The first way in which code loads other code out of sight, or null. */
const hiddenLoading = (code: string): string | null =>
  HIDDEN.exec(code.replaceAll(NO_CODE, ' '))?.[0].replace(/\s*\($/, '()') ?? null;

/** Clocks, timers, chance and surroundings of the machine, as code names them. A date that is made of a number is none. */
const MACHINE = new RegExp(
  [
    String.raw`\bDate\.now\b`,
    String.raw`\bnew\s+Date\b(?!\s*\(\s*[^\s)])`,
    // A text of now, and names that are computed.
    String.raw`(?<![\w.$])(?<!\bnew\s+)Date(?=\s*(?:\(|\[|\?\.))`,
    String.raw`\bMath\.random\b`,
    String.raw`\bperformance\.\w+`,
    String.raw`(?<![\w.$])process\.(?:env|hrtime|uptime|memoryUsage|cpuUsage|nextTick|exit|kill|abort|cwd)\b`,
    String.raw`(?<![\w.$])crypto\.\w+`,
    String.raw`(?<![\w.$])(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch)\b(?=\s*\()`,
    // It goes on after the event, and errors in an operator are lost.
    String.raw`(?<![\w.$])async\b(?=\s*[(*]|\s+function\b|\s+[\w$]+\s*(?:=>|\())`,
    String.raw`(?<=\bnew\s+)(?:WeakRef|FinalizationRegistry)\b`,
  ].join('|'),
  'g',
);

/**
 * Parts of RxJS that run on a separate clock, restart or go on after a throw, keep a past, or take a stream out of the event: a subscriber
 * that `new Observable` makes is called outside any Subject, where RxJS swallows its errors.
 */
export const REFUSED_OF_RXJS: ReadonlySet<string> = new Set(
  `
    timer interval delay delayWhen debounceTime throttleTime auditTime sampleTime
    bufferTime windowTime timeout timeoutWith timestamp timeInterval animationFrames
    observeOn subscribeOn scheduled async asap queue animationFrame
    asyncScheduler asapScheduler queueScheduler animationFrameScheduler
    VirtualTimeScheduler VirtualAction Scheduler
    Observable Subscriber Subject BehaviorSubject ReplaySubject AsyncSubject config
    catchError materialize finalize using
    onErrorResumeNext onErrorResumeNextWith retry retryWhen repeat repeatWhen
    shareReplay publishReplay publishBehavior publishLast
    firstValueFrom lastValueFrom fromEvent fromEventPattern bindCallback bindNodeCallback
  `
    .trim()
    .split(/\s+/),
);

/** Names by which a script, as the bundler writes it, calls the modules of RxJS, and modules that pass on all of it. */
const RXJS =
  /\b(?:var ([\w$]+) = (?:__toESM\()?|__reExport\(([\w$]+), )require\(["']rxjs(?:\/operators)?["']/g;

function refusedOfRxjs(script: string): readonly string[] {
  const modules = [...script.matchAll(RXJS)].map(([, name = '', by = '']) =>
    (name + by).replaceAll('$', '\\$'),
  );
  const uses = modules.flatMap((name) => [
    ...script.matchAll(new RegExp(String.raw`(?<![\w$.])${name}(?:\.default)?\.(\w+)`, 'g')),
    ...script.matchAll(new RegExp(String.raw`\{([^{}]*)\} = ${name}(?![\w$])`, 'g')),
  ]);
  const names = uses.flatMap(([, used = '']) => used.match(/\w+/g) ?? []);
  return names.flatMap((name) => (REFUSED_OF_RXJS.has(name) ? [`${name} of rxjs`] : []));
}

/** A subscriber that handles the errors of its stream hides a throw. */
function errorHandlers(code: string): readonly string[] {
  const takers = [...code.matchAll(/\.subscribe\(\s*(?=\{)/g)].filter(({ 0: { length }, index }) =>
    /[{,]\s*error\b/.test(ownKeys(code.slice(index + length))),
  );
  return takers.map(() => 'error of subscribe');
}

/** The text of the object that `code` begins with, without nested objects. */
function ownKeys(code: string): string {
  let [depth, own] = [0, ''];
  for (const letter of code) {
    if ('({['.includes(letter)) depth += 1;
    if (depth === 1) own += letter;
    if (')}]'.includes(letter)) depth -= 1;
    if (depth === 0) break;
  }
  return own;
}

/** Properties of the machine that a script reads, each once: a replay of the day would get other values. */
export function machineUses(script: string): readonly string[] {
  const code = script.replaceAll(NO_CODE, ' ');
  return [...new Set([...(code.match(MACHINE) ?? []), ...refusedOfRxjs(script), ...errorHandlers(code)])];
}
