import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { ALLOW_LIST, PURE_FOLDERS, TOP_LEVEL, TOP_LEVEL_PRODUCED } from './allow-list.ts';
import { REFUSED_OF_RXJS } from '../../src/host/strategy-files/strategy-code.ts';
import { type Import, readCitations, readFacts, type SourceFacts, type SourceFile } from './source-facts.ts';

/** One idea may take that much: a table, a family of codecs, a state machine. */
const MAX_LINES = 600;
const BANNED_NAMES = /^(?:utils?|helpers?|common|types)$/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const FOREIGN_SOURCE = /\.(?:js|cjs|mjs|jsx|mts|cts)$/;
/** Pages are written with elements. */
const SOURCE = /\.tsx?$/;
const TEST_SUFFIX = /\.(?:test|test-d|bench|config)$/;

/** Streams are made by the program. */
const RXJS_OF_STREAMS: ReadonlySet<string> = new Set(['Observable', 'Subject', 'config']);
const NONE: ReadonlySet<string> = new Set();

/** Every breach of the plan in these files, each as `path:line what, and what is expected`. */
export function checkArchitecture(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => /^(?:src|strategies)\//.test(path) && SOURCE.test(path));
  if (sources.length === 0) return ['no source file was found: the check itself is broken'];
  const facts = sources.map((file) => readFacts(file));
  const paths = new Set(sources.map(({ path }) => path));
  return [
    ...files.flatMap((file) => [...checkName(file), ...checkLength(file), ...checkSkips(file)]),
    ...facts.flatMap((fact) => checkFile(fact, paths)),
    ...findCycles(facts),
    ...findPingPong(facts),
  ];
}

/** Entries of the project's root that are neither in the plan, nor dotfiles, nor produced by a tool. */
export function checkTopLevel(entries: readonly string[]): string[] {
  const known = [...TOP_LEVEL, ...TOP_LEVEL_PRODUCED];
  return entries
    .filter((entry) => !entry.startsWith('.') && !known.includes(entry))
    .map((entry) => `${entry} does not belong at the top level: expected one of ${TOP_LEVEL.join(', ')}`);
}

/** Cited numbers that are no heading and no entry (`- **8** ...`) of their document. */
export function checkCitations(files: readonly SourceFile[], documents: Record<string, string>): string[] {
  const isEntry = (document: string, number: string): boolean =>
    new RegExp(`^(?:#+ |- \\*\\*)${number}(?![.\\d]*\\d)`, 'm').test(documents[document] ?? '');
  return files.flatMap((file) =>
    readCitations(file)
      .filter(([document, said]) => {
        const isInForm = /^(?:(?:, | and | to )\d+(?:\.\d+)?)+$/.test(said);
        return !isInForm || said.match(/\d[.\d]*/g)?.every((number) => isEntry(document, number)) !== true;
      })
      .map(
        ([document, said]) =>
          `${file.path} cites (${document}${said}): expected numbers of its entries, as in (${document}, 8 and 9)`,
      ),
  );
}

function checkFile(fact: SourceFacts, paths: ReadonlySet<string>): string[] {
  const folder = folderOf(fact.path);
  if (folder === null)
    return [`${fact.path} is in no folder of the plan: add a row to test/tidy/allow-list.ts`];
  const problems = [
    ...fact.syntaxErrors.map((message) => `${fact.path} cannot be parsed: ${message}`),
    ...fact.imports.flatMap((entry) => checkImport(fact.path, folder, entry, paths)),
    ...[...fact.clockMarkers]
      .filter(([, reason]) => reason.length < 3)
      .map(([line]) => `${fact.path}:${line} clock-ok without a reason: write // clock-ok: why`),
  ];
  if (PURE_FOLDERS.includes(rowOf(folder))) {
    for (const { what, line } of fact.impurities) {
      if (fact.clockMarkers.has(line)) continue;
      problems.push(
        `${fact.path}:${line} ${what} in a pure folder: take it as an argument or through a port`,
      );
    }
  }
  if (rowOf(folder) !== 'src/wire') {
    for (const { what, line } of fact.brokerWords) {
      problems.push(`${fact.path}:${line} the broker's word ${what}: only src/wire spells it`);
    }
  }
  return problems;
}

function checkLength({ path, text }: SourceFile): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  if (!SOURCE.test(path)) return [];
  return lines > MAX_LINES ? [`${path} has ${lines} lines: at most ${MAX_LINES}`] : [];
}

function checkName({ path }: SourceFile): string[] {
  const problems: string[] = [];
  if (FOREIGN_SOURCE.test(path) && !path.startsWith('test/')) problems.push(`${path} is not TypeScript`);
  if (path.endsWith('.tsx') && !path.startsWith('src/page/'))
    problems.push(`${path}: only pages have elements`);
  if (!SOURCE.test(path)) return problems;
  for (const part of path.replace(SOURCE, '').split('/')) {
    const name = part.replace(TEST_SUFFIX, '');
    if (BANNED_NAMES.test(name))
      problems.push(`${path}: "${name}" says nothing: name it after what it holds`);
    if (!KEBAB.test(name)) problems.push(`${path}: "${name}" is not kebab-case`);
  }
  return problems;
}

/** A test is skipped only from inside, with a reason that the run prints: `context.skip(condition, 'reason')`. */
function checkSkips({ path, text }: SourceFile): string[] {
  if (!path.startsWith('test/') || !TEST_SUFFIX.test(path.replace(SOURCE, ''))) return [];
  return text.split('\n').flatMap((line, index) => {
    const where = `${path}:${index + 1}`;
    if (/\b(?:it|test|describe|bench|suite)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|only)\b/.test(line)) {
      return [`${where} skips without a printed reason: use context.skip(condition, 'reason') in the test`];
    }
    const isSilent = /\bskip\(\s*\)/.test(line) || /\b(?:context|ctx)\.skip\((?!.*['"`])/.test(line);
    return isSilent ? [`${where} skips without a printed reason`] : [];
  });
}

/** The one file next to the strategies' folders: it lists them, and may therefore import them. */
const CATALOG = 'strategies/catalog.ts';

/** `src/engine/ports`, `src/daemon/edge`, `src/domain`, `strategies/ema-cross`; null for a place that the plan does not know. */
function folderOf(path: string): string | null {
  const [top, first, second, ...rest] = path.split('/');
  if (path === CATALOG) return CATALOG;
  if (top === 'strategies') return second === undefined ? null : `strategies/${first}`;
  if (second === undefined) return null;
  const [room, inner] = [`src/${first}`, `src/${first}/${second}`];
  if (rest.length > 0 && inner in ALLOW_LIST) return inner;
  return room in ALLOW_LIST ? room : null;
}

function rowOf(folder: string): string {
  return folder.startsWith('strategies/') && folder !== CATALOG ? 'strategies' : folder;
}

function checkImport(path: string, folder: string, entry: Import, paths: ReadonlySet<string>): string[] {
  const where = `${path}:${entry.line}`;
  const row = ALLOW_LIST[rowOf(folder)];
  if (row === undefined) return [`${where} ${folder} has no row in test/tidy/allow-list.ts`];
  if (entry.specifier === null) {
    return row.packages.includes('*')
      ? []
      : [`${where} imports a computed path: only rooms with every package may`];
  }
  if (!entry.specifier.startsWith('.')) return checkPackage(where, folder, row.packages, entry);
  const target = posix.join(posix.dirname(path), entry.specifier);
  if (folder === 'src/page' && target.startsWith('src/page/') && target.endsWith('.css')) return [];
  if (!paths.has(target))
    return [`${where} imports ${entry.specifier}, which is no source file under src or strategies`];
  const targetFolder = folderOf(target);
  if (targetFolder === null || targetFolder === folder || row.folders.includes('*')) return [];
  if (row.folders.includes(rowOf(targetFolder)) && rowOf(targetFolder) !== rowOf(folder)) return [];
  return [
    `${where} ${folder} may not import ${targetFolder}: allowed are ${row.folders.join(', ') || 'none'}`,
  ];
}

function checkPackage(where: string, folder: string, allowed: readonly string[], entry: Import): string[] {
  const specifier = entry.specifier ?? '';
  const isNode = isBuiltin(specifier);
  if (isNode && !specifier.startsWith('node:'))
    return [`${where} imports ${specifier}: write node:${specifier}`];
  const [scope = '', name = ''] = specifier.split('/');
  const root = scope.startsWith('@') ? `${scope}/${name}` : scope;
  const isAllowed = allowed.includes('*') || allowed.includes(root) || (isNode && allowed.includes('node:*'));
  if (!isAllowed)
    return [`${where} ${folder} may not import ${root}: allowed are ${allowed.join(', ') || 'none'}`];
  if (root !== 'rxjs' || !PURE_FOLDERS.includes(rowOf(folder))) return [];
  if (specifier !== 'rxjs')
    return [`${where} imports ${specifier}: only names of rxjs itself can be checked`];
  const own = rowOf(folder) === 'strategies' ? NONE : RXJS_OF_STREAMS;
  return entry.names
    .filter((imported) => imported === '*' || (REFUSED_OF_RXJS.has(imported) && !own.has(imported)))
    .map((imported) => `${where} imports ${imported} of rxjs, which runs on a clock or hides faults`);
}

/** Each import cycle once, as the chain of its files. Type-only imports count: a cycle of types is a knot as well. */
function findCycles(facts: readonly SourceFacts[]): string[] {
  const edges = new Map(
    facts.map(({ path, imports }) => [
      path,
      imports.flatMap(({ specifier }) =>
        specifier?.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [],
      ),
    ]),
  );
  const done = new Set<string>();
  const problems: string[] = [];
  const visit = (path: string, chain: readonly string[]): void => {
    const start = chain.indexOf(path);
    if (start !== -1) problems.push(`import cycle: ${[...chain.slice(start), path].join(' -> ')}`);
    if (start !== -1 || done.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...chain, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return problems;
}

/** Folders of one room that import each other both ways: one of them lies below the other. Files at the room's root may see all. */
function findPingPong(facts: readonly SourceFacts[]): string[] {
  const arrows = new Map<string, string>();
  for (const { path, imports } of facts) {
    for (const { specifier } of imports) {
      if (specifier?.startsWith('.') !== true) continue;
      const target = posix.join(posix.dirname(path), specifier);
      const [from, to] = [innerFolderOf(path), innerFolderOf(target)];
      if (from === null || to === null || from.room !== to.room || from.folder === to.folder) continue;
      arrows.set(`${from.folder} -> ${to.folder}`, `${path} -> ${target}`);
    }
  }
  return [...arrows].flatMap(([arrow, example]) => {
    const [from = '', to = ''] = arrow.split(' -> ');
    const back = arrows.get(`${to} -> ${from}`);
    return back === undefined || from > to ? [] : [`ping-pong of folders: ${example}, and ${back}`];
  });
}

function innerFolderOf(path: string): { room: string; folder: string } | null {
  const [top = '', room = '', folder, ...rest] = path.split('/');
  if (folder === undefined || rest.length === 0) return null;
  return { room: `${top}/${room}`, folder: `${top}/${room}/${folder}` };
}
