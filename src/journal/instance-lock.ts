import { readFileSync, writeFileSync } from 'node:fs';
import { thrownText, isLocked, withPath } from '../domain/failure.ts';
import { Database } from '../sqlite/database.ts';

/** Thrown when another daemon already works for this account. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

export type InstanceLock = ReturnType<typeof takeInstanceLock>;

/** The doctor or another command that reads the lock holds it for a moment; the daemon that starts just then must not give up. */
const WAIT_MS_MAX = 1_000;

/** Locks of this process: a database that nothing refers to is closed by the collector, and its lock would be free. */
const HELD = new Set<Database>();

/** One daemon an account. The lock is an open transaction, which the kernel ends with the process. A second file names the holder. */
export function takeInstanceLock(
  path: string,
  pid: number,
  wayOn = 'or give this one another state directory',
) {
  const holderPath = `${path}.pid`;
  const database = lockedDatabase(path, WAIT_MS_MAX, () => holderOf(holderPath), wayOn);
  // A file that this user may only read locks nobody out: SQLite begins to read it, and says nothing. Nothing of this is written.
  withPath(path, () => database.exec('PRAGMA user_version = 1'));
  HELD.add(database);
  // The name is for the message only; a full disk does not take it.
  thrownText(() => writeFileSync(holderPath, `${pid}\n`));
  return {
    release: (): void => {
      HELD.delete(database);
      database.close();
    },
  };
}

function lockedDatabase(path: string, waitMs: number, holder: () => string, wayOn: string): Database {
  const database = withPath(path, () => new Database(path, { timeout: waitMs }));
  try {
    // Else it begins with a file of its own, for which a full disk has no room.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (isLocked(error)) {
      throw new AlreadyRunning(
        `another Tickwright (process ${holder()}) already works for this account: it holds ${path}; ` +
          `stop it first (tickwright stop, or pm2 stop tickwright), ${wayOn}`,
      );
    }
    throw error;
  }
  return database;
}

export function isLockHeld(path: string): boolean {
  try {
    lockedDatabase(path, 0, () => '', '').close();
    return false;
  } catch (error) {
    if (error instanceof AlreadyRunning) return true;
    throw error;
  }
}

function holderOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    // The name is for the message only; the lock decides.
    return 'unknown';
  }
}
