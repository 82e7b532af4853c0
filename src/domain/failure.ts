/** Reads errors of the outside world: a full disk, a missing file, a refused connection. */

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A person's remedy for a failure of the system, by its code. */
const HELP_BY_CODE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some of it, or name a place on another one',
  EDQUOT: 'the quota of the disk is used up: free some of it, or name a place on another one',
  EFBIG: 'no file may be so large here: raise the limit, or name another place',
  EROFS: 'this disk is read only: name a place on another one',
  EACCES: 'this user may not: change the permissions, or name another place',
  EPERM: 'this user may not: change the owner, or name another place',
  SQLITE_CANTOPEN:
    'it is no file, or this user may not open it: change the permissions, or name another place',
  SQLITE_READONLY: 'this user may only read it: change the permissions, or name another place',
  ENOTDIR: 'a part of this path is a file: name a directory',
  SQLITE_NOTADB: 'the file is damaged: put a copy in its place, of a journal the newest one of backups',
  SQLITE_CORRUPT: 'the file is damaged: put a copy in its place, of a journal the newest one of backups',
};

/** A bug needs its stack; a failure of the system, of SQLite or of a setting only its message. */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOfSystem = error.name === 'Error' || error.name === 'SqliteError';
  // One that has crossed a thread has lost its class.
  const isBug = error.message.startsWith('Invariant') || !isOfSystem;
  if (isBug) return error.stack ?? error.message;
  const help = 'code' in error ? HELP_BY_CODE[String(error.code)] : undefined;
  return help === undefined ? error.message : `${error.message} (${help})`;
}

/** Failures of a database, and of a write to an open file, carry no path: this one's do. */
export function withPath<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof Error && 'code' in error && !('path' in error))
      Object.assign(error, { path, message: `${error.message} '${path}'` });
    throw error;
  }
}

/** Closes what was opened once `work` is done, also where it fails. */
export function closing<O extends { close(): unknown }, T>(opened: O, work: (opened: O) => T): T {
  try {
    return work(opened);
  } finally {
    opened.close();
  }
}

/** What is thrown, or null. A failed write is no bug: the caller has a way to go on. */
export function thrownBy(run: () => void): unknown {
  try {
    run();
    return null;
  } catch (error) {
    return error;
  }
}

export function thrownText(run: () => void): string | null {
  const thrown = thrownBy(run);
  return thrown === null ? null : errorText(thrown);
}

/** Whether it is an error of the system with this code, such as `ENOENT`. */
export const hasCode = (error: unknown, code: string): error is Error =>
  error instanceof Error && 'code' in error && error.code === code;

/** Codes of the file system, of SQLite, and of the index that readers of its log share. */
const DISK_FULL = ['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'];

export const isDiskFull = (error: unknown): boolean => DISK_FULL.some((code) => hasCode(error, code));

/** Codes of a disk that is read only, fails, is gone, or has files of another user: a person cures it, or a restart of the machine. */
const DISK_FAILING = /^(EROFS|EACCES|EPERM|EIO|ENXIO|ENODEV|ESTALE|SQLITE_(READONLY|IOERR|CANTOPEN).*)$/;

/** The disk takes no writes, and not because it is full. */
export const isDiskFailing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && DISK_FAILING.test(String(error.code)) && !isDiskFull(error);

/** Another program holds the database, or recovers it. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');

/** Undefined for a file that is absent; any other failure is thrown. */
export function undefinedIfMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A file or an argument that a person gave cannot be used. Its message says all: no bug, no stack. */
export class InputFault extends Error {
  override readonly name = 'InputFault';
  /** `arguments`: they do not fit; `file`: it cannot be read as a whole; `rows`: they are not what they are read as. */
  readonly of: 'arguments' | 'file' | 'rows';

  constructor(of: InputFault['of'], message: string) {
    super(message);
    this.of = of;
  }
}

/** The journal, or this session in it, does not exist. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** A journal that another program wrote. It stays unchanged, so that the other program can go on with it. */
export class JournalFormatError extends Error {
  override readonly name = 'JournalFormatError';
}
