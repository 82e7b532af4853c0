/**
 * Bodies of journal rows. Strategies have names where the engine has their places. Most polls find the same as the one before, so a
 * snapshot is written as its difference to the last one where that reproduces it exactly.
 */
import { errorText } from '../domain/failure.ts';
import { isRecord, type JsonRecord } from '../domain/parsed.ts';
import type { EngineEvent, MarketEvent } from '../engine/ports/engine-event.ts';
import type { StrategyIndex } from '../domain/units.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import type { StrategyNames } from '../domain/ids.ts';

export type JournaledInput = Exclude<EngineEvent, MarketEvent>;

interface Bulk {
  /** Field of the event that holds the rows. */
  readonly field: string;
  /** Field that identifies a row; undefined: the rows are compared whole. */
  readonly key: string | undefined;
}

const TRIGGERS = 'book_snapshot of triggers';

const BULK: Readonly<Partial<Record<JournaledInput['kind'] | typeof TRIGGERS, Bulk>>> = {
  book_snapshot: { field: 'orders', key: 'orderNo' },
  [TRIGGERS]: { field: 'orders', key: 'orderKey' },
  position_snapshot: { field: 'positions', key: undefined },
  account_snapshot: { field: 'account', key: undefined },
  reference: { field: 'rows', key: undefined },
  contracts: { field: 'contracts', key: undefined },
};

/** `{ $same: true }`: as in the last row of this kind. `{ $delta: rows }`: these rows replace or follow the last ones. */
const SAME = '$same';
const DELTA = '$delta';

/** Keeps the last snapshot of each kind. Writer and reader have one each and see the same rows in the same order. */
export class InputCodec {
  readonly #last = new Map<string, LastBulk>();
  readonly #names: StrategyNames;

  constructor(names: StrategyNames) {
    this.#names = names;
  }

  /** The JSON body of an input: everything but `seq`, `tsUs` and `kind`. */
  encode(input: JournaledInput): string {
    const { seq: _seq, tsUs: _tsUs, kind, ...body } = input;
    const fields: Record<string, unknown> = body;
    const name = bulkName(kind, fields);
    const bulk = name === undefined ? undefined : BULK[name];
    if (name === undefined || bulk === undefined) return namedText(kind, fields, this.#names);
    const value = fields[bulk.field];
    return JSON.stringify({ ...fields, [bulk.field]: this.#lastOf(name, bulk).compact(value) });
  }

  /** An object of its own, which the caller may add to. */
  decode(kind: string, text: string): Record<string, unknown> {
    const body = parseNamed(kind, text, this.#names);
    const name = bulkName(kind, body);
    const bulk = name === undefined ? undefined : BULK[name];
    if (name === undefined || bulk === undefined) return body;
    body[bulk.field] = this.#lastOf(name, bulk).expand(body[bulk.field]);
    return body;
  }

  #lastOf(name: string, { key }: Bulk): LastBulk {
    const known = this.#last.get(name);
    if (known !== undefined) return known;
    const made = key === undefined ? new LastValue() : new LastRows(key);
    this.#last.set(name, made);
    return made;
  }
}

/** The last snapshot of one kind, as writer or as reader. */
interface LastBulk {
  compact(value: unknown): unknown;
  expand(stored: unknown): unknown;
}

/** A snapshot that is the same or another. */
class LastValue implements LastBulk {
  #value: unknown = undefined;
  #text: string | undefined = undefined;

  compact(value: unknown): unknown {
    const text = JSON.stringify(value);
    const isSame = text === this.#text;
    this.#text = text;
    return isSame ? { [SAME]: true } : value;
  }

  expand(stored: unknown): unknown {
    if (!isRecord(stored) || !(SAME in stored)) this.#value = stored;
    return this.#value;
  }
}

/** Rows with a key. Rows that did not change stay the same objects for the reader. */
class LastRows implements LastBulk {
  readonly #key: string;
  #rows: readonly JsonRecord[] = [];
  /** Text of each row, by key: whole snapshots are compared row by row, once. */
  #texts = new Map<unknown, string>();
  /** Place of each row, by key. */
  #places = new Map<unknown, number>();
  #isFirst = true;

  constructor(key: string) {
    this.#key = key;
  }

  compact(value: unknown): unknown {
    if (!Array.isArray(value)) return value;
    const before = this.#texts;
    const texts = new Map<unknown, string>();
    const keys = [...before.keys()];
    const delta: unknown[] = [];
    // A difference keeps the order of the rows, changes some, and adds others at the end.
    let isDifference = !this.#isFirst && value.length >= keys.length;
    for (const [index, row] of value.entries()) {
      const key: unknown = isRecord(row) ? row[this.#key] : undefined;
      const text = JSON.stringify(row);
      if (texts.has(key) || (index < keys.length ? keys[index] !== key : before.has(key)))
        isDifference = false;
      texts.set(key, text);
      if (before.get(key) !== text) delta.push(row);
    }
    this.#texts = texts;
    // With a key twice the next snapshot can't be written as changes of this one.
    this.#isFirst = texts.size !== value.length;
    if (!isDifference) return value;
    return delta.length === 0 ? { [SAME]: true } : { [DELTA]: delta };
  }

  expand(stored: unknown): unknown {
    if (!isRecord(stored)) return this.#replace(stored);
    if (SAME in stored) return this.#rows;
    return DELTA in stored ? this.#merge(rowsIn(stored[DELTA])) : this.#replace(stored);
  }

  #replace(stored: unknown): unknown {
    if (!Array.isArray(stored)) return stored;
    this.#rows = rowsIn(stored);
    this.#places = new Map(this.#rows.map((row, index) => [row[this.#key], index]));
    return stored;
  }

  #merge(delta: readonly JsonRecord[]): readonly JsonRecord[] {
    const rows = [...this.#rows];
    for (const row of delta) {
      const key = row[this.#key];
      const index = this.#places.get(key) ?? rows.length;
      rows[index] = row;
      this.#places.set(key, index);
    }
    this.#rows = rows;
    return rows;
  }
}

/** The two lists of the book have different rows, and each changes apart. */
function bulkName(kind: string, body: JsonRecord): keyof typeof BULK | undefined {
  if (kind === 'book_snapshot' && body['list'] === 'triggers') return TRIGGERS;
  return isBulkName(kind) ? kind : undefined;
}

const isBulkName = (kind: string): kind is keyof typeof BULK => Object.hasOwn(BULK, kind);

function rowsIn(value: unknown): readonly JsonRecord[] {
  if (!Array.isArray(value) || !value.every(isRecord))
    throw new Error('journal: expected rows in the body of an input');
  return value;
}

type Body = Readonly<Record<string, unknown>>;

/** Inputs and entries with strategies within their body. */
const NAMING: ReadonlySet<string> = new Set(['session_started', 'booted', 'command']);

/** The field that holds a strategy, wherever it lies. */
const FIELD = 'strategy';

function namedText(kind: string, body: Body, names: StrategyNames): string {
  if (!NAMING.has(kind)) return JSON.stringify(body);
  return JSON.stringify(
    body,
    (key, value: unknown) =>
      key === FIELD && typeof value === 'number' ? names.nameOf(value as StrategyIndex) : value, // oxlint-disable-line typescript/no-unsafe-type-assertion -- a number there is a place
  );
}

export function parseNamed(kind: string, text: string, names: StrategyNames): Record<string, unknown> {
  const named = (key: string, value: unknown): unknown =>
    key === FIELD && typeof value === 'string' ? names.indexOf(value) : value;
  try {
    const body: unknown = JSON.parse(text, NAMING.has(kind) ? named : undefined);
    return asBody(body);
  } catch (error) {
    const remedy = 'tickwright journal verify shows which; put the newest one of backups in its place';
    throw new Error(`a row (${kind}) of the journal is damaged: ${errorText(error)}; ${remedy}`, {
      cause: error,
    });
  }
}

/** JSON of an entry without the columns of its row. A call has the strategy of its row. */
export function entryBody(entry: JournalEntry, names: StrategyNames): string {
  const { cause: _cause, tsUs: _tsUs, strategy: _strategy, kind, ...body } = entry;
  const fields: Body = body;
  const call = callField(kind);
  if (call === null) return namedText(kind, body, names);
  return JSON.stringify({ ...body, [call]: { ...asBody(fields[call]), [FIELD]: undefined } });
}

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
