import Database from 'better-sqlite3';
import { MIGRATIONS, SCHEMA_VERSION } from './schema.ts';

/** Largest size the write-ahead log keeps after a checkpoint (failure cases, 34). */
const WAL_BYTES_MAX = 64 * 1024 * 1024;
const BUSY_TIMEOUT_MS = 2_000;

/** Opens the journal for its one writer: WAL, every commit on the disk before it returns, schema brought up to date. */
export function openDatabase(path: string): Database.Database {
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`);
  migrate(database, path);
  return database;
}

/** Opens the journal to look at, beside a running daemon. */
export function openReadOnly(path: string): Database.Database {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  const version = versionOf(database);
  if (version !== SCHEMA_VERSION) {
    database.close();
    throw new Error(versionMessage(path, version));
  }
  return database;
}

const versionOf = (database: Database.Database): number =>
  Number(database.pragma('user_version', { simple: true }));

const versionMessage = (path: string, version: number): string =>
  `journal ${path}: expected schema version ${SCHEMA_VERSION}, was ${version}; ` +
  (version > SCHEMA_VERSION
    ? 'it was written by a newer Tickwright: upgrade this one'
    : 'start the daemon once to bring it up to date');

function migrate(database: Database.Database, path: string): void {
  const version = versionOf(database);
  if (version > SCHEMA_VERSION) throw new Error(versionMessage(path, version));
  for (let step = version; step < SCHEMA_VERSION; step += 1) {
    const sql = MIGRATIONS[step] ?? '';
    database.transaction(() => {
      database.exec(sql);
      database.pragma(`user_version = ${step + 1}`);
    })();
  }
}
