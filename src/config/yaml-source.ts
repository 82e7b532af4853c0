/** A YAML file that remembers where each value stands. */
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
  type YAMLError,
} from 'yaml';
import { shown } from '../domain/parsed.ts';
import type { Problem } from './problem.ts';

export type Path = readonly PropertyKey[];

/** Largest growth of a file by its aliases. */
const ALIASES_MAX = 100;
/** No section has a hundred; each unknown key is looked up among the known ones, and told. */
const KEYS_MAX = 1_000;

export class YamlSource {
  readonly file: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();
  #value: unknown = null;

  private constructor(file: string, text: string) {
    this.file = file;
    // The parser compares each key with all before it: 20,000 of them take seconds.
    const uniqueKeys = false;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys });
  }

  /** A missing file or one that is not YAML is a problem, not an exception. */
  static read(file: string): { readonly source: YamlSource } | { readonly problems: readonly Problem[] } {
    const read = readYamlText(file);
    if ('unreadable' in read) {
      const hint = 'check the path; samples are in config/';
      const what = { expected: 'a readable YAML file', received: read.unreadable, hint };
      return { problems: [{ file, line: 1, column: 1, path: '', ...what }] };
    }
    const source = new YamlSource(file, read.text);
    if (read.odd !== null) return { problems: [source.#found(read.odd)] };
    const faults = yamlFaults(source.#document, read.text);
    const odd = faults.length > 0 ? faults : source.#oddNodes();
    const found = odd.length > 0 ? odd : source.#unfold();
    return found.length > 0 ? { problems: found.map((each) => source.#found(each)) } : { source };
  }

  value(): unknown {
    return this.#value;
  }

  /** The value at `path` as JavaScript sees it; undefined where there is none. */
  at(path: Path): unknown {
    let value = this.#value;
    for (const key of path) {
      if (typeof value !== 'object' || value === null) return undefined;
      value = new Map<PropertyKey, unknown>(Object.entries(value)).get(String(key));
    }
    return value;
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

  /** True when the value is only a comment. */
  isCommentAt(path: Path): boolean {
    const node = this.#nodeAt(path);
    return isScalar(node) && node.value === null && typeof node.comment === 'string';
  }

  /** A problem at the value of `path`, or at its nearest existing parent. */
  problem(path: Path, expected: string, hint = '', received = this.shownAt(path)): Problem {
    return this.#problemAt(this.#offsetOf(path), path, expected, received, hint);
  }

  /** A problem of a key itself, not of its value. */
  keyProblem(path: Path, key: string, expected: string, hint: string): Problem {
    return this.#problemAt(this.#keyOffset(path, key), [...path, key], expected, JSON.stringify(key), hint);
  }

  /** Line of the value at `path`. */
  lineOf(path: Path): number {
    return this.#lines.linePos(this.#offsetOf(path)).line;
  }

  /** The whole document as data; aliases may make it endless. */
  #unfold(): readonly Found[] {
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
  #oddNodes(): readonly Found[] {
    const found: Found[] = [];
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
        const name = `*${node.source}`;
        if (target === undefined)
          add(node, 'an anchor of this name before', name, 'put a text that begins with * in quotes');
        else if (isInside(node, target))
          add(node, 'an anchor that is over', name, 'a value cannot hold itself');
      },
      Pair: (_key, { key }) => {
        if (isCollection(key) || isAlias(key)) add(key, 'a key that is one word', shown(key.toJSON()), '');
        else if (isScalar(key) && (key.value === null || key.value === ''))
          add(key, 'a key that is one word', 'nothing', 'write key: value');
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

  #found({ offset, expected, received, hint }: Found): Problem {
    return this.#problemAt(offset, [], expected, received, hint);
  }

  #problemAt(offset: number, path: Path, expected: string, received: string, hint: string): Problem {
    const { line, col } = this.#lines.linePos(offset);
    return {
      file: this.file,
      line: Math.max(1, line),
      column: Math.max(1, col),
      path: shownPath(path),
      expected,
      received,
      hint,
    };
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

/** The text of a YAML file, or its first odd character; editors and copied web pages leave some behind. */

interface OddText {
  /** Offset of the odd character in `text`. */
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

type ReadText = { readonly text: string; readonly odd: OddText | null } | { readonly unreadable: string };

/** A simulator with a thousand accounts needs less. */
const BYTES_MAX = 128 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'a directory',
  EACCES: 'a file this user may not read',
};

function readYamlText(file: string): ReadText {
  let text: string;
  try {
    const stat = statSync(file);
    // A pipe would be waited for, and a device has no end.
    if (!stat.isFile() && !stat.isDirectory()) return { unreadable: 'a pipe, a device or a socket' };
    if (stat.size > BYTES_MAX) {
      return {
        unreadable: `a file of ${formatNumber(stat.size)} bytes, of which ${formatNumber(BYTES_MAX)} are allowed`,
      };
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { unreadable: REASONS[code] ?? code };
  }
  // A byte order mark would shift the columns of the first line.
  if (text.startsWith('\uFEFF')) text = text.slice(1);
  return { text, odd: oddText(text) };
}

const CONTROL = /[^\P{Cc}\t\n\r]/u;
const LONE_RETURN = /\r(?!\n)/;
/** Odd spaces at the start of a line. */
const ODD_INDENT = /^ *(?=[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000\uFEFF])/m;
const REPLACED = '\uFFFD';

function oddText(text: string): OddText | null {
  const broken = text.indexOf(REPLACED);
  if (broken >= 0)
    return {
      offset: broken,
      expected: 'text in UTF-8',
      received: 'bytes that are none',
      hint: 'save the file as UTF-8',
    };
  const control = CONTROL.exec(text);
  if (control !== null)
    return {
      offset: control.index,
      expected: 'text',
      received: `the control character ${codeOf(text, control.index)}`,
      hint: 'remove it',
    };
  const lone = LONE_RETURN.exec(text);
  if (lone !== null)
    return {
      offset: lone.index,
      expected: 'lines that end as on Unix or Windows',
      received: 'a carriage return alone',
      hint: 'save the file with other line ends',
    };
  const indent = ODD_INDENT.exec(text);
  if (indent === null) return null;
  const offset = indent.index + indent[0].length;
  return {
    offset,
    expected: 'spaces',
    received: `the odd space ${codeOf(text, offset)}`,
    hint: 'type the indentation again, with plain spaces',
  };
}

const codeOf = (text: string, offset: number): string =>
  `U+${(text.codePointAt(offset) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

// Mistakes in YAML, in words for the person who writes the file.

interface Found {
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

const COLUMNS = 'the keys of one section start in the same column, further right than the section itself';

/** The first fault: later ones usually follow from it. */
function yamlFaults(document: Document, text: string): readonly Found[] {
  const [first] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  return first === undefined ? [] : [foundOf(first, document, text)];
}

function foundOf(fault: YAMLError, document: Document, text: string): Found {
  const offset = fault.pos[0];
  const word = wordAt(text, offset);
  const says = (expected: string, received: string, hint: string, at = offset): Found => ({
    offset: at,
    expected,
    received,
    hint,
  });
  switch (fault.code) {
    case 'TAB_AS_INDENT':
      return says('spaces', 'a tab', 'YAML is indented with spaces only');
    case 'MULTIPLE_DOCS':
      return says('one document', 'a second one', 'remove the line --- or ... and what follows it');
    case 'BAD_SCALAR_START':
    case 'BAD_ALIAS':
      return says(
        'a value',
        quoted(lineRest(text, offset)),
        `put a text that begins with ${text[offset]} in quotes`,
      );
    case 'TAG_RESOLVE_FAILED':
      return says(
        'a plain value',
        quoted(/^\S+/.exec(text.slice(offset))?.[0] ?? ''),
        'tags are not used here',
      );
    case 'BAD_DQ_ESCAPE':
      return says(
        'a text',
        quoted(text.slice(offset, offset + 2)),
        'use single quotes where there is a backslash',
      );
    case 'BLOCK_AS_IMPLICIT_KEY':
      return nested(text, offset);
    case 'BLOCK_IN_FLOW':
      return says('a comma', 'nothing', `between the entries, after ${word}`);
    case 'MULTILINE_IMPLICIT_KEY':
      return says('key: value', quoted(lineRest(text, offset)), keyHint(lineRest(text, offset)));
    case 'UNEXPECTED_TOKEN':
      return says(
        'nothing here',
        quoted(text[offset] ?? ''),
        'remove it, or look for a missing comma or colon',
      );
    case 'MISSING_CHAR':
    case 'BAD_INDENT':
      return unfinished(fault, document, text);
    case 'ALIAS_PROPS':
    case 'BAD_COLLECTION_TYPE':
    case 'BAD_DIRECTIVE':
    case 'BAD_PROP_ORDER':
    case 'DUPLICATE_KEY':
    case 'IMPOSSIBLE':
    case 'KEY_OVER_1024_CHARS':
    case 'MULTIPLE_ANCHORS':
    case 'MULTIPLE_TAGS':
    case 'NON_STRING_KEY':
    case 'RESOURCE_EXHAUSTION':
      break;
  }
  if (fault.message.includes('call stack'))
    return says('fewer brackets', 'one inside the other without an end', 'remove some');
  return says('well-formed YAML', fault.message, COLUMNS);
}

/** An unclosed quote or bracket is reported where it opens. */
function unfinished({ message, pos }: YAMLError, document: Document, text: string): Found {
  const line = lineRest(text, pos[0]);
  const quote = message.startsWith('Missing closing');
  if (quote || message.startsWith('Flow')) {
    const offset = openedBefore(document, pos[0], quote);
    const closing = quote ? (text[offset] ?? '') : (CLOSING[text[offset] ?? ''] ?? '');
    const hint = `what is opened here is never closed`;
    return { offset, expected: `a closing ${closing}`, received: 'none', hint };
  }
  if (message.startsWith('Implicit map keys'))
    return { offset: pos[0], expected: 'key: value', received: quoted(line), hint: keyHint(line) };
  const start = pos[0] + (/^[ \n]*/.exec(text.slice(pos[0]))?.[0].length ?? 0);
  return columnFault(text, start);
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

/** The last quote or bracket that was still open at `end`. */
function openedBefore(document: Document, end: number, quote: boolean): number {
  let start = end;
  visit(document, {
    Node: (_, node) => {
      const isOpen =
        quote && isScalar(node)
          ? node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE'
          : !quote && isCollection(node) && node.flow === true;
      if (isOpen && node.range && node.range[0] < end && node.range[1] >= end) start = node.range[0];
    },
  });
  return start;
}

/** Two mappings on one line: a colon in a value, a dash without its space, or wrong indentation. */
function nested(text: string, offset: number): Found {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)[0] ?? '';
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const dash = /^\s*-(?=[^\s-])/.exec(line);
  if (dash !== null) {
    const at = lineStart + dash[0].length - 1;
    return {
      offset: at,
      expected: 'a dash and a space',
      received: quoted(line.trim()),
      hint: 'put a space after the -',
    };
  }
  const value = line.slice(offset - lineStart);
  if (/:(\s|$)/.test(value))
    return {
      offset,
      expected: 'one value',
      received: quoted(value),
      hint: 'put a text with a colon in quotes',
    };
  const next = /\n[ \t]*(?=[^\s#])/g;
  next.lastIndex = offset;
  const found = next.exec(text);
  return columnFault(text, found === null ? offset : found.index + found[0].length);
}

function columnFault(text: string, offset: number): Found {
  const column = offset - text.lastIndexOf('\n', offset - 1);
  const received = `${wordAt(text, offset)} in column ${column}`;
  return { offset, expected: 'a key in the column of the keys above it', received, hint: COLUMNS };
}

function keyHint(line: string): string {
  if (line.includes('\uFF1A')) return 'the colon is another character: type it again';
  if (/^[\w-]+:\S/.test(line)) return 'put a space after the colon';
  return 'a colon and a space stand between the two';
}

const WORD_MAX = 60;

const lineRest = (text: string, offset: number): string =>
  (text.slice(offset).split(/\r?\n/, 1)[0] ?? '').trim().slice(0, WORD_MAX);

const quoted = (text: string): string => JSON.stringify(text);

const wordAt = (text: string, offset: number): string =>
  JSON.stringify(/^[^\s:]+/.exec(text.slice(offset))?.[0] ?? text.slice(offset, offset + 1));
