/**
 * How the document and the field notes are written down here: one table an operation, a line a field. Nothing of `src` is
 * in this folder: what the codecs believe is what is tested.
 */

/** JSON types as the document has them; `int64` is a whole number, `0` the number itself. */
export type JsonType = 'string' | 'number' | 'int64' | 'boolean' | 'object' | 'array' | 'null' | '0';

export interface AnswerField {
  /** `data[].orderNo`: every row of the list. */
  readonly path: string;
  readonly types: readonly JsonType[];
  /** What the text or number looks like, or one of a few values. */
  readonly form: RegExp | null;
  readonly from: 'contract' | 'notes';
}

export interface RequestField {
  readonly name: string;
  readonly place: 'path' | 'query' | 'body';
  readonly type: 'string' | 'number' | 'int64' | 'array';
  /**
   * `needed` is required and refused without; `usual` is required by the document and left out by clients that exist, so the
   * service does without it (notes, 1); the others are optional.
   */
  readonly need: 'needed' | 'usual' | 'optional';
  readonly constant: string | null;
}

/** How an answer says yes or no (contract, 7): null where only the HTTP status does. */
export type Verdict = { readonly key: 'rc' | 'code' | 'error'; readonly success: string } | null;

export interface Operation {
  readonly name: string;
  readonly section: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** As the document prints it, with `{names}` in braces. */
  readonly path: string;
  /** The two token calls go without a token. */
  readonly isOpen: boolean;
  readonly verdict: Verdict;
  readonly asks: readonly RequestField[];
  readonly answers: readonly AnswerField[];
}

export const ENVELOPE: Verdict = { key: 'rc', success: '1' };

const FORMS: Readonly<Record<string, RegExp>> = {
  time: /^\d\d:\d\d:\d\d$/,
  timeOrNothing: /^(\d\d:\d\d:\d\d)?$/,
  date: /^\d\d\/\d\d\/\d{4}$/,
  digits: /^\d+$/,
  key: /^\d{7}$/,
  decimal: /^-?\d+(\.\d+)?$/,
  points: /^\d+\.\d$/,
  hex32: /^[\da-f]{32}$/,
  jwt: /^[\w-]+\.[\w-]+\.[\w-]+$/,
  empty: /^$/,
  closed: /^(0|\d+\/\d+)$/,
};

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

function formOf(word: string | undefined): RegExp | null {
  if (word === undefined) return null;
  if (word.startsWith('=')) return new RegExp(`^(?:${word.slice(1).split('|').map(escaped).join('|')})$`);
  const form = FORMS[word];
  if (form === undefined) throw new Error(`no form is called ${word}`);
  return form;
}

const linesOf = (table: string): string[][] =>
  table
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/));

/** A line: path, JSON types joined by `|`, and how it looks (`=B|S` for one of a few values, or a form of the list). */
export const answerFields = (from: AnswerField['from'], table: string): readonly AnswerField[] =>
  linesOf(table).map(([path = '', types = '', form]) => ({
    path,
    types: types.split('|') as JsonType[],
    form: formOf(form),
    from,
  }));

/** A line: name, place, type, need, and the constant that the document gives. */
export const requestFields = (table: string): readonly RequestField[] =>
  linesOf(table).map(([name = '', place, type, need, constant]) => ({
    name,
    place: place as RequestField['place'],
    type: type as RequestField['type'],
    need: need as RequestField['need'],
    constant: constant?.slice(1) ?? null,
  }));

/** The five keys that `/khronos/` answers carry, always, four of them as texts (notes, 1). */
export const envelopeOf = (cmd: string, data: 'array' | 'object' = 'array'): readonly AnswerField[] => [
  ...answerFields('contract', `rc string decimal`),
  ...answerFields('notes', `cmd string ${cmd === '' ? '' : `=${cmd}`}`),
  ...answerFields('notes', `rs string\noID string\ndata ${data}`),
];
