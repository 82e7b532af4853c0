/** The daemons of this user: the lock of each on its account, the list of those that run, and where one of them is controlled. */
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { thrownText, hasCode, undefinedIfMissing } from '../../domain/failure.ts';
import { isRecord, parseJson } from '../../domain/parsed.ts';
import { type InstanceLock, isLockHeld, takeInstanceLock } from '../../journal/instance-lock.ts';
import { readBlocks, statePaths } from './state-paths.ts';

type AccountAddress = Readonly<Record<'restUrl' | 'custodyCode' | 'subAccountId', string>>;

/** One place for all daemons of this user, wherever they start: $XDG_STATE_HOME or ~/.local/state. */
function userStateDir(): string {
  const named = process.env['XDG_STATE_HOME'] ?? '';
  if (isAbsolute(named)) return join(named, 'tickwright');
  // A user whom the machine does not know has none: the lock cannot be kept in the root then, and says what to set.
  let home = '/';
  thrownText(() => {
    home = userInfo().homedir;
  });
  return join(isAbsolute(process.env['HOME'] ?? '') ? homedir() : home, '.local', 'state', 'tickwright');
}

const accountsDir = (): string => join(userStateDir(), 'accounts');

function accountLockPath({ restUrl, custodyCode, subAccountId }: AccountAddress): string {
  const { hostname, host } = new URL(restUrl);
  // Simulators of one machine have accounts of the same number; a broker has an account once, by whatever name it is reached.
  const broker = /^(?:localhost|127\..*|\[::1\])$/.test(hostname) ? host : '';
  const key = hash('sha256', `${broker} ${custodyCode} ${subAccountId}`, 'hex').slice(0, 16);
  return join(accountsDir(), `${key}.lock`);
}

/**
 * One daemon trades an account with real money, whatever its state directory: the lock is in the place that they share. It does not cover other users or other machines. Throws `AlreadyRunning`.
 */
export function takeAccountLock(address: AccountAddress): InstanceLock {
  const dir = accountsDir();
  const refused = thrownText(() => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  if (refused !== null) {
    const remedy = 'set XDG_STATE_HOME to a directory that this user may write';
    throw new Error(`the lock of the account cannot be kept in ${dir}: ${refused}; ${remedy}`);
  }
  const path = accountLockPath(address);
  return takeInstanceLock(path, process.pid, 'two daemons of one account fight each other');
}

/** Whether a daemon of this user trades the account with real money, whatever its state directory. */
export function isAccountTraded(address: AccountAddress): boolean {
  const path = accountLockPath(address);
  return existsSync(path) && isLockHeld(path);
}

/** List for commands that name no daemon: a halt must reach the one that trades. Each lists itself while its control API is open. */
export interface ListedDaemon {
  readonly stateDir: string;
  readonly mode: string;
  readonly pid: number;
}

const listDir = (): string => join(userStateDir(), 'daemons');

/** Lists this process; returns how to take it off. A place that can't be written leaves it unlisted: `--state` finds it. */
export function listDaemon(stateDir: string, mode: string): () => void {
  const dir = resolve(stateDir);
  const path = join(listDir(), `${hash('sha256', dir, 'hex').slice(0, 16)}.json`);
  thrownText(() => {
    mkdirSync(listDir(), { recursive: true, mode: 0o700 });
    const listed: ListedDaemon = { stateDir: dir, mode, pid: process.pid };
    writeFileSync(path, JSON.stringify(listed), { mode: 0o600 });
  });
  return () => void thrownText(() => rmSync(path, { force: true }));
}

/** Daemons whose process is alive; a file that a dead one left behind doesn't count. */
export function runningDaemons(): readonly ListedDaemon[] {
  const dir = listDir();
  return namesIn(dir)
    .map((name) => undefinedIfMissing(() => listedIn(readFileSync(join(dir, name), 'utf8'))))
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
}

/** The original is another file with the same text. A directory that was moved, or that has two names, is still its daemon's. */
function isCopy(path: string, original: string): boolean {
  const [stat, its] = [path, original].map((each) => statSync(each, { throwIfNoEntry: false }));
  if (stat === undefined || its === undefined || (stat.ino === its.ino && stat.dev === its.dev)) return false;
  return readBlocks(original)?.[0] === readBlocks(path)?.[0];
}

/** Undefined without the file of a daemon. Throws when the file cannot be read as one. */
export function readControl(stateDir: string): ControlLink | undefined {
  const path = statePaths(stateDir).control;
  const [text = ''] = readBlocks(path) ?? [];
  if (text === '') return undefined;
  const link: unknown = JSON.parse(text);
  const { port, token, stateDir: of } = isRecord(link) ? link : {};
  if (typeof of === 'string' && resolve(of) !== resolve(stateDir) && isCopy(path, statePaths(of).control))
    throw new Error(`${path}: it is a copy, its daemon is that of ${of}: name that directory with --state`);
  if (typeof port === 'number' && typeof token === 'string') return { port, token };
  throw new Error(`${path}: expected {"port": number, "token": text}; remove it and start the daemon again`);
}
