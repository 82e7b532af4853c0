/** Mistakes in YAML, in words for the person who writes the file. */
import { type Document, isCollection, isScalar, visit, type YAMLError } from 'yaml';

export interface Found {
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

const COLUMNS = 'the keys of one section start in the same column, further right than the section itself';

/** The first fault: later ones usually follow from it. */
export function yamlFaults(document: Document, text: string): readonly Found[] {
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
