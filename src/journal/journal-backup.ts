/**
 * Backups of the journal, taken while the daemon runs: a copy of one moment, read back and checked before it gets its name. Runs in a
 * thread of its own: a copy takes seconds.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { isTradingDay, type TradingDay } from '../domain/civil-date.ts';
import { errorText, failureOf } from '../domain/failure.ts';
import { checkJournal, missingRow } from './journal-chain.ts';
import { openReadOnly } from './journal-database.ts';

const PREFIX = 'journal-';
const SUFFIX = '.db';
const HALF = '.partial';

export interface Backup {
  readonly path: string;
  /** Inputs and entries in it. */
  readonly rows: number;
}

/** Rows of the journal are not those that were written. */
export class JournalDamaged extends Error {}

/**
 * Copies the journal at `path` into `dir` under the name of `day`, in place of an earlier copy of that day. Throws when the copy has a
 * fault; older copies stay. Throws too when the earlier copy holds rows that the journal lacks, or cannot be read: both
 * are kept then, the new one under a name that no retention deletes.
 */
export function backUpJournal(path: string, dir: string, day: TradingDay): Backup {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const copy = join(dir, `${PREFIX}${day}${SUFFIX}`);
  const partial = `${copy}${HALF}`;
  try {
    removeHalves(dir);
    const journal = openReadOnly(path);
    try {
      journal.prepare('VACUUM INTO ?').run(partial);
    } finally {
      journal.close();
    }
    chmodSync(partial, 0o600);
    const rows = checkedRows(partial);
    syncFile(partial);
    const problem = existsSync(copy) ? problemOf(copy, partial) : null;
    const kept = problem === null ? copy : join(dir, `${PREFIX}${day}-other${SUFFIX}`);
    renameSync(partial, kept);
    syncFile(dir);
    if (problem !== null) throw new Error(`${problem}; the journal of now is backed up in ${kept}`);
    return { path: kept, rows };
  } finally {
    rmSync(partial, { force: true });
  }
}

/** Copies that a kill cut off, on this day or an earlier one. */
function removeHalves(dir: string): void {
  for (const name of readdirSync(dir))
    if (name.startsWith(PREFIX) && name.endsWith(`${SUFFIX}${HALF}`)) rmSync(join(dir, name));
}

/** Why the copy at `earlier` must stay when the one at `later` exists, and the remedy; null when the later one has all its rows. */
function problemOf(earlier: string, later: string): string | null {
  try {
    const lost = lostRows(earlier, later);
    if (lost === null) return null;
    return (
      `the journal does not go on from today's backup: ${lost}; ${earlier} stays: compare both with ` +
      'tickwright journal verify, and find out what replaced the journal'
    );
  } catch (error) {
    // The later copy was read whole before.
    return `today's backup ${earlier} cannot be read: ${errorText(error)}; it stays until you move it away`;
  }
}

/** Rows of the copy at `before` that the one at `after` lacks, in words; null when it has them all. */
function lostRows(before: string, after: string): string | null {
  const [older, newer] = [openReadOnly(before), openReadOnly(after)];
  try {
    return missingRow(older, newer);
  } finally {
    older.close();
    newer.close();
  }
}

function checkedRows(path: string): number {
  const database = openReadOnly(path);
  try {
    const { sessions, faults } = checkJournal(database);
    const [first] = faults;
    if (first !== undefined) {
      const where = first.session === null ? '' : `${first.session}: `;
      throw new JournalDamaged(
        `the journal has ${faults.length} faults, the first: ${where}${first.text}; nothing was backed up, run tickwright journal verify`,
      );
    }
    return sessions.reduce((sum, { inputs, entries }) => sum + inputs + entries, 0);
  } finally {
    database.close();
  }
}

export interface PruneResult {
  /** Names of the copies that are gone. */
  readonly deleted: readonly string[];
  /** Copies that stay and are none, each with the reason. */
  readonly unreadable: readonly string[];
}

/** Deletes the oldest copies; the newest `keep` that can be read stay, and those that cannot among them. */
export function pruneBackups(dir: string, keep: number): PruneResult {
  const unreadable: string[] = [];
  const deleted = pruneDays(dir, PREFIX, SUFFIX, keep, (name) => {
    const failure = failureOf(() => readEnd(join(dir, name)));
    if (failure !== null) unreadable.push(`${name}: ${failure}`);
    return failure === null;
  });
  return { deleted, unreadable };
}

/** Its rows were checked when it was made: damage since shows in the header, the size or the last pages. */
function readEnd(path: string): void {
  const database = openReadOnly(path);
  try {
    database.prepare('SELECT max(id) FROM entries').get();
  } finally {
    database.close();
  }
}

/** Deletes the oldest files of a day with this name around the day; the newest `keep` that count stay. Returns their names. */
export function pruneDays(
  dir: string,
  prefix: string,
  suffix: string,
  keep: number,
  isCounted: (name: string) => boolean = () => true,
): readonly string[] {
  const copies = readdirSync(dir, { withFileTypes: true })
    .flatMap((each) => (each.isFile() ? [each.name] : []))
    .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
    .filter((name) => isTradingDay(name.slice(prefix.length, -suffix.length)))
    .toSorted();
  let kept = 0;
  const old = copies
    .toReversed()
    .filter((name) => {
      const isOld = kept >= keep;
      if (!isOld && isCounted(name)) kept += 1;
      return isOld;
    })
    .toReversed();
  for (const name of old) rmSync(join(dir, name));
  return old;
}

/** On the disk when it returns; also for the names in a directory. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
