/** A YAML file that remembers the position of each value. */
import { readFileSync, statSync } from 'node:fs';
import { formatNumber } from '../text/numbers.ts';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { shown, valueAt } from '../domain/parsed.ts';
import { meantPath, type Problem } from './problem.ts';

export type Path = readonly PropertyKey[];

/** Texts by the paths of their files. */
export type FileTexts = Map<string, string>;

/** Largest growth of a file by its aliases. */
const ALIASES_MAX = 100;
/** No section has a hundred; each unknown key is compared with the known ones, and reported. */
const KEYS_MAX = 1_000;

export class YamlSource {
  readonly file: string;
  /** What was read of this file and of those that it names: with these texts another reading needs no file. */
  readonly texts: FileTexts;
  readonly #document: Document;
  readonly #lines = new LineCounter();
  #value: unknown = null;

  private constructor(file: string, text: string, texts: FileTexts) {
    this.file = file;
    this.texts = texts;
    // The parser compares each key with all before it: 20,000 of them take seconds.
    const uniqueKeys = false;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys });
  }

  /** A missing file or one that is not YAML is a problem, not an exception. */
  static read(
    file: string,
    texts: FileTexts = new Map(),
  ): { readonly source: YamlSource } | { readonly problems: readonly Problem[] } {
    const known = texts.get(file);
    const read = known === undefined ? readYamlText(file) : { text: known };
    if ('unreadable' in read) {
      const hint = meantPath(file, 'check the path; samples are in config/');
      const what = { expected: 'a readable YAML file', received: read.unreadable, hint };
      return { problems: [{ file, line: 1, column: 1, path: '', ...what }] };
    }
    texts.set(file, read.text);
    const source = new YamlSource(file, read.text, texts);
    const fault = oddText(read.text) ?? yamlFault(source.#document);
    const odd = fault === undefined ? source.#oddNodes() : [fault];
    const found = odd.length > 0 ? odd : source.#unfold();
    if (found.length === 0) return { source };
    const problemOf = ({ offset, expected, received, hint }: SyntaxProblem): Problem =>
      source.#problemAt(offset, [], expected, received, hint);
    return { problems: found.map(problemOf) };
  }

  value(): unknown {
    return this.#value;
  }

  /** The value at `path` as JavaScript sees it; undefined where there is none. */
  at(path: Path): unknown {
    return valueAt(this.#value, path);
  }

  /** The value at `path` as the file writes it: `.nan` and `5e6` are no JSON. */
  shownAt(path: Path): string {
    const value = this.at(path);
    if (typeof value === 'object' && value !== null) return shown(value);
    const node = this.#nodeAt(path);
    const written = isScalar(node) && typeof node.value !== 'string' ? (node.source ?? '') : '';
    if (written !== '') return written;
    return value === null ? 'nothing' : shown(value);
  }

  /** A problem at the value of `path`, or at its nearest existing parent. */
  problem(path: Path, expected: string, hint = '', received = this.shownAt(path)): Problem {
    return this.#problemAt(this.#offsetOf(path), path, expected, received, hint);
  }

  keyProblem(path: Path, key: string, expected: string, hint: string): Problem {
    return this.#problemAt(this.#keyOffset(path, key), [...path, key], expected, JSON.stringify(key), hint);
  }

  lineOf(path: Path): number {
    return this.#lines.linePos(this.#offsetOf(path)).line;
  }

  /** The whole document as data; aliases may make it endless. */
  #unfold(): readonly SyntaxProblem[] {
    try {
      this.#value = this.#document.toJS({ maxAliasCount: ALIASES_MAX });
      return [];
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      const expected = `at most ${ALIASES_MAX} copies by aliases`;
      return [{ offset: 0, expected, received: 'more', hint: 'write the values out' }];
    }
  }

  /** Well-formed YAML that cannot be a configuration: endless or unknown aliases, keys that are not text, too many or repeated. */
  #oddNodes(): readonly SyntaxProblem[] {
    const found: SyntaxProblem[] = [];
    const add = (node: Node, expected: string, received: string, hint: string): void => {
      found.push({ offset: node.range?.[0] ?? 0, expected, received, hint });
    };
    visit(this.#document, {
      Map: (_key, map) => {
        if (map.items.length > KEYS_MAX) {
          found.length = 0;
          add(map, `at most ${KEYS_MAX} keys in a section`, formatNumber(map.items.length), '');
          return visit.BREAK;
        }
        const known = new Set<unknown>();
        for (const { key } of map.items) {
          if (!isScalar(key)) continue;
          if (known.has(key.value))
            add(key, 'each key once', `${shown(String(key.value))} again`, 'remove one of them');
          known.add(key.value);
        }
        return undefined;
      },
      Alias: (_key, node) => {
        const target = node.resolve(this.#document);
        if (target === undefined || isInside(node, target))
          add(node, 'an anchor that is complete before it', `*${node.source}`, '');
      },
      Pair: (_key, { key }) => {
        if (isCollection(key) || isAlias(key)) add(key, 'a key that is one word', shown(key.toJSON()), '');
        else if (isScalar(key) && (key.value === null || key.value === ''))
          add(key, 'a key that is one word', 'nothing', '');
      },
    });
    return found;
  }

  #nodeAt(path: Path): unknown {
    return path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
  }

  #offsetOf(path: Path): number {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = this.#nodeAt(path.slice(0, length));
      if (isNode(node) && node.range) return node.range[0];
    }
    return 0;
  }

  #keyOffset(path: Path, key: string): number {
    const parent = this.#nodeAt(path);
    if (isMap(parent)) {
      for (const { key: node } of parent.items) {
        if (isScalar(node) && String(node.value) === key && node.range) return node.range[0];
      }
    }
    return this.#offsetOf(path);
  }

  #problemAt(offset: number, path: Path, expected: string, received: string, hint: string): Problem {
    const { line, col } = this.#lines.linePos(offset);
    const position = { file: this.file, line: Math.max(1, line), column: Math.max(1, col) };
    return { ...position, path: shownPath(path), expected, received, hint };
  }
}

const isInside = (node: Node, target: Node): boolean =>
  node.range !== undefined &&
  node.range !== null &&
  target.range !== undefined &&
  target.range !== null &&
  node.range[0] > target.range[0] &&
  node.range[1] <= target.range[1];

const shownPath = (path: Path): string =>
  path
    .map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`))
    .join('');

interface SyntaxProblem extends Pick<Problem, 'expected' | 'received' | 'hint'> {
  readonly offset: number;
}

/** A simulator with a thousand accounts needs less. */
const BYTES_MAX = 128 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'a directory',
  EACCES: 'a file this user may not read',
};

function readYamlText(file: string): { readonly text: string } | { readonly unreadable: string } {
  let text: string;
  try {
    const stat = statSync(file);
    // A pipe would be waited for, and a device has no end.
    if (!stat.isFile() && !stat.isDirectory()) return { unreadable: 'a pipe, a device or a socket' };
    if (stat.size > BYTES_MAX) {
      const [size, most] = [formatNumber(stat.size), formatNumber(BYTES_MAX)];
      return { unreadable: `a file of ${size} bytes, of which ${most} are allowed` };
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { unreadable: REASONS[code] ?? code };
  }
  // A byte order mark would shift the columns of the first line.
  return { text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

/** Bytes that are no UTF-8, control characters, a carriage return alone, and spaces of a web page at the start of a line. */
const ODD = /\uFFFD|[^\P{Cc}\t\n\r]|\r(?!\n)|[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000\uFEFF](?<=^ *.)/mu;

function oddText(text: string): SyntaxProblem | undefined {
  const odd = ODD.exec(text);
  if (odd === null) return undefined;
  const code = (odd[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const hint = 'type this place again and save the file as UTF-8';
  return { offset: odd.index, expected: 'plain text', received: `the character U+${code}`, hint };
}

/** The first fault: later ones usually follow from it. */
function yamlFault({ errors, warnings }: Document): SyntaxProblem | undefined {
  const [first] = [...errors, ...warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (first === undefined) return undefined;
  const hint = first.code === 'MULTIPLE_DOCS' ? 'a second document begins here' : first.message;
  return { offset: first.pos[0], expected: 'YAML that can be read', received: 'none', hint };
}
