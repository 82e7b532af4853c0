/** One mistake in an input, as data: its place, the expected value, the received one. */
export interface Issue {
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

/** The outcome of reading untrusted input: a value, or its mistakes. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly [Issue, ...Issue[]] };

export function parsed<T>(value: T): Parsed<T> {
  return { ok: true, value };
}

export function notParsed<T>(path: string, expected: string, received: unknown): Parsed<T> {
  return { ok: false, issues: [{ path, expected, received: shown(received) }] };
}

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
