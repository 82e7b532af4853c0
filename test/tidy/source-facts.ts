import { parseSync, type Node } from 'oxc-parser';
import { BROKER_LADDER, BROKER_WORDS, IMPURE_GLOBALS } from './allow-list.ts';

export interface SourceFile {
  /** From the root of the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** Null when the specifier is computed. */
  readonly specifier: string | null;
  readonly names: readonly string[];
  readonly line: number;
}

interface Sighting {
  readonly what: string;
  readonly line: number;
}

/** What the architecture rules need to know about one file, read from its syntax tree. */
export interface SourceFacts {
  readonly path: string;
  readonly syntaxErrors: readonly string[];
  readonly imports: readonly Import[];
  readonly impurities: readonly Sighting[];
  readonly brokerWords: readonly Sighting[];
  /** Line to reason (empty when none is given) of each `clock-ok:` comment. */
  readonly clockMarkers: ReadonlyMap<number, string>;
}

interface Visit {
  readonly node: Node;
  readonly parent: Node | null;
  readonly key: string;
}

export function readFacts(file: SourceFile): SourceFacts {
  const parsed = parseSync(file.path, file.text, {
    lang: file.path.endsWith('x') ? 'tsx' : 'ts',
    sourceType: 'module',
  });
  const lineOf = lineFinder(file.text);
  const visits = [...walk(parsed.program, null, '')];
  const declared = new Set(visits.filter(isDeclaration).map(({ node }) => nameOf(node)));
  const clockMarkers = new Map<number, string>();
  for (const comment of parsed.comments) {
    const marker = /^\W*clock-ok\b:?(.*)$/s.exec(comment.value);
    if (marker) clockMarkers.set(lineOf(comment.start), (marker[1] ?? '').trim());
  }
  const sightings = (find: (visit: Visit) => string | null): Sighting[] =>
    visits.flatMap((visit) => {
      const what = find(visit);
      return what === null ? [] : [{ what, line: lineOf(visit.node.start) }];
    });
  return {
    path: file.path,
    syntaxErrors: parsed.errors.map((error) => error.message),
    imports: visits.flatMap(({ node }) => importOf(node, lineOf(node.start))),
    impurities: sightings((visit) => impurityOf(visit, declared)),
    brokerWords: sightings(brokerWordOf),
    clockMarkers,
  };
}

/** `(rulings, 8; notes, 3)` in comments: `['rulings', ', 8']` and `['notes', ', 3']`. */
export function readCitations({ path, text }: SourceFile): (readonly [document: string, said: string])[] {
  const { comments } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  const lines = comments.map(({ value }) => value).join('\n');
  const cited =
    /[(;] ?(rulings|contract|notes|market rules|failure cases)\b(,? (?:(?:section|part)s? )?\d[^;)]*)/g;
  return [...lines.replaceAll(/\s*\n[\s*]*/g, ' ').matchAll(cited)].map(([, a = '', b = '']) => [a, b]);
}

/** The 1-based line of an offset. */
function lineFinder(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map((match) => match.index);
  return (offset) => {
    const after = ends.findIndex((end) => end >= offset);
    return after === -1 ? ends.length + 1 : after + 1;
  };
}

function* walk(node: Node, parent: Node | null, key: string): Generator<Visit> {
  yield { node, parent, key };
  for (const [childKey, value] of Object.entries(node) as [string, unknown][]) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) yield* walk(child, node, childKey);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' || node.type === 'PrivateIdentifier' ? node.name : '';
}

/** A string literal, or a template without holes. */
function textOf(node: Node | undefined): string | null {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? null;
  return null;
}

/** A name that is spelled but refers to nothing outside: `x.name`, `{ name: 1 }`, a member of a type or a class. */
function isMemberName({ parent, key }: Visit): boolean {
  if (parent === null) return false;
  if (key === 'property') return parent.type === 'MemberExpression' && !parent.computed;
  if (key === 'imported' || key === 'exported' || key === 'label') return true;
  if (key !== 'key') return false;
  return !('computed' in parent && parent.computed);
}

/** A name that the file itself gives a meaning: a variable, a parameter, a function, an import. */
function isDeclaration({ node, parent, key }: Visit): boolean {
  if (node.type !== 'Identifier' || parent === null) return false;
  return key === 'id' || key === 'params' || key === 'local';
}

function importOf(node: Node, line: number): Import[] {
  if (node.type === 'ImportDeclaration') {
    const names = node.specifiers.flatMap((specifier) => {
      if (specifier.type !== 'ImportSpecifier') return ['*'];
      // A type does nothing.
      return specifier.importKind === 'type'
        ? []
        : [textOf(specifier.imported) ?? nameOf(specifier.imported)];
    });
    return [{ specifier: node.source.value, names, line }];
  }
  if (node.type === 'ExportNamedDeclaration' && node.source !== null) {
    const names = node.specifiers.map((specifier) => textOf(specifier.local) ?? nameOf(specifier.local));
    return [{ specifier: node.source.value, names, line }];
  }
  const source = wholeModuleOf(node);
  return source === null ? [] : [{ specifier: textOf(source), names: ['*'], line }];
}

/** Where a module is taken as a whole, the node that names it. */
function wholeModuleOf(node: Node): Node | null {
  if (node.type === 'ExportAllDeclaration' || node.type === 'ImportExpression') return node.source;
  if (node.type === 'TSImportType') return node.source;
  if (node.type === 'TSExternalModuleReference') return node.expression;
  if (node.type !== 'NewExpression' || nameOf(node.callee) !== 'URL') return null;
  // A worker's file: new URL('./engine-thread.ts', import.meta.url)
  const [first, second] = node.arguments;
  const isFile = second?.type === 'MemberExpression' && textOf(first)?.endsWith('.ts');
  return first !== undefined && isFile ? first : null;
}

function impurityOf(visit: Visit, declared: ReadonlySet<string>): string | null {
  const { node } = visit;
  if ('async' in node && node.async) return 'async';
  if (node.type === 'AwaitExpression' || (node.type === 'ForOfStatement' && node.await)) return 'await';
  if (node.type === 'MetaProperty') return 'import.meta';
  if (node.type === 'MemberExpression' && nameOf(node.object) === 'Math') {
    return [nameOf(node.property), textOf(node.property)].includes('random') ? 'Math.random' : null;
  }
  if (node.type === 'VariableDeclarator' && node.init && nameOf(node.init) === 'Math')
    return 'a second name for Math';
  if (node.type !== 'Identifier' || !IMPURE_GLOBALS.has(node.name)) return null;
  return isMemberName(visit) || declared.has(node.name) ? null : node.name;
}

function brokerWordOf({ node }: Visit): string | null {
  const word = nameOf(node) || textOf(node);
  if (!word) return null;
  return BROKER_WORDS.has(word) || BROKER_LADDER.test(word) ? word : null;
}
