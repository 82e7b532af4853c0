/**
 * The chain of a session's rows: each row is stored with a hash of itself and of the hash before it, and the end of each chain is kept
 * separately. A row that is changed, missing or moved is found. The chain finds damage and careless edits; it can't stop a person who
 * rewrites all hashes, so note its end elsewhere if that matters.
 */
import { hash } from 'node:crypto';
import type { Database } from '../sqlite/database.ts';
import { errorText } from '../domain/failure.ts';
import { archivedSessions, type ArchivedSession, type ChainedTable, NO_SESSION } from './journal-database.ts';

/** SQLite's own values of one row, in the order of its columns, without the hash. */
export type ChainedRow = readonly (string | number | null)[];

export interface ChainEnd {
  readonly rows: number;
  readonly hash: string;
}

const START: ChainEnd = { rows: 0, hash: '' };
/** Half of SHA-256 in hex: 128 bits. */
const HASH_DIGITS = 32;

export function chained({ rows, hash: before }: ChainEnd, row: ChainedRow): ChainEnd {
  const text = `${before}\0${row.join('\0')}`;
  return { rows: rows + 1, hash: hash('sha256', text, 'hex').slice(0, HASH_DIGITS) };
}

export function chainEnd(database: Database, session: string, table: ChainedTable): ChainEnd {
  const end = database
    .prepare<[string, string], ChainEnd>('SELECT rows, hash FROM chains WHERE session = ? AND chained = ?')
    .get(session, table);
  return end ?? START;
}

export interface ChainFault {
  /** Null for the file as a whole. */
  readonly session: string | null;
  /** Place of the fault: the row at which the chain breaks, or its end. */
  readonly place: string;
  readonly text: string;
}

interface SessionChain {
  readonly session: string;
  readonly inputs: number;
  readonly entries: number;
  /** Its rows are in a file of their own. */
  readonly isArchived: boolean;
  /** Hashes of the last input and the last entry. */
  readonly ends: string;
}

export interface JournalCheck {
  readonly sessions: readonly SessionChain[];
  readonly faults: readonly ChainFault[];
}

/** More faults of one chain than this are only counted. */
const FAULTS_MAX = 20;

const ROWS: Readonly<
  Record<ChainedTable, { readonly name: string; readonly order: string; readonly columns: string }>
> = {
  inputs: {
    name: 'input',
    order: 'seq',
    columns: 'seq AS number, hash, session, seq, ts_us, kind, body',
  },
  entries: {
    name: 'entry',
    order: 'id',
    columns: 'id AS number, hash, session, cause, ts_us, strategy, kind, client_order_id, body, wall_us',
  },
};

/** Checks the file, then each row; the writer may go on meanwhile, as all is read as of one moment. Archives are not opened. */
export function checkJournal(database: Database): JournalCheck {
  if (database.inTransaction) return checkRows(database);
  database.exec('BEGIN');
  try {
    return checkRows(database);
  } finally {
    // A damaged page has ended it already.
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}

function checkRows(database: Database): JournalCheck {
  const sessions: SessionChain[] = [];
  const faults: ChainFault[] = [];
  try {
    faults.push(...fileFaults(database));
    const archives = archivesOf(database);
    const listed = new Set(database.prepare<[], string>('SELECT day FROM sessions').pluck().all());
    for (const session of sessionsOf(database)) {
      if (session !== NO_SESSION && !listed.has(session))
        faults.push({ session, place: 'session', text: 'it is missing in the list of sessions' });
      const archived = archives.get(session);
      if (archived !== undefined) {
        const { inputs, entries } = archived;
        sessions.push({ session, inputs, entries, isArchived: true, ends: endsOf(database, session) });
        continue;
      }
      const inputs = followed(database, session, 'inputs');
      const entries = followed(database, session, 'entries');
      faults.push(...inputs.faults, ...entries.faults);
      sessions.push({
        session,
        inputs: inputs.end.rows,
        entries: entries.end.rows,
        isArchived: false,
        ends: `${inputs.end.hash} ${entries.end.hash}`,
      });
    }
  } catch (error) {
    // Damaged pages end a query: rows before them are judged.
    faults.push({
      session: null,
      place: 'file',
      text: `the file cannot be read further: ${errorText(error)}`,
    });
  }
  return { sessions, faults };
}

/** Where `after` does not go on from the rows of `before`, in words; null when it holds them all. */
export function missingRow(before: Database, after: Database): string | null {
  const [old, now] = [chainsOf(before), chainsOf(after)];
  for (const session of sessionsOf(before)) {
    for (const table of ['inputs', 'entries'] as const) {
      const rows = old.rows(session, table);
      if (rows === 0) continue;
      const has = now.rows(session, table);
      if (has < rows) return `session ${session || 'none'} had ${rows} ${table} and has ${has}`;
      if (old.hashAt(session, table, rows) !== now.hashAt(session, table, rows))
        return `row ${rows} of the ${table} of session ${session || 'none'} is another one`;
    }
  }
  return null;
}

function chainsOf(database: Database) {
  const archives = archivesOf(database);
  return {
    rows: (session: string, table: ChainedTable): number =>
      archives.get(session)?.[table] ?? countOf(database, session, table),
    /** An archived session ends where its chain ends: no row follows. */
    hashAt: (session: string, table: ChainedTable, row: number): unknown =>
      archives.has(session) ? chainEnd(database, session, table).hash : hashOf(database, session, table, row),
  };
}

const archivesOf = (database: Database): ReadonlyMap<string, ArchivedSession> =>
  new Map(archivedSessions(database).map((archived) => [archived.session, archived]));

const endsOf = (database: Database, session: string): string =>
  `${chainEnd(database, session, 'inputs').hash} ${chainEnd(database, session, 'entries').hash}`;

export const countOf = (database: Database, session: string, table: ChainedTable): number =>
  Number(database.prepare(`SELECT count(*) FROM ${table} WHERE session = ?`).pluck().get(session));

const hashOf = (database: Database, session: string, table: ChainedTable, row: number): unknown =>
  database
    .prepare(`SELECT hash FROM ${table} WHERE session = ? ORDER BY ${ROWS[table].order} LIMIT 1 OFFSET ?`)
    .pluck()
    .get(session, row - 1);

function fileFaults(database: Database): readonly ChainFault[] {
  return database
    .prepare<[], string>('PRAGMA integrity_check(20)')
    .pluck()
    .all()
    .filter((text) => text !== 'ok')
    .map((text) => ({ session: null, place: 'file', text: `SQLite finds: ${text}` }));
}

/** Also those whose rows are left though the session itself is gone. */
const sessionsOf = (database: Database): readonly string[] =>
  database
    .prepare<[], string>(
      `SELECT day FROM sessions UNION SELECT session FROM entries UNION SELECT session FROM inputs UNION SELECT session FROM chains
       ORDER BY 1`,
    )
    .pluck()
    .all();

/** Goes on from the stored hash after a break, so that one damaged row makes one fault. */
function followed(
  database: Database,
  session: string,
  table: ChainedTable,
): { readonly end: ChainEnd; readonly faults: readonly ChainFault[] } {
  const { name, columns } = ROWS[table];
  const faults: ChainFault[] = [];
  let end = START;
  let before = `the start of the ${table}`;
  const rows = database
    .prepare<[string], [number, string | null, ...ChainedRow]>(
      `SELECT ${columns} FROM ${table} WHERE session = ? ORDER BY number`,
    )
    .raw();
  for (const [number, stored, ...row] of rows.iterate(session)) {
    const place = `${name} ${number}`;
    const expected = chained(end, row);
    if (expected.hash !== stored) {
      const text = `${place} does not follow ${before}: it was changed, or rows before it are missing or moved`;
      faults.push({ session, place, text });
    }
    end = { rows: expected.rows, hash: stored ?? '' };
    before = place;
  }
  const kept = chainEnd(database, session, table);
  if (kept.rows !== end.rows || kept.hash !== end.hash) {
    const text =
      kept.rows === end.rows
        ? `the last of the ${table} is not the one that was written last`
        : `${kept.rows} ${table} were written, ${end.rows} are there`;
    faults.push({ session, place: `end of the ${table}`, text });
  }
  const more = faults.length - FAULTS_MAX;
  if (more > 0) {
    const text = `${more} more faults in the ${table}`;
    faults.splice(FAULTS_MAX, more, { session, place: `the ${table}`, text });
  }
  return { end, faults };
}
