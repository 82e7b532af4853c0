/** Tables of the journal and the steps from each version of them to the next. */

/** Step n brings a database of version n to version n + 1. A published step is never edited. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE counters (
    name TEXT NOT NULL, day TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, day)
  ) WITHOUT ROWID;
  CREATE TABLE sessions (
    day TEXT PRIMARY KEY, started_ts_us INTEGER NOT NULL, configuration TEXT NOT NULL
  ) WITHOUT ROWID;
  -- Everything that entered the engine and is not a market frame, in one sequence with the frames.
  CREATE TABLE inputs (
    session TEXT NOT NULL, seq INTEGER NOT NULL, ts_us INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session, seq)
  ) WITHOUT ROWID;
  -- Every fact the daemon decided or learned.
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, cause INTEGER NOT NULL, ts_us INTEGER NOT NULL,
    strategy TEXT, kind TEXT NOT NULL, client_order_id TEXT, body TEXT NOT NULL, wall_us INTEGER NOT NULL
  );
  CREATE INDEX entries_of_order ON entries (client_order_id) WHERE client_order_id IS NOT NULL;
  CREATE INDEX entries_of_session ON entries (session, kind);
  CREATE TRIGGER entries_keep BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER inputs_keep BEFORE UPDATE ON inputs BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  CREATE TRIGGER inputs_stay BEFORE DELETE ON inputs BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;
