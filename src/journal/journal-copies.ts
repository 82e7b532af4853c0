/** Copies of the journal: archives of sessions that are over for long, and backups of the whole. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type TradingDay, isTradingDay } from '../domain/civil-date.ts';
import { closing, errorText, thrownText, undefinedIfMissing } from '../domain/failure.ts';
import { Database } from '../sqlite/database.ts';
import { type ChainFault, chainEnd, checkJournal, countOf, missingRow } from './journal-chain.ts';
import { type ArchivedSession, archivedSessions, createTables, openReadOnly } from './journal-database.ts';

// An archive is a journal of its own, packed, in a file that never changes. One file a session, because it is whole as soon as it is
// made: a file of a month would be rewritten each day. The journal keeps the session's place in the list, its counters and the ends of
// its chains, so that the rows of an archive are proven against it; and the hash of the file.

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
    thrownText(() => rmSync(partial, { force: true }));
  }
}

function sessionAlone(journal: Database, session: string): Buffer {
  return closing(new Database(':memory:'), (alone) => {
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
  });
}

const TABLES_OF_A_SESSION = [
  ['sessions', 'day'],
  ['counters', 'day'],
  ['inputs', 'session'],
  ['entries', 'session'],
  ['chains', 'session'],
] as const;

/** Throws unless these bytes hold the session as the journal has it, row by row. */
function proven(journal: Database, session: string, bytes: Buffer, file: string): ArchivedSession {
  const [inputs, entries] = [countOf(journal, session, 'inputs'), countOf(journal, session, 'entries')];
  const archived = { session, sha256: sha256(bytes), inputs, entries };
  let text: string | undefined;
  const failure = thrownText(() => {
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
  const bytes = undefinedIfMissing(() => readFileSync(file));
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

// A backup is taken while the daemon runs: a copy of one moment, read back and checked before it gets its name. It is made in a thread
// of its own: a copy takes seconds.

const PREFIX = 'journal-';
const SUFFIX = '.db';
const HALF = '.partial';

/** Rows of the journal are not those that were written. */
export class JournalDamaged extends Error {}

/**
 * Copies the journal at `path` into `dir` under the name of `day`, in place of an earlier copy of that day. Throws when the copy has a
 * fault; older copies stay. Throws too when the earlier copy holds rows that the journal lacks, or cannot be read: both
 * are kept then, the new one under a name that no retention deletes.
 */
export function backUpJournal(path: string, dir: string, day: TradingDay) {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const copy = join(dir, `${PREFIX}${day}${SUFFIX}`);
  const partial = `${copy}${HALF}`;
  try {
    removeHalves(dir);
    closing(openReadOnly(path), (journal) => journal.prepare('VACUUM INTO ?').run(partial));
    chmodSync(partial, 0o600);
    const rows = checkedRows(partial);
    syncFile(partial);
    const problem = existsSync(copy) ? problemOf(copy, partial) : null;
    const kept = problem === null ? copy : join(dir, `${PREFIX}${day}-other${SUFFIX}`);
    renameSync(partial, kept);
    syncFile(dir);
    if (problem !== null) throw new Error(`${problem}; the journal of now is backed up in ${kept}`);
    /** `rows`: inputs and entries in it. */
    return { path: kept, rows };
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Copies that a kill cut off, on this day or an earlier one. */
function removeHalves(dir: string): void {
  for (const name of readdirSync(dir))
    if (name.startsWith(PREFIX) && name.endsWith(`${SUFFIX}${HALF}`)) rmSync(join(dir, name));
}

/** Why the copy at `earlier` must stay when the one at `later` exists, and the remedy; null when the later one has all its rows. */
function problemOf(earlier: string, later: string): string | null {
  try {
    const lost = lostRows(earlier, later);
    if (lost === null) return null;
    return (
      `the journal does not go on from today's backup: ${lost}; ${earlier} stays: compare both with ` +
      'tickwright journal verify, and find out what replaced the journal'
    );
  } catch (error) {
    // The later copy was read whole before.
    return `today's backup ${earlier} cannot be read: ${errorText(error)}; it stays until you move it away`;
  }
}

/** Rows of the copy at `before` that the one at `after` lacks, in words; null when it has them all. */
function lostRows(before: string, after: string): string | null {
  return closing(openReadOnly(before), (older) =>
    closing(openReadOnly(after), (newer) => missingRow(older, newer)),
  );
}

function checkedRows(path: string): number {
  const { sessions, faults } = closing(openReadOnly(path), checkJournal);
  const [first] = faults;
  if (first === undefined) return sessions.reduce((sum, { inputs, entries }) => sum + inputs + entries, 0);
  const where = first.session === null ? '' : `${first.session}: `;
  throw new JournalDamaged(
    `the journal has ${faults.length} faults, the first: ${where}${first.text}; nothing was backed up, run tickwright journal verify`,
  );
}

/** Deletes the oldest copies; the newest `keep` that can be read stay, and those that cannot among them. */
export function pruneBackups(dir: string, keep: number) {
  const unreadable: string[] = [];
  const deleted = pruneDays(dir, PREFIX, SUFFIX, keep, (name) => {
    const failure = thrownText(() => readEnd(join(dir, name)));
    if (failure !== null) unreadable.push(`${name}: ${failure}`);
    return failure === null;
  });
  /** Names of the copies that are gone; copies that stay and are none, each with the reason. */
  return { deleted, unreadable };
}

/** Its rows were checked when it was made: damage since shows in the header, the size or the last pages. */
const readEnd = (path: string): unknown =>
  closing(openReadOnly(path), (database) => database.prepare('SELECT max(id) FROM entries').get());

/** Deletes the oldest files of a day with this name around the day; the newest `keep` that count stay. Returns their names. */
export function pruneDays(
  dir: string,
  prefix: string,
  suffix: string,
  keep: number,
  isCounted: (name: string) => boolean = () => true,
): readonly string[] {
  const copies = readdirSync(dir, { withFileTypes: true })
    .flatMap((each) => (each.isFile() ? [each.name] : []))
    .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
    .filter((name) => isTradingDay(name.slice(prefix.length, -suffix.length)))
    .toSorted();
  let kept = 0;
  const old = copies
    .toReversed()
    .filter((name) => {
      const isOld = kept >= keep;
      if (!isOld && isCounted(name)) kept += 1;
      return isOld;
    })
    .toReversed();
  for (const name of old) rmSync(join(dir, name));
  return old;
}

/** On the disk when it returns; also for the names in a directory. */
function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
