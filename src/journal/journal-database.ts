/**
 * The journal's file: its tables, and the format of the rows in them. Each session is written in the format of the program that
 * began it, and the file carries the format of its newest session, so that an older program leaves it alone.
 */
import { existsSync } from 'node:fs';
import { isDiskFull } from '../domain/failure.ts';
import { Database } from '../sqlite/database.ts';

/**
 * Format of inputs and entries. It rises when inputs or entries are spelled otherwise, or when an older session would be
 * decided otherwise. 2: one order lane. 3: rows carry hashes and name strategies, and each call says whether it was lost.
 * 4: money is compared with the broker's. 5: a cancel says whether it is a withdrawal, and the
 * days that the calendar knows are an input.
 */
export const JOURNAL_FORMAT = 5;

/** Under this name the counters hold the format of each session; a session without one has the first format. */
export const FORMAT_COUNTER = 'format';

/** Session of rows that were written before the first session of a process began. */
export const NO_SESSION = '';

/** Tables whose rows are chained by hashes. */
export type ChainedTable = 'inputs' | 'entries';

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
  CREATE INDEX entries_of_order ON entries (client_order_id) WHERE client_order_id IS NOT NULL;
  CREATE INDEX entries_of_session ON entries (session, kind);
  CREATE TRIGGER entries_keep BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER inputs_keep BEFORE UPDATE ON inputs BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`;

/** Sessions whose rows are in a file of their own: those rows alone may leave. `sha256` is that of the file; null: deleted after its retention. */
const ARCHIVES = `
  CREATE TABLE archives (
    session TEXT PRIMARY KEY, sha256 TEXT, inputs INTEGER NOT NULL, entries INTEGER NOT NULL
  ) WITHOUT ROWID;
  DROP TRIGGER IF EXISTS entries_stay;
  DROP TRIGGER IF EXISTS inputs_stay;
  CREATE TRIGGER entries_stay BEFORE DELETE ON entries WHEN OLD.session NOT IN (SELECT session FROM archives)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER inputs_stay BEFORE DELETE ON inputs WHEN OLD.session NOT IN (SELECT session FROM archives)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
`;

/** The end of each chain: the last row can't go missing unseen. */
const CHAINS = `
  CREATE TABLE chains (
    session TEXT NOT NULL, chained TEXT NOT NULL, rows INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session, chained)
  ) WITHOUT ROWID;
`;
/** Rows of older formats have no hash. */
const CHAINED_COLUMNS = `
  ALTER TABLE inputs ADD COLUMN hash TEXT;
  ALTER TABLE entries ADD COLUMN hash TEXT;
`;

/** Rows of `halt`, and of its older name, that belong to no strategy. */
export const ACCOUNT_HALTS = `kind IN ('halt', 'latch') AND strategy IS NULL`;
/** Inputs that are found by their kind: a start looks for them in many sessions, among the polls of whole days. */
const FOUND_BY_KIND = ['session_started', 'booted', 'contracts', 'strategies'];
/** Made at the first start of a program that asks for them. */
const LATER_INDEXES = `
  CREATE INDEX IF NOT EXISTS entries_of_halts ON entries (id) WHERE ${ACCOUNT_HALTS};
  CREATE INDEX IF NOT EXISTS inputs_of_kind ON inputs (session, kind) WHERE ${FOUND_BY_KIND.map((kind) => `kind = '${kind}'`).join(' OR ')};
`;

/** Largest size the write-ahead log keeps after a checkpoint (failure cases, 34). */
export const WAL_BYTES_MAX = 64 * 1024 * 1024;
export const BUSY_TIMEOUT_MS = 2_000;

/** A session that an older program began. It stays unchanged, so that the older program can go on with it. */
export class OlderSession extends Error {
  override readonly name = 'OlderSession';

  constructor(day: string, format: number, wayOn: string) {
    super(
      `the session of ${day} was begun by an older Tickwright: its journal has format ${format}, this program writes ${JOURNAL_FORMAT} ` +
        `and cannot replay the decisions in it. ${wayOn}`,
    );
  }
}

/**
 * Opens the journal for its one writer: WAL, every commit on the disk before it returns. On a full disk it is for the writer alone until
 * `share`: the index that readers share with it has no room.
 */
export function openDatabase(path: string): Database {
  return withRoomOrAlone(
    () => openWriter(path, 'NORMAL'),
    () => openWriter(path, 'EXCLUSIVE'),
  );
}

function withRoomOrAlone(open: () => Database, openAlone: () => Database): Database {
  try {
    return open();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    return openAlone();
  }
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
  refuseNewer(database, path);
  const isNew = formatOf(database) === 0;
  // Only before the first page: the file of an older program does not shrink, its free pages take the next days.
  if (isNew) database.pragma('auto_vacuum = INCREMENTAL');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`);
  if (isNew) createTables(database);
  addLaterParts(database);
}

/** Closes what cannot be used. */
function opened(database: Database, setUp: (database: Database) => void): Database {
  try {
    setUp(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A full disk leaves them for a later start: this one must reach the orders. */
function addLaterParts(database: Database): void {
  try {
    database.transaction(() => {
      if (!hasArchives(database)) database.exec(ARCHIVES);
      database.exec(LATER_INDEXES);
    })();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}

/** In an empty file. A death leaves all of it or none. */
export function createTables(database: Database): void {
  database.transaction(() => {
    database.exec(TABLES + CHAINS + ARCHIVES);
    database.pragma(`user_version = ${JOURNAL_FORMAT}`);
  })();
}

/** A session whose rows left the journal, or leave it. */
export interface ArchivedSession {
  readonly session: string;
  /** Of its file; null when that was deleted after its retention. */
  readonly sha256: string | null;
  readonly inputs: number;
  readonly entries: number;
}

/** Oldest day first. */
export const archivedSessions = (database: Database): readonly ArchivedSession[] =>
  hasArchives(database)
    ? database.prepare<[], ArchivedSession>('SELECT * FROM archives ORDER BY session').all()
    : [];

/** False in a file of an older program that only readers have opened since. */
const hasArchives = (database: Database): boolean =>
  database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'archives'`).get() !== undefined;

/** False also for a file whose creation a death cut off: the next start completes it. */
export function isJournalThere(path: string): boolean {
  if (!existsSync(path)) return false;
  const database = openReadOnly(path);
  try {
    return formatOf(database) > 0;
  } finally {
    database.close();
  }
}

/** Opens the journal read-only, beside a running daemon; on a full disk alone, where none runs. */
export function openReadOnly(path: string): Database {
  const options = { fileMustExist: true, timeout: BUSY_TIMEOUT_MS };
  return withRoomOrAlone(
    () =>
      opened(new Database(path, { ...options, readonly: true }), (database) => refuseNewer(database, path)),
    () =>
      opened(new Database(path, options), (database) => {
        database.pragma('locking_mode = EXCLUSIVE');
        database.pragma('query_only = ON');
        refuseNewer(database, path);
      }),
  );
}

/** A session of today's format begins in the file: an older program can no longer read all of it. A death leaves all of it or none. */
export function raiseFormat(database: Database): void {
  database.transaction(() => {
    if (formatOf(database) < 3) database.exec(CHAINED_COLUMNS + CHAINS);
    database.pragma(`user_version = ${JOURNAL_FORMAT}`);
  })();
}

const formatOf = (database: Database): number => Number(database.pragma('user_version', { simple: true }));

function refuseNewer(database: Database, path: string): void {
  const format = formatOf(database);
  if (format <= JOURNAL_FORMAT) return;
  throw new Error(
    `journal ${path}: expected format ${JOURNAL_FORMAT} or older, was ${format}; it was written by a newer Tickwright: upgrade this one`,
  );
}
