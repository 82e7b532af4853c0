/**
 * Inputs as journal rows. Most polls find the same as the one before, so a snapshot is written as its difference to the last one
 * where that reproduces it exactly.
 */
import type { EngineEvent, MarketEvent } from '../engine/ports/engine-event.ts';

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

type Row = Readonly<Record<string, unknown>>;

/** `{ $same: true }`: as in the last row of this kind. `{ $delta: rows }`: these rows replace or follow the last ones. */
const SAME = '$same';
const DELTA = '$delta';

/** Keeps the last snapshot of each kind. Writer and reader have one each and see the same rows in the same order. */
export class InputCodec {
  readonly #last = new Map<string, unknown>();

  /** The JSON body of an input: everything but `seq`, `tsUs` and `kind`. */
  encode(input: JournaledInput): string {
    const { seq: _seq, tsUs: _tsUs, kind, ...body } = input;
    const fields: Record<string, unknown> = body;
    const name = bulkName(kind, fields);
    const bulk = name === undefined ? undefined : BULK[name];
    if (name === undefined || bulk === undefined) return JSON.stringify(body);
    const value = fields[bulk.field];
    const compacted = this.#compact(name, bulk, value);
    this.#last.set(name, value);
    return JSON.stringify({ ...fields, [bulk.field]: compacted });
  }

  decode(kind: string, text: string): Row {
    const body = asRow(JSON.parse(text));
    const name = bulkName(kind, body);
    const bulk = name === undefined ? undefined : BULK[name];
    if (name === undefined || bulk === undefined) return body;
    const value = this.#expand(name, bulk, body[bulk.field]);
    this.#last.set(name, value);
    return { ...body, [bulk.field]: value };
  }

  #compact(kind: string, bulk: Bulk, value: unknown): unknown {
    const last = this.#last.get(kind);
    if (last === undefined) return value;
    const text = JSON.stringify(value);
    if (JSON.stringify(last) === text) return { [SAME]: true };
    if (bulk.key === undefined) return value;
    const delta = changedRows(bulk.key, asRows(last), asRows(value));
    return JSON.stringify(mergedRows(bulk.key, asRows(last), delta)) === text ? { [DELTA]: delta } : value;
  }

  #expand(kind: string, bulk: Bulk, stored: unknown): unknown {
    if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return stored;
    const last = this.#last.get(kind);
    if (SAME in stored) return last;
    if (DELTA in stored && bulk.key !== undefined)
      return mergedRows(bulk.key, asRows(last), asRows(stored[DELTA]));
    return stored;
  }
}

/** The two lists of the book have different rows, and each changes apart. */
function bulkName(kind: string, body: Row): keyof typeof BULK | undefined {
  if (kind === 'book_snapshot' && body['list'] === 'triggers') return TRIGGERS;
  return isBulkName(kind) ? kind : undefined;
}

const isBulkName = (kind: string): kind is keyof typeof BULK => Object.hasOwn(BULK, kind);

function asRow(value: unknown): Row {
  if (typeof value !== 'object' || value === null)
    throw new Error('journal: expected an object in the body of an input');
  return Object.fromEntries(Object.entries(value));
}

function asRows(value: unknown): readonly Row[] {
  if (!Array.isArray(value)) throw new Error('journal: expected rows in the body of an input');
  return value.map(asRow);
}

function changedRows(key: string, last: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const known = new Map(last.map((row) => [row[key], JSON.stringify(row)]));
  return rows.filter((row) => known.get(row[key]) !== JSON.stringify(row));
}

function mergedRows(key: string, last: readonly Row[], delta: readonly Row[]): readonly Row[] {
  const merged = new Map(last.map((row) => [row[key], row]));
  for (const row of delta) merged.set(row[key], row);
  return [...merged.values()];
}
