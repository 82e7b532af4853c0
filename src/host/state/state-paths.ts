import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { undefinedIfMissing, isDiskFull } from '../../domain/failure.ts';
import { takeInstanceLock } from '../../journal/instance-lock.ts';
import { Shutdown } from '../shutdown.ts';
import { archiveDir } from '../../journal/journal-copies.ts';

/** State files of one account's daemon. The directory is private to its owner. */
export const statePaths = (dir: string) => ({
  dir,
  /** Marks a directory as ours, and holds the number of this installation. */
  marker: join(dir, '.tickwright'),
  journal: join(dir, 'journal.db'),
  /** Copies of the journal, one a day. */
  backups: join(dir, 'backups'),
  /** Sessions that left the journal. */
  archive: archiveDir(join(dir, 'journal.db')),
  frames: join(dir, 'frames'),
  /** The frames of days that are over, as columns. */
  data: join(dir, 'data'),
  lock: join(dir, 'daemon.lock'),
  /** How the run before ended. */
  run: join(dir, 'run'),
  token: join(dir, 'token'),
  emergency: join(dir, 'emergency'),
  /** Calls to the broker by hand, and their outcomes. */
  calls: join(dir, 'calls.jsonl'),
  control: join(dir, 'control.json'),
  /** Messages to the operator that were not delivered. */
  messages: join(dir, 'messages.json'),
  /** State of the embedded broker, and the address at which it listens. */
  simulator: join(dir, 'simulator'),
  simulatorLink: join(dir, 'simulator.json'),
  simulatorLock: join(dir, 'simulator.lock'),
});

export type StatePaths = Readonly<ReturnType<typeof statePaths>>;

/** A directory that holds files of others: nothing in it may be deleted, and its mode is not ours to change. */
export class ForeignDirectory extends Error {
  constructor({ dir, marker }: StatePaths, foreign: readonly string[]) {
    const shown = foreign.slice(0, 3).join(', ') + (foreign.length > 3 ? ', ...' : '');
    super(
      `state directory ${dir}: it holds files that are not Tickwright's (${shown}), so nothing was changed; ` +
        'name a directory of its own with stateDir or --state, or move these files elsewhere; to use it as it is, create the ' +
        `empty file ${marker}: paper --fresh then deletes journal, backups, frames, data and simulator in it`,
    );
  }
}

/** Makes the directory, private to its owner, and marks it. Throws `ForeignDirectory`. */
export function prepareStateDir(paths: StatePaths): void {
  const { dir, marker } = paths;
  const found = undefinedIfMissing(() => readdirSync(dir)) ?? [];
  if (!found.includes(basename(marker))) {
    const isMade = OWN_ALONE.some((name) => found.includes(name));
    const foreign = found.filter((name) => !(isMade ? isOurs(paths, name) : OF_THE_SYSTEM.has(name)));
    if (foreign.length > 0) throw new ForeignDirectory(paths, foreign);
  }
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o700);
  for (const name of found) if (isOurs(paths, name)) closeToOthers(join(dir, name));
  if (installationOf(paths) !== null) return;
  try {
    writeFileSync(marker, `${randomBytes(3).toString('hex')}\n`, { mode: 0o600 });
  } catch (error) {
    // A start on a full disk must reach the orders; the next start marks the directory.
    if (!isDiskFull(error)) throw error;
  }
}

/** A copy has the mode of its original. What another user owns, as after a command by sudo, is that user's to close. */
function closeToOthers(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSymbolicLink()) return;
  const user = process.geteuid?.() ?? ROOT;
  if (user !== ROOT && user !== stat.uid) return;
  if ((stat.mode & OTHERS) !== 0) chmodSync(path, stat.mode & ~OTHERS);
  if (stat.isDirectory()) for (const name of readdirSync(path)) closeToOthers(join(path, name));
}

const OTHERS = 0o077;
const ROOT = 0;

/** A separate volume and the Finder bring these; they are never deleted. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['lost+found', '.DS_Store']);

/** Names that every run of ours leaves; other programs name a directory `data` or `frames` too. */
const OWN_ALONE: readonly string[] = ['journal.db', 'daemon.lock'];

/** A copy that was put back may lack the marker: it holds these names and nothing else. */
function isOurs(paths: StatePaths, name: string): boolean {
  if (OF_THE_SYSTEM.has(name)) return true;
  const names = [...Object.values(paths).map((path: string) => basename(path)), 'record', 'agreement'];
  return names.some(
    (each) =>
      name === each ||
      (/^(?:\.pid|\.new|-journal|-wal|-shm)$/.test(name.slice(each.length)) && name.startsWith(each)),
  );
}

const INSTALLATION = /^[\da-f]{6}$/;

/** Null in a directory that is not marked yet. */
function installationOf({ marker }: StatePaths): string | null {
  const text = undefinedIfMissing(() => readFileSync(marker, 'utf8').trim()) ?? '';
  return INSTALLATION.test(text) ? text : null;
}

/**
 * A new one for each engine: number of the installation and a random part, for references that no other start has minted, even
 * where the journal that counts starts was lost, copied or put back.
 */
export function startStamp(paths: StatePaths): string {
  return (installationOf(paths) ?? randomBytes(3).toString('hex')) + randomBytes(2).toString('hex');
}

/** A connection that drops takes the terminal along: an unattended run goes on. */
const onHangUp = (): void =>
  void process.stderr.write(
    'the terminal hung up, and this program goes on: tickwright status shows a daemon, tickwright stop or SIGTERM ends it\n',
  );

/** Runs a program alone on its state directory; signals ask for its end. Throws `AlreadyRunning`. */
export async function runSingle<T>(paths: StatePaths, run: (shutdown: Shutdown) => Promise<T>): Promise<T> {
  const shutdown = new Shutdown();
  const umask = process.umask(OTHERS);
  process.on('SIGHUP', onHangUp);
  try {
    prepareStateDir(paths);
    const lock = takeInstanceLock(paths.lock, process.pid);
    try {
      return await run(shutdown);
    } finally {
      lock.release();
    }
  } finally {
    process.off('SIGHUP', onHangUp);
    process.umask(umask);
    shutdown.close();
  }
}

/** Forgets journal with its copies, frames, token, calls by hand and paper account. Only after the lock is held, and never in live. */
export function forgetState(paths: StatePaths): void {
  const { journal, run, token, emergency, calls, frames, archive, backups, data, simulator } = paths;
  const files = [journal, `${journal}-wal`, `${journal}-shm`, run, token, emergency, calls];
  for (const path of [...files, frames, archive, backups, data, simulator])
    rmSync(path, { recursive: true, force: true });
}

// Small files in allocated blocks of the disk. They are written in place and never shrink, so that a full disk takes each new version.

export const BLOCK_BYTES = 4096;
const OWNER_ONLY = 0o600;

export const block = (text: string): Buffer =>
  Buffer.alloc(BLOCK_BYTES, ' ').fill(text, 0, Buffer.byteLength(text));

/** Writes the texts from the first block on; durable when it returns. Throws for a new file on a full disk. */
export function writeBlocks(path: string, texts: readonly string[]): void {
  const file = openSync(path, existsSync(path) ? 'r+' : 'w', OWNER_ONLY);
  try {
    writeSync(file, Buffer.concat(texts.map(block)), 0, texts.length * BLOCK_BYTES, 0);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The text of each block; undefined without the file. */
export function readBlocks(path: string): readonly string[] | undefined {
  const bytes = undefinedIfMissing(() => readFileSync(path));
  if (bytes === undefined) return undefined;
  const count = Math.ceil(bytes.length / BLOCK_BYTES);
  return Array.from({ length: count }, (_, i) =>
    bytes.toString('utf8', i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES).trim(),
  );
}
