/** One mistake in an input, as data: its place, the expected value, the received one. */
export interface Issue {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

/** The outcome of reading untrusted input: a value, or its mistakes. */
export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly [Issue, ...Issue[]] };

export function parsed<T>(value: T): ParseResult<T> {
  return { ok: true, value };
}

export function notParsed<T>(path: string, expected: string, received: unknown): ParseResult<T> {
  return { ok: false, issues: [{ path, expected, received: shown(received) }] };
}

export const issuesText = (issues: readonly Issue[]): string =>
  issues.map(({ path, expected, received }) => `${path}: expected ${expected}, was ${received}`).join('; ');

/** How a received value is quoted in a message: JSON, cut at 80 characters. */
export function shown(value: unknown): string {
  const text = textOf(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/** Values that JSON cannot hold are named by their type: a symbol, a function. */
function textOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  const json: unknown = JSON.stringify(value);
  return typeof json === 'string' ? json : typeof value;
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What `raw` has at `path`, among its own fields; undefined where there is nothing. */
export function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  let value = raw;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(String(key));
  }
  return value;
}

/** No message of the contract is deeper than 5. Code that walks a value calls itself for each level, and its stack is finite. */
const JSON_DEPTH_MAX = 32;

/** The value of a JSON text; its size is bounded where it is received. */
export function parseJson(text: string, path: string): ParseResult<unknown> {
  if (isTooDeep(text)) return notParsed(path, `JSON of at most ${JSON_DEPTH_MAX} levels`, text);
  try {
    return parsed<unknown>(JSON.parse(text));
  } catch {
    // JSON.parse throws for one reason alone: the text is not JSON.
    return notParsed(path, 'JSON', text);
  }
}

function isTooDeep(text: string): boolean {
  // Few brackets cannot be deep: true for all but books of many rows, and far faster than the scan.
  if (countOf(text, '{') + countOf(text, '[') <= JSON_DEPTH_MAX) return false;
  let depth = 0;
  let isText = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (isText) {
      if (code === BACKSLASH) i += 1;
      else if (code === QUOTE) isText = false;
    } else if (code === QUOTE) isText = true;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1;
      if (depth > JSON_DEPTH_MAX) return true;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Counts no further than matters. */
function countOf(text: string, bracket: string): number {
  let count = 0;
  for (
    let at = text.indexOf(bracket);
    at !== -1 && count <= JSON_DEPTH_MAX;
    at = text.indexOf(bracket, at + 1)
  ) {
    count += 1;
  }
  return count;
}
