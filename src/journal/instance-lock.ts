import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Thrown when another daemon already works for this account. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

export interface InstanceLock {
  release(): void;
}

/**
 * One daemon per account. The lock is an exclusive transaction on a small database, so the kernel releases it with the process:
 * a stale lock cannot remain. The file beside it only names the holder.
 */
export function takeInstanceLock(
  path: string,
  pid: number,
  wayOn = 'or give this one another state directory',
): InstanceLock {
  const holderPath = `${path}.pid`;
  const database = new Database(path, { timeout: 0 });
  try {
    database.pragma('journal_mode = DELETE');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new AlreadyRunning(
        `another Tickwright (process ${holderOf(holderPath)}) already works for this account: it holds ${path}; ` +
          `stop it first (tickwright stop, or pm2 stop tickwright), ${wayOn}`,
      );
    }
    throw error;
  }
  writeFileSync(holderPath, `${pid}\n`);
  return {
    release: () => {
      database.close();
    },
  };
}

/** True while a process holds the lock. */
export function isLockHeld(path: string): boolean {
  try {
    takeInstanceLock(path, process.pid).release();
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
