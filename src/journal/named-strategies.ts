/** Bodies of rows with the names of strategies where the engine has their places. */
import type { StrategyNames } from '../domain/ids.ts';
import type { StrategyIndex } from '../domain/units.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';

type Body = Readonly<Record<string, unknown>>;

/** Inputs and entries with strategies within their body. */
const NAMING: ReadonlySet<string> = new Set(['session_started', 'booted', 'command']);

/** The field that holds a strategy, wherever it lies. */
const FIELD = 'strategy';

/** JSON of a body. */
export function namedText(kind: string, body: Body, names: StrategyNames): string {
  if (!NAMING.has(kind)) return JSON.stringify(body);
  return JSON.stringify(
    body,
    (key, value: unknown) =>
      key === FIELD && typeof value === 'number' ? names.nameOf(value as StrategyIndex) : value, // oxlint-disable-line typescript/no-unsafe-type-assertion -- a number there is a place
  );
}

export function parseNamed(kind: string, text: string, names: StrategyNames): Record<string, unknown> {
  const body: unknown = NAMING.has(kind)
    ? JSON.parse(text, (key, value: unknown) =>
        key === FIELD && typeof value === 'string' ? names.indexOf(value) : value,
      )
    : JSON.parse(text);
  return asBody(body);
}

/** JSON of an entry without the columns of its row. A call has the strategy of its row. */
export function entryBody(entry: JournalEntry, names: StrategyNames): string {
  const { cause: _cause, tsUs: _tsUs, strategy: _strategy, kind, ...body } = entry;
  const fields: Body = body;
  const call = callField(kind);
  if (call === null) return namedText(kind, body, names);
  return JSON.stringify({ ...body, [call]: { ...asBody(fields[call]), [FIELD]: undefined } });
}

/** Gives a call the strategy of its row. */
export function withStrategy(body: Body, kind: string, strategy: StrategyIndex | null): Body {
  const call = callField(kind);
  return call === null ? body : { ...body, [call]: { ...asBody(body[call]), [FIELD]: strategy } };
}

/** The field that holds the call of an entry; null for an entry that is none. */
function callField(kind: string): string | null {
  if (kind === 'place') return 'order';
  return kind === 'modify' || kind === 'cancel' ? kind : null;
}

function asBody(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    throw new Error('journal: expected an object in the body of a row');
  return value as Record<string, unknown>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- checked just above
}
