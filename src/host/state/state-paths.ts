import { createHash, randomBytes } from 'node:crypto';
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
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { failureOf, hasCode, ifThere, isDiskFull } from '../../domain/failure.ts';
import { type InstanceLock, takeInstanceLock } from '../../journal/instance-lock.ts';
import { Shutdown } from '../shutdown.ts';
import { isRecord, parseJson } from '../../domain/parsed.ts';
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
        `empty file ${marker}: paper --fresh then deletes journal, frames, data and simulator in it`,
    );
  }
}

/** Makes the directory, private to its owner, and marks it. Throws `ForeignDirectory`. */
export function prepareStateDir(paths: StatePaths): void {
  const { dir, marker } = paths;
  const found = ifThere(() => readdirSync(dir)) ?? [];
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

/** A copy has the mode of its original. */
function closeToOthers(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isSymbolicLink()) return;
  if ((stat.mode & OTHERS) !== 0) chmodSync(path, stat.mode & ~OTHERS);
  if (stat.isDirectory()) for (const name of readdirSync(path)) closeToOthers(join(path, name));
}

const OTHERS = 0o077;

/** A separate volume and the Finder bring these; they are never deleted. */
const OF_THE_SYSTEM: ReadonlySet<string> = new Set(['lost+found', '.DS_Store']);

/** Others name a directory `data` or `frames` too; one of these two every run has left. */
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
  const text = ifThere(() => readFileSync(marker, 'utf8').trim()) ?? '';
  return INSTALLATION.test(text) ? text : null;
}

/**
 * A new one for each engine: number of the installation and a random part, for references that no other start has minted, even
 * where the journal that counts starts was lost, copied or put back.
 */
export function startStamp(paths: StatePaths): string {
  return (installationOf(paths) ?? randomBytes(3).toString('hex')) + randomBytes(2).toString('hex');
}

type AccountAddress = Readonly<Record<'restUrl' | 'custodyCode' | 'subAccountId', string>>;

/** Home of all state directories of this user: $XDG_STATE_HOME or ~/.local/state. */
function userStateDir(): string {
  const home = process.env['XDG_STATE_HOME'] ?? '';
  return join(home === '' ? join(homedir(), '.local', 'state') : home, 'tickwright');
}

/**
 * One daemon trades an account with real money, whatever its state directory: the lock is in the place that they share. It does not cover other users or other machines. Throws `AlreadyRunning`.
 */
export function takeAccountLock({ restUrl, custodyCode, subAccountId }: AccountAddress): InstanceLock {
  const dir = join(userStateDir(), 'accounts');
  const refused = failureOf(() => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  if (refused !== null) {
    const remedy = 'set XDG_STATE_HOME to a directory that this user may write';
    throw new Error(`the lock of the account cannot be kept in ${dir}: ${refused}; ${remedy}`);
  }
  const { hostname, host } = new URL(restUrl);
  // Simulators of one machine have accounts of the same number; a broker has an account once, by whatever name it is reached.
  const broker = /^(?:localhost|127\..*|\[::1\])$/.test(hostname) ? host : '';
  const key = createHash('sha256')
    .update(`${broker} ${custodyCode} ${subAccountId}`)
    .digest('hex')
    .slice(0, 16);
  return takeInstanceLock(
    join(dir, `${key}.lock`),
    process.pid,
    'two daemons of one account fight each other',
  );
}

/** A connection that drops takes the terminal along: an unattended run goes on. */
const onHangUp = (): void =>
  void process.stderr.write(
    'the terminal hung up, and this program goes on: tickwright status shows a daemon, tickwright stop or SIGTERM ends it\n',
  );

/** Runs a program alone on its state directory; signals ask for its end. Throws `AlreadyRunning`. */
export async function runAlone<T>(paths: StatePaths, run: (shutdown: Shutdown) => Promise<T>): Promise<T> {
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

/** Forgets journal, archives, frames, token and paper account. Only after the lock is held, and never in live. */
export function forgetState(paths: StatePaths): void {
  const { journal, run, token, emergency, frames, archive, data, simulator } = paths;
  const files = [journal, `${journal}-wal`, `${journal}-shm`, run, token, emergency];
  for (const path of [...files, frames, archive, data, simulator])
    rmSync(path, { recursive: true, force: true });
}

// The running daemons of this user, for commands that name none: a halt must reach the one that trades, wherever its state is. Each daemon
// lists itself next to the account locks while its control API is open.

export interface ListedDaemon {
  readonly stateDir: string;
  readonly mode: string;
  readonly pid: number;
}

const listDir = (): string => join(userStateDir(), 'daemons');

/** Lists this process; returns how to take it off. A place that can't be written leaves it unlisted: `--state` finds it. */
export function listDaemon(stateDir: string, mode: string): () => void {
  const dir = resolve(stateDir);
  const path = join(listDir(), `${createHash('sha256').update(dir).digest('hex').slice(0, 16)}.json`);
  failureOf(() => {
    mkdirSync(listDir(), { recursive: true, mode: 0o700 });
    const listed: ListedDaemon = { stateDir: dir, mode, pid: process.pid };
    writeFileSync(path, JSON.stringify(listed), { mode: 0o600 });
  });
  return () => void failureOf(() => rmSync(path, { force: true }));
}

/** Daemons whose process is alive; a file that a dead one left behind doesn't count. */
export function runningDaemons(): readonly ListedDaemon[] {
  const dir = listDir();
  return namesIn(dir)
    .map((name) => ifThere(() => listedIn(readFileSync(join(dir, name), 'utf8'))))
    .filter((daemon) => daemon !== undefined)
    .filter(({ pid }) => isAlive(pid));
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir).toSorted();
  } catch {
    // No daemon could list itself in a place that can't be read.
    return [];
  }
}

/** Undefined for a file that is half written, or not ours. */
function listedIn(text: string): ListedDaemon | undefined {
  const json = parseJson(text, 'file');
  const { stateDir, mode, pid } = json.ok && isRecord(json.value) ? json.value : {};
  const isListed = typeof stateDir === 'string' && typeof mode === 'string' && typeof pid === 'number';
  return isListed ? { stateDir, mode, pid } : undefined;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/** Address of the control API, written by the daemon into its state directory with access for its owner only. */
export interface ControlLink {
  readonly port: number;
  readonly token: string;
  /** Digest of the program that the daemon runs; null when it is not known. */
  readonly program: string | null;
}

/** Undefined without the file of a daemon. Throws when the file cannot be read as one. */
export function readControl(stateDir: string): ControlLink | undefined {
  const path = statePaths(stateDir).control;
  const [text = ''] = readBlocks(path) ?? [];
  if (text === '') return undefined;
  const link: unknown = JSON.parse(text);
  const { port, token, program } = isRecord(link) ? link : {};
  if (typeof port === 'number' && typeof token === 'string')
    return { port, token, program: typeof program === 'string' ? program : null };
  throw new Error(`${path}: expected {"port": number, "token": text}; remove it and start the daemon again`);
}

// Small files in allocated blocks of the disk. They are written in place and never shrink, so that a full disk takes each new version.

export const BLOCK_BYTES = 4096;
const OWNER_ONLY = 0o600;

export const block = (text: string): Buffer =>
  Buffer.alloc(BLOCK_BYTES, ' ').fill(text, 0, Buffer.byteLength(text));

/** From the first block on; durable when it returns. Throws for a new file on a full disk. */
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
  const bytes = ifThere(() => readFileSync(path));
  if (bytes === undefined) return undefined;
  const count = Math.ceil(bytes.length / BLOCK_BYTES);
  return Array.from({ length: count }, (_, i) =>
    bytes.toString('utf8', i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES).trim(),
  );
}
