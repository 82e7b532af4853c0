/**
 * The journal's one writer. Rows wait in memory for at most `GROUP_COMMIT_MS` and are committed together; the gateway calls `flush`, which
 * commits at once, before the first byte leaves (rulings, 30).
 */
import { statSync } from 'node:fs';
import type { Database, Statement } from '../sqlite/database.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { CancelTimer, Clock, Timers } from '../domain/clock.ts';
import { thrownText } from '../domain/failure.ts';
import { type DurationUs, durationUs, milliseconds, type TsUs } from '../domain/units.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import type { NamedEntry } from './fold-session.ts';
import { entryBody, InputCodec, type JournaledInput } from './compact-input.ts';
import { archivePath } from './journal-copies.ts';
import { chained, type ChainedRow, type ChainEnd, chainEnd } from './journal-chain.ts';
import { JournalReader } from './journal-reader.ts';
import {
  type ArchivedSession,
  BUSY_TIMEOUT_MS,
  type ChainedTable,
  isShared,
  NO_SESSION,
  openDatabase,
  share,
} from './journal-database.ts';
import { StrategyNames } from '../domain/ids.ts';

export const GROUP_COMMIT_MS = 50;
/** Pause between attempts while the disk refuses writes. */
const RETRY_MS = 1_000;
/** Rows that may wait while the disk refuses them; one more is an error. */
const PENDING_ROWS_MAX = 100_000;

interface JournalOptions {
  readonly path: string;
  /** Wall time for the column that people read; not part of the canonical hash. */
  readonly wallClock: Clock;
  readonly timers: Timers;
  /** Absent for a journal without strategies. */
  readonly names?: StrategyNames;
  /** Writes fail; the rows wait and are tried again. Called once until a write succeeds. */
  readonly onFailure: (error: Error) => void;
  /** All rows that waited are written. */
  readonly onRecovered?: () => void;
  readonly onCommit?: (took: DurationUs) => void;
}

interface PendingRow {
  readonly to: ChainedTable;
  readonly row: ChainedRow;
}

/** Writes the rows of one session with their hashes. A commit that fails leaves the chains as they were. */
class RowWriter {
  readonly #session: string;
  readonly #insert: Readonly<Record<ChainedTable, Statement>>;
  readonly #keepEnd: Statement;
  readonly #commit: (rows: readonly PendingRow[]) => Record<ChainedTable, ChainEnd>;
  #ends: Readonly<Record<ChainedTable, ChainEnd>>;

  constructor(database: Database, session: string) {
    this.#session = session;
    this.#insert = {
      inputs: database.prepare(
        'INSERT INTO inputs (session, seq, ts_us, kind, body, hash) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      entries: database.prepare(
        `INSERT INTO entries (session, cause, ts_us, strategy, kind, client_order_id, body, wall_us, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ),
    };
    this.#keepEnd = database.prepare('INSERT OR REPLACE INTO chains VALUES (?, ?, ?, ?)');
    this.#ends = {
      inputs: chainEnd(database, session, 'inputs'),
      entries: chainEnd(database, session, 'entries'),
    };
    this.#commit = database.transaction((rows: readonly PendingRow[]) => this.#write(rows));
  }

  commit(rows: readonly PendingRow[]): void {
    this.#ends = this.#commit(rows);
  }

  #write(rows: readonly PendingRow[]): Record<ChainedTable, ChainEnd> {
    const ends = { ...this.#ends };
    for (const { to, row } of rows) {
      const end = chained(ends[to], row);
      this.#insert[to].run(...row, end.hash);
      ends[to] = end;
    }
    this.#writeEnd('inputs', ends.inputs);
    this.#writeEnd('entries', ends.entries);
    return ends;
  }

  #writeEnd(table: ChainedTable, end: ChainEnd): void {
    if (end !== this.#ends[table]) this.#keepEnd.run(this.#session, table, end.rows, end.hash);
  }
}

export class JournalStore {
  readonly #database: Database;
  readonly #options: JournalOptions;
  readonly read: JournalReader;
  #files: readonly { readonly path: string; readonly inode: number | undefined }[];
  readonly #names: StrategyNames;
  #codec: InputCodec;
  #writer: RowWriter | undefined = undefined;
  #pending: PendingRow[] = [];
  #session = NO_SESSION;
  #follow: ((named: NamedEntry) => void) | undefined = undefined;
  #writeFirst: (() => void) | null = null;
  #cancelTimer: CancelTimer | undefined = undefined;
  /** The last write was refused; its rows wait. */
  isFailing = false;
  /** It was opened on a full disk: no other process can read it. */
  #isAlone: boolean;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#database = openDatabase(options.path);
    this.#isAlone = !isShared(this.#database);
    // Alone, SQLite makes its log when it first writes.
    this.#files = filesOf(this.#isAlone ? [options.path] : writtenFiles(options.path));
    this.#names = options.names ?? new StrategyNames();
    this.#codec = new InputCodec(this.#names);
    this.read = new JournalReader(this.#database, this.#names);
  }

  get waiting(): number {
    return this.#pending.length;
  }

  /** Counts this start of an engine, durably; ids made from it are never made again. */
  nextBoot(): number {
    return this.bumpCounter('boot', '');
  }

  /** Opens the session of `day`, or goes on with it; true when it is new. */
  beginSession(day: TradingDay, at: TsUs, configuration: string): boolean {
    this.flush();
    const known = this.read.sessions().some((session) => session.day === day);
    if (this.read.archiveOf(day) !== undefined)
      throw new Error(
        `the session of ${day} is in ${archivePath(this.#options.path, day)} and cannot be gone on with; ` +
          'is the clock of this machine right? On paper, --fresh forgets all sessions',
      );
    if (!known) this.#database.prepare('INSERT INTO sessions VALUES (?, ?, ?)').run(day, at, configuration);
    this.#session = day;
    this.#follow = undefined;
    this.#writer = undefined;
    // Snapshots are written whole once more: readers need no memory of the rows before.
    this.#codec = new InputCodec(this.#names);
    return !known;
  }

  /** Passes on each entry of the session from here on. */
  follow(follow: (named: NamedEntry) => void): void {
    this.#follow = follow;
  }

  /** Runs before each commit: rows without it could not be replayed. The commit fails when it throws. */
  beforeCommit(writeFirst: (() => void) | null): void {
    this.#writeFirst = writeFirst;
  }

  recordInput(input: JournaledInput): void {
    // Before the codec remembers the row: the next row must not be compared with a refused one.
    this.#assertRoom();
    const row = [this.#session, input.seq, input.tsUs, input.kind, this.#codec.encode(input)];
    this.#add({ to: 'inputs', row });
  }

  append(entry: JournalEntry): void {
    this.#assertRoom();
    const { cause, tsUs, strategy, kind } = entry;
    const name = strategy === null ? null : this.#names.nameOf(strategy);
    const order = orderOf(entry);
    const wall = this.#options.wallClock.nowUs();
    this.#add({
      to: 'entries',
      row: [this.#session, cause, tsUs, name, kind, order, entryBody(entry, this.#names), wall],
    });
    this.#follow?.({ strategyName: name, entry });
  }

  /** Makes every row so far durable. Throws when it cannot; the rows stay and are tried again. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    try {
      this.#writeFirst?.();
      if (this.#pending.length === 0 && !this.#isAlone) return;
      this.#assertInPlace();
      this.#commit();
      this.#share();
    } catch (error) {
      this.#flushAfter(RETRY_MS);
      this.#failed(error);
      throw error;
    }
    if (!this.isFailing) return;
    this.isFailing = false;
    this.#waitForOthers(BUSY_TIMEOUT_MS);
    this.#options.onRecovered?.();
  }

  #commit(): void {
    if (this.#pending.length === 0) return;
    this.#writer ??= new RowWriter(this.#database, this.#session);
    const { wallClock, onCommit } = this.#options;
    const from = wallClock.nowUs();
    this.#writer.commit(this.#pending);
    onCommit?.(durationUs(wallClock.nowUs() - from));
    this.#pending = [];
  }

  #share(): void {
    if (!this.#isAlone) return;
    share(this.#database);
    this.#isAlone = false;
    this.#files = filesOf(writtenFiles(this.#options.path));
  }

  counter(name: string, day: string): number {
    return this.read.counter(name, day);
  }

  /** From here on the rows of the session are those in its archive; `deleteArchivedRows` takes them out of the journal. */
  addArchive({ session, sha256, inputs, entries }: ArchivedSession): void {
    this.#assertInPlace();
    this.#database
      .prepare('INSERT OR REPLACE INTO archives VALUES (?, ?, ?, ?)')
      .run(session, sha256, inputs, entries);
  }

  /** Deletes at most this many rows of an archived session, then gives their pages back to the disk; false when nothing is left to do. */
  deleteArchivedRows(session: string, rowsMax: number): boolean {
    this.#assertInPlace();
    const { changes } = this.#database
      .prepare('DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE session = ? LIMIT ?)')
      .run(session, rowsMax);
    if (changes > 0) return true;
    const inputs = this.#database
      .prepare(
        'DELETE FROM inputs WHERE session = ? AND seq IN (SELECT seq FROM inputs WHERE session = ? LIMIT ?)',
      )
      .run(session, session, rowsMax);
    if (inputs.changes > 0) return true;
    const free = this.#freePages();
    this.#database.pragma(`incremental_vacuum(${rowsMax})`);
    return this.#freePages() < free && this.#freePages() > 0;
  }

  #freePages(): number {
    return Number(this.#database.pragma('freelist_count', { simple: true }));
  }

  /** Adds one, durably, and returns the new value. */
  bumpCounter(name: string, day: string): number {
    this.#assertInPlace();
    this.#database
      .prepare(
        'INSERT INTO counters VALUES (?, ?, 1) ON CONFLICT (name, day) DO UPDATE SET value = value + 1',
      )
      .run(name, day);
    return this.counter(name, day);
  }

  setCounter(name: string, day: string, value: number): void {
    this.#assertInPlace();
    this.#database
      .prepare(
        'INSERT INTO counters VALUES (?, ?, ?) ON CONFLICT (name, day) DO UPDATE SET value = excluded.value',
      )
      .run(name, day, value);
  }

  /** For a count that memory holds too: a refused write is reported like that of a row. */
  setCounterOrReport(name: string, day: string, value: number): void {
    try {
      this.setCounter(name, day, value);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Folds the log back into the database; not for the hot path. Returns the bytes that a reader keeps in it (failure cases, 34). */
  checkpoint(): number {
    try {
      // A reader makes a checkpoint wait, and heartbeats with it: the next one does the rest.
      this.#waitForOthers(0);
      this.#database.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      // The log still holds the rows, but a full disk will not take the next ones.
      this.#failed(error);
    } finally {
      if (!this.isFailing) this.#waitForOthers(BUSY_TIMEOUT_MS);
    }
    return statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Throws when rows are lost; the database is closed all the same. */
  close(): void {
    try {
      this.flush();
      this.checkpoint();
    } finally {
      this.#cancelTimer?.();
      this.#database.close();
    }
  }

  /** SQLite goes on writing a file that was deleted or replaced: no restart would find those rows. */
  #assertInPlace(): void {
    for (const { path, inode } of this.#files) {
      if (inodeOf(path) === inode) continue;
      throw new Error(`journal: ${path} was deleted or replaced under the daemon; put it back or restart`);
    }
  }

  #assertRoom(): void {
    if (this.#pending.length < PENDING_ROWS_MAX) return;
    throw new Error(
      `journal: ${PENDING_ROWS_MAX} rows wait for ${this.#options.path}; the disk does not take them`,
    );
  }

  #add(row: PendingRow): void {
    this.#pending.push(row);
    this.#flushAfter(this.isFailing ? RETRY_MS : GROUP_COMMIT_MS);
  }

  #flushAfter(ms: number): void {
    this.#cancelTimer ??= this.#options.timers.after(milliseconds(ms), () => {
      this.#cancelTimer = undefined;
      // `flush` reports it and tries again.
      thrownText(() => this.flush());
    });
  }

  #waitForOthers(ms: number): void {
    this.#database.pragma(`busy_timeout = ${ms}`);
  }

  #failed(error: unknown): void {
    if (this.isFailing) return;
    this.isFailing = true;
    // Cancels and heartbeats do not wait again and again for a program that keeps the database locked (failure cases, 8).
    this.#waitForOthers(0);
    this.#options.onFailure(error instanceof Error ? error : new Error(String(error)));
  }
}

const writtenFiles = (path: string): readonly string[] => [path, `${path}-wal`];

const filesOf = (
  paths: readonly string[],
): readonly { readonly path: string; readonly inode: number | undefined }[] =>
  paths.map((path) => ({ path, inode: inodeOf(path) }));

/** Undefined for a file that is not there, and for a journal in memory. */
const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino;

function orderOf(entry: JournalEntry): string | null {
  if (entry.kind === 'proposal') {
    const { proposal } = entry;
    return proposal.do === 'modify' ? proposal.change.clientOrderId : proposal.clientOrderId;
  }
  if (entry.kind === 'place') return entry.order.clientOrderId;
  if (entry.kind === 'modify') return entry.modify.clientOrderId;
  if (entry.kind === 'cancel') return entry.cancel.clientOrderId;
  return 'clientOrderId' in entry ? entry.clientOrderId : null;
}
