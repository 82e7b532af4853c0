/** The text of a YAML file, or what is wrong with its characters: editors and copied web pages leave odd ones behind. */
import { readFileSync } from 'node:fs';

export interface OddText {
  /** Offset in `text` of what is odd. */
  readonly offset: number;
  readonly expected: string;
  readonly received: string;
  readonly hint: string;
}

export type ReadText =
  | { readonly text: string; readonly odd: OddText | null }
  | { readonly unreadable: string };

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'a directory',
  EACCES: 'a file this user may not read',
};

export function readYamlText(file: string): ReadText {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { unreadable: REASONS[code] ?? code };
  }
  // A byte order mark is taken away: it would shift the columns of the first line.
  if (text.startsWith('\uFEFF')) text = text.slice(1);
  return { text, odd: oddText(text) };
}

const CONTROL = /[^\P{Cc}\t\n\r]/u;
const LONE_RETURN = /\r(?!\n)/;
/** Spaces that are none, in front of a line. */
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
