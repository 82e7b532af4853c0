/** Type errors of a strategy in TypeScript, which runs as it is: the bundler only strips its types. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDiskFull } from '../../domain/failure.ts';
import type { Problem } from '../../config/problem.ts';
import type { YamlSource } from '../../config/yaml-source.ts';
import type { OwnStrategies } from './own-strategies.ts';
import { packageVersion } from '../program-files.ts';
import { isInstalled, ROOT } from './strategy-code.ts';

/** The compiler that is installed where the strategy lies, or with the program; undefined without one. */
function compilerFor(file: string): string | undefined {
  const near = [file, join(ROOT, 'package.json')].find((from) =>
    isInstalled('typescript/package.json', from),
  );
  return near && join(dirname(createRequire(near).resolve('typescript/package.json')), 'bin/tsc');
}

/** One text each: file, line, column, message. Takes half a second. Undefined without a compiler. */
function typeErrors(file: string): readonly string[] | undefined {
  if (!file.endsWith('ts')) return [];
  const compiler = compilerFor(file);
  if (compiler === undefined) return undefined;
  try {
    return compiled(compiler, file);
  } catch (error) {
    // A start must reach the orders. Types run nowhere.
    if (isDiskFull(error)) return [];
    throw error;
  }
}

function compiled(compiler: string, file: string): readonly string[] {
  const dir = mkdtempSync(join(tmpdir(), 'tickwright-types-'));
  try {
    const project = join(dir, 'tsconfig.json');
    const globals = join(dir, 'console.d.ts');
    writeFileSync(globals, CONSOLE);
    writeFileSync(project, JSON.stringify({ compilerOptions: OPTIONS, files: [globals, file] }));
    const run = spawnSync(process.execPath, [compiler, '-p', project, '--pretty', 'false'], {
      encoding: 'utf8',
      cwd: '/',
    });
    return run.status === 0 ? [] : errorsIn(`${run.stdout}${run.stderr}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** An error goes on in lines that are indented. */
const errorsIn = (output: string): readonly string[] =>
  output
    .trim()
    .split(/\n(?!\s)/)
    .map((text) => text.replace(/^(.+?)\((\d+),(\d+)\): error /, '/$1:$2:$3 '));

/** The one global of the machine that strategies have; merges with the types of Node. */
const CONSOLE =
  'interface Console { log(...shown: unknown[]): void; error(...shown: unknown[]): void } declare var console: Console;';

const TYPES = join(ROOT, 'src');
const PACKAGES = ['zod', 'rxjs', 'trading-signals'];

const OPTIONS = {
  target: 'es2023',
  lib: ['es2023'],
  module: 'esnext',
  moduleResolution: 'bundler',
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  types: [],
  paths: {
    'tickwright/strategy': [join(TYPES, 'strategy/index.ts')],
    'tickwright/domain/*': [join(TYPES, 'domain/*.ts')],
    ...Object.fromEntries(PACKAGES.map((name) => [name, [join(ROOT, 'node_modules', name)]])),
  },
};

/** Type errors of strategies, each in the line that names its file. */
export function typeProblems(
  source: YamlSource,
  entries: readonly { readonly strategy: string }[],
  loaded: OwnStrategies['loaded'],
): readonly Problem[] {
  return [...loaded].flatMap(([name, { code }]) => {
    const errors = typeErrors(code.file) ?? [];
    if (errors.length === 0) return [];
    const path = ['strategies', entries.findIndex(({ strategy }) => strategy === name), 'strategy'];
    return [source.problem(path, 'TypeScript without type errors', 'fix these first', errors.join('\n  '))];
  });
}

/** Type errors for a backtest, which runs all the same: one text a strategy. Code without errors is checked once. */
export function typeNotes(loaded: OwnStrategies['loaded'], state: string): readonly string[] {
  return [...loaded].flatMap(([name, { code }]) => {
    const checked = join(state, 'strategies', `${code.digest}-${packageVersion()}.checked`);
    if (existsSync(checked)) return [];
    const errors = typeErrors(code.file);
    if (errors === undefined)
      return [`the types of ${name} are not checked: npm install --save-dev typescript next to it does that`];
    if (errors.length > 0)
      return [`${name} has type errors, with which no daemon starts it:\n  ${errors.join('\n  ')}`];
    mkdirSync(dirname(checked), { recursive: true });
    writeFileSync(checked, '');
    return [];
  });
}
