/**
 * Archives of sessions that are over for long: each is a journal of its own, packed, in a file that never changes. One file a session,
 * because it is whole as soon as it is made: a file of a month would be rewritten each day. The journal keeps the session's place in the
 * list, its counters and the ends of its chains, so that the rows of an archive are proven against it; and the hash of the file.
 */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { TradingDay } from '../domain/civil-date.ts';
import { errorText, failureOf, ifThere } from '../domain/failure.ts';
import { Database } from '../sqlite/database.ts';
import { syncFile } from './journal-backup.ts';
import { type ChainFault, chainEnd, checkJournal } from './journal-chain.ts';
import {
  type ArchivedSession,
  archivedSessions,
  type ChainedTable,
  createTables,
  openReadOnly,
} from './journal-database.ts';

export const archiveDir = (path: string): string => join(dirname(path), 'archive');

export const archivePath = (path: string, session: string): string =>
  join(archiveDir(path), `journal-${session}.db.gz`);

/**
 * Writes one session of the journal at `path` into its archive, and proves by reading it back that it holds each row. The journal itself
 * is only read. An archive that is there already is never replaced: it is the same session, or this throws.
 */
export function writeArchive(path: string, session: TradingDay): ArchivedSession {
  const file = archivePath(path, session);
  const partial = `${file}.partial`;
  const journal = openReadOnly(path);
  try {
    if (!existsSync(file)) {
      mkdirSync(archiveDir(path), { recursive: true, mode: 0o700 });
      writeFileSync(partial, gzipSync(sessionAlone(journal, session)));
      chmodSync(partial, 0o600);
      syncFile(partial);
      proven(journal, session, readFileSync(partial), partial);
      renameSync(partial, file);
      syncFile(archiveDir(path));
    }
    return proven(journal, session, readFileSync(file), file);
  } finally {
    journal.close();
    failureOf(() => rmSync(partial, { force: true }));
  }
}

/** A journal with this session and nothing else, as bytes. */
function sessionAlone(journal: Database, session: string): Buffer {
  const alone = new Database(':memory:');
  try {
    createTables(alone);
    alone.transaction(() => {
      for (const [table, key] of TABLES_OF_A_SESSION) {
        const rows = journal.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`).raw();
        const marks = rows.columns().map(() => '?');
        const insert = alone.prepare(`INSERT INTO ${table} VALUES (${marks.join(', ')})`);
        for (const row of rows.iterate(session)) insert.run(row);
      }
    })();
    return alone.serialize();
  } finally {
    alone.close();
  }
}

/** Each table with its column for the session. */
const TABLES_OF_A_SESSION = [
  ['sessions', 'day'],
  ['counters', 'day'],
  ['inputs', 'session'],
  ['entries', 'session'],
  ['chains', 'session'],
] as const;

/** Throws unless these bytes hold the session as the journal has it, row by row. */
function proven(journal: Database, session: string, bytes: Buffer, file: string): ArchivedSession {
  const count = (table: ChainedTable): number =>
    Number(journal.prepare(`SELECT count(*) FROM ${table} WHERE session = ?`).pluck().get(session));
  const archived = { session, sha256: sha256(bytes), inputs: count('inputs'), entries: count('entries') };
  let text: string | undefined;
  const failure = failureOf(() => {
    text = archiveFaults(unpacked(bytes), journal, archived)[0]?.text;
  });
  const problem = failure ?? text;
  if (problem === undefined) return archived;
  throw new Error(`${file} is not the session that the journal holds: ${problem}; move the file away`);
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

const unpacked = (bytes: Buffer): Database => new Database(gunzipSync(bytes), { readonly: true });

/** Checks the rows of an archive, and that they end where the chains of the journal end. Closes the archive. */
function archiveFaults(
  archive: Database,
  journal: Database,
  { session, inputs, entries }: ArchivedSession,
): readonly ChainFault[] {
  try {
    const { sessions, faults } = checkJournal(archive);
    const found = sessions.find((each) => each.session === session);
    const ends = (['inputs', 'entries'] as const).map((table) => {
      const [here, there] = [archive, journal].map((each) => chainEnd(each, session, table));
      return here?.rows === there?.rows && here?.hash === there?.hash;
    });
    if (found?.inputs === inputs && found.entries === entries && !ends.includes(false)) return faults;
    const text = 'the rows of the archive do not end where the rows of the journal ended';
    return [...faults, { session, place: 'end of the archive', text }];
  } finally {
    archive.close();
  }
}

/** Opens the archive of a session, in memory. Throws when it is missing or not the file that was written. */
export function openArchive(path: string, { session, sha256: written }: ArchivedSession): Database {
  const file = archivePath(path, session);
  const where = `the rows of session ${session} are in ${file}`;
  const bytes = ifThere(() => readFileSync(file));
  if (bytes === undefined) throw new Error(`${where}, which is missing: put it back`);
  if (sha256(bytes) !== written)
    throw new Error(`${where}, which was changed or damaged: put the file back that was written`);
  return unpacked(bytes);
}

/** Reads each archive of the journal at `path`: its file, its rows, and that they end where the journal says. */
export const checkArchives = (path: string, journal: Database): readonly ChainFault[] =>
  archivedSessions(journal).flatMap((archived) => {
    try {
      return archiveFaults(openArchive(path, archived), journal, archived);
    } catch (error) {
      return [{ session: archived.session, place: 'archive', text: errorText(error) }];
    }
  });
