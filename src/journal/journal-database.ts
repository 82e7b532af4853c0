/** The journal's file: its tables, and the format of the rows in them. A file of another format is left as it is. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { closing, isDiskFull, JournalFormatError, undefinedIfMissing, withPath } from '../domain/failure.ts';
import { Database } from '../sqlite/database.ts';

/** Format of inputs and entries. It rises when they are spelled otherwise, or when an older session would be decided otherwise. */
const JOURNAL_FORMAT = 9;

/** Session of rows that were written before the first session of a process began. */
export const NO_SESSION = '';

export type ChainedTable = 'inputs' | 'entries';

export const ACCOUNT_HALTS = `kind = 'halt' AND strategy IS NULL`;
/** Inputs that are found by their kind: a start reads them from many sessions, among the polls of whole days. */
const FOUND_BY_KIND = ['session_started', 'booted', 'contracts', 'strategies'];

const TABLES = `
  CREATE TABLE counters (
    name TEXT NOT NULL, day TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, day)
  ) WITHOUT ROWID;
  CREATE TABLE sessions (
    day TEXT PRIMARY KEY, started_ts_us INTEGER NOT NULL, configuration TEXT NOT NULL
  ) WITHOUT ROWID;
  -- Everything that entered the engine and is not a market frame, in one sequence with the frames.
  CREATE TABLE inputs (
    session TEXT NOT NULL, seq INTEGER NOT NULL, ts_us INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    hash TEXT, PRIMARY KEY (session, seq)
  ) WITHOUT ROWID;
  -- Every fact the daemon decided or learned.
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, cause INTEGER NOT NULL, ts_us INTEGER NOT NULL,
    strategy TEXT, kind TEXT NOT NULL, client_order_id TEXT, body TEXT NOT NULL, wall_us INTEGER NOT NULL,
    hash TEXT
  );
  -- The end of each chain: the last row can't go missing unseen.
  CREATE TABLE chains (
    session TEXT NOT NULL, chained TEXT NOT NULL, rows INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session, chained)
  ) WITHOUT ROWID;
  -- Sessions whose rows are in a file of their own: those rows alone may leave. sha256 is that of the file.
  CREATE TABLE archives (
    session TEXT PRIMARY KEY, sha256 TEXT, inputs INTEGER NOT NULL, entries INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX entries_of_order ON entries (client_order_id) WHERE client_order_id IS NOT NULL;
  CREATE INDEX entries_of_session ON entries (session, kind);
  CREATE INDEX entries_of_halts ON entries (id) WHERE ${ACCOUNT_HALTS};
  CREATE INDEX inputs_of_kind ON inputs (session, kind) WHERE ${FOUND_BY_KIND.map((kind) => `kind = '${kind}'`).join(' OR ')};
  CREATE TRIGGER entries_keep BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER inputs_keep BEFORE UPDATE ON inputs BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER entries_stay BEFORE DELETE ON entries WHEN OLD.session NOT IN (SELECT session FROM archives)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER inputs_stay BEFORE DELETE ON inputs WHEN OLD.session NOT IN (SELECT session FROM archives)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`;

/** Largest size the write-ahead log keeps after a checkpoint (failure cases, 34). */
export const WAL_BYTES_MAX = 64 * 1024 * 1024;
export const BUSY_TIMEOUT_MS = 2_000;

/** For the one writer: every commit is on the disk before it returns. On a full disk for it alone, as readers' index has no room. */
export function openDatabase(path: string): Database {
  return withRoomOrAlone(
    path,
    () => openWriter(path, 'NORMAL'),
    () => openWriter(path, 'EXCLUSIVE'),
  );
}

function withRoomOrAlone(path: string, open: () => Database, openAlone: () => Database): Database {
  return withPath(path, () => {
    refuseOtherLog(path);
    try {
      return open();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      return openAlone();
    }
  });
}

/** Byte 18 of an SQLite file whose changes go to a log; the file of a copy has none. */
const WITH_LOG = 2;
const HEAD_BYTES = 19;

/** SQLite would write the pages of that log into a copy that was put next to it. */
function refuseOtherLog(path: string): void {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log === undefined || log.size === 0) return;
  const head = new Uint8Array(HEAD_BYTES);
  const file = openSync(path, 'r');
  const read = readSync(file, head);
  closeSync(file);
  if (read < HEAD_BYTES || head[18] === WITH_LOG) return;
  throw new JournalFormatError(
    `journal ${path}: expected a copy alone, and ${path}-wal is the log of the journal that was here before: move it and ` +
      `${path}-shm away; nothing was started and nothing was changed`,
  );
}

/** Lets others read again; throws while the disk is full. */
export function share(database: Database): void {
  database.pragma('journal_mode = DELETE');
  database.pragma('locking_mode = NORMAL');
  database.pragma('journal_mode = WAL');
  // Makes the log.
  formatOf(database);
}

export const isShared = (database: Database): boolean =>
  database.pragma('locking_mode', { simple: true }) === 'normal' &&
  database.pragma('journal_mode', { simple: true }) === 'wal';

function openWriter(path: string, locking: 'NORMAL' | 'EXCLUSIVE'): Database {
  return opened(new Database(path, { timeout: BUSY_TIMEOUT_MS }), (database) => {
    database.pragma(`locking_mode = ${locking}`);
    setUpWriter(database, path);
  });
}

function setUpWriter(database: Database, path: string): void {
  refuseOther(database, path);
  const isNew = formatOf(database) === 0;
  // Only before the first page.
  if (isNew) database.pragma('auto_vacuum = INCREMENTAL');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`);
  if (isNew) createTables(database);
  // Makes the log.
  else formatOf(database);
}

/** Closes a database that cannot be used. */
function opened(database: Database, setUp: (database: Database) => void): Database {
  try {
    setUp(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** In an empty file. A death leaves all of it or none. */
export function createTables(database: Database): void {
  database.transaction(() => {
    database.exec(TABLES);
    database.pragma(`user_version = ${JOURNAL_FORMAT}`);
  })();
}

/** A session whose rows left the journal, or leave it. */
export interface ArchivedSession {
  readonly session: string;
  readonly sha256: string;
  readonly inputs: number;
  readonly entries: number;
}

export const archivedSessions = (database: Database): readonly ArchivedSession[] =>
  database.prepare<[], ArchivedSession>('SELECT * FROM archives ORDER BY session').all();

/**
 * False also for a file whose creation a death cut off: the next start completes it. A path through a file throws: Node.js 24 takes it for a
 * missing one where `throwIfNoEntry` is off.
 */
export const isJournalThere = (path: string): boolean =>
  undefinedIfMissing(() => statSync(path)) !== undefined &&
  closing(openReadOnly(path), (database) => formatOf(database) > 0);

/** Opens the journal read-only, while a daemon runs; alone on a full disk, where none runs. */
export function openReadOnly(path: string): Database {
  const options = { fileMustExist: true, timeout: BUSY_TIMEOUT_MS };
  return withRoomOrAlone(
    path,
    () =>
      opened(new Database(path, { ...options, readonly: true }), (database) => refuseOther(database, path)),
    () =>
      opened(new Database(path, options), (database) => {
        database.pragma('locking_mode = EXCLUSIVE');
        database.pragma('query_only = ON');
        refuseOther(database, path);
      }),
  );
}

const formatOf = (database: Database): number => Number(database.pragma('user_version', { simple: true }));

function refuseOther(database: Database, path: string): void {
  const format = formatOf(database);
  if (format !== 0 && format !== JOURNAL_FORMAT)
    throw new JournalFormatError(
      `journal ${path}: expected format ${JOURNAL_FORMAT}, was ${format}: another Tickwright wrote it, nothing was started and nothing was ` +
        'changed. Go on with that version; once no position is held and no order waits, this one begins in another directory (--state)',
    );
}
