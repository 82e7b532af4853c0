/** Reads what a throw of the world outside says: a full disk, a missing file, a refused connection. */

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A bug needs its stack; a failure of the system, of SQLite or of a setting is told by its message. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOfSystem = error.name === 'Error' || error.name === 'SqliteError';
  const isBug = error.message.startsWith('Invariant') || !isOfSystem;
  return isBug ? (error.stack ?? error.message) : error.message;
}

/** The message of a throw, or null. A failed write is no bug: the caller has a way to go on. */
export function failureOf(run: () => void): string | null {
  try {
    run();
    return null;
  } catch (error) {
    return errorText(error);
  }
}

/** Whether it is an error of the system with this code, such as `ENOENT`. */
export const hasCode = (error: unknown, code: string): error is Error =>
  error instanceof Error && 'code' in error && error.code === code;

/** The disk took no more: of the file system, or of SQLite. */
export const isDiskFull = (error: unknown): boolean =>
  hasCode(error, 'ENOSPC') || hasCode(error, 'SQLITE_FULL');

/** Undefined for a file that is absent; any other failure is thrown. */
export function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The journal, or this session in it, does not exist. */
export class NothingThere extends Error {
  override readonly name = 'NothingThere';
}
