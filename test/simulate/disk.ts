/**
 * The daemon's disk: a real directory and real SQLite files, with places where it is full or slow, or where the process dies:
 * what was committed survives, nothing else.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Database } from '../../src/sqlite/database.ts';
import type { Draws } from './draws.ts';
import type { Owner, VirtualTime } from './virtual-time.ts';

export interface DiskFaults {
  /** Chance that a commit finds the disk full, for the span that follows. */
  full: number;
  fullMs: readonly [number, number];
  /** Chance that a commit is slow. */
  slow: number;
  slowMs: readonly [number, number];
  /** Chances that the process dies just before and just after a commit. */
  crashBefore: number;
  crashAfter: number;
}

export interface DiskOptions {
  readonly time: VirtualTime;
  readonly draws: Draws;
  readonly faults: DiskFaults;
  /** Below this path every file belongs to the daemon. */
  readonly dir: string;
  readonly crash: (where: 'before a commit' | 'after a commit') => void;
  readonly onFull: () => void;
}

const REAL_PROMISES = { writeFile: fs.promises.writeFile, rename: fs.promises.rename };
const REAL = {
  openSync: fs.openSync,
  closeSync: fs.closeSync,
  writeSync: fs.writeSync,
  fsyncSync: fs.fsyncSync,
};

const atOnce = (write: () => void): Promise<void> => Promise.resolve().then(write);

/** Of the arguments behind the file. A dead process gets the answer that all is written: whoever goes on until it is would never end. */
function askedBytes([data, offset, length]: readonly unknown[]): number {
  if (typeof length === 'number') return length;
  const from = typeof offset === 'number' && ArrayBuffer.isView(data) ? offset : 0;
  return ArrayBuffer.isView(data) ? data.byteLength - from : Buffer.byteLength(String(data));
}

export class Disk {
  readonly #options: DiskOptions;
  /** Open files, and the process that opened each. */
  readonly #files = new Map<number, Owner>();
  readonly #databases = new Map<Database, Owner>();
  #fullUntilUs = 0;
  #commitsLeft = Infinity;
  /** Taken so far, by every process. */
  commits = 0;

  constructor(options: DiskOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#options.time.nowUs < this.#fullUntilUs;
  }

  fill(ms: number): void {
    this.#fullUntilUs = this.#options.time.nowUs + ms * 1_000;
    this.#options.onFull();
  }

  /** The process dies once so many more commits are done. */
  dieAfter(commits: number): void {
    this.#commitsLeft = commits;
  }

  worsen(faults: Partial<DiskFaults>): void {
    Object.assign(this.#options.faults, faults);
  }

  /** From now on it takes everything, and nobody dies. */
  heal(): void {
    this.#fullUntilUs = 0;
    Object.assign(this.#options.faults, { full: 0, slow: 0, crashBefore: 0, crashAfter: 0 });
  }

  /** Closes what a dead process had open. */
  closeOf(owner: Owner): void {
    for (const [file, opener] of this.#files) {
      if (opener !== owner) continue;
      this.#files.delete(file);
      REAL.closeSync(file);
    }
    for (const [database, opener] of this.#databases) {
      if (opener !== owner) continue;
      this.#databases.delete(database);
      database.close();
    }
  }

  install(): () => void {
    const { time, dir } = this.#options;
    const files = this.#files;
    const isDead = (): boolean => time.owner.isDead;
    Object.assign(fs, {
      openSync: (path: fs.PathLike, ...rest: [flags: fs.OpenMode, mode?: fs.Mode | null]) => {
        const file = REAL.openSync(path, ...rest);
        if (String(path).startsWith(dir)) files.set(file, time.owner);
        return file;
      },
      closeSync: (file: number) => {
        files.delete(file);
        REAL.closeSync(file);
      },
      writeSync: (file: number, ...rest: unknown[]) => {
        if (files.has(file)) {
          if (isDead()) return askedBytes(rest);
          if (this.isFull && rest[0] !== null) this.#assertRoom(rest);
        }
        return Reflect.apply(REAL.writeSync, fs, [file, ...rest]);
      },
      // The files lie in memory.
      fsyncSync: () => undefined,
    });
    // A file that is written in the background would be there at a moment of the real machine.
    Object.assign(fs.promises, {
      writeFile: (...given: Parameters<typeof fs.writeFileSync>) => atOnce(() => fs.writeFileSync(...given)),
      rename: (...given: Parameters<typeof fs.renameSync>) => atOnce(() => fs.renameSync(...given)),
    });
    syncBuiltinESMExports();
    const restoreDatabases = this.#installDatabases();
    return () => {
      Object.assign(fs, REAL);
      Object.assign(fs.promises, REAL_PROMISES);
      syncBuiltinESMExports();
      restoreDatabases();
      for (const database of this.#databases.keys()) database.close();
      for (const file of this.#files.keys()) REAL.closeSync(file);
      this.#databases.clear();
      this.#files.clear();
    };
  }

  /** Bytes written in place need no room: the emergency file is preallocated. */
  #assertRoom([, , , position]: readonly unknown[]): void {
    if (typeof position === 'number') return;
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }

  #installDatabases(): () => void {
    const { prototype } = Database;
    const real = { transaction: prototype.transaction, pragma: prototype.pragma }; // oxlint-disable-line typescript/unbound-method -- called on their databases
    const { dir, time } = this.#options;
    const guarded = (commit: () => unknown): unknown => this.#commit(commit);
    const known = (database: Database): boolean => {
      if (!database.name.startsWith(dir)) return false;
      if (!this.#databases.has(database)) this.#databases.set(database, time.owner);
      return true;
    };
    Object.assign(prototype, {
      pragma(this: Database, ...given: Parameters<Database['pragma']>) {
        known(this);
        return Reflect.apply(real.pragma, this, given);
      },
      transaction(this: Database, run: (...given: unknown[]) => unknown) {
        const commit = Reflect.apply(real.transaction, this, [run]);
        if (!known(this)) return commit;
        return (...given: unknown[]): unknown => guarded(() => commit(...given));
      },
    });
    return () => Object.assign(prototype, real);
  }

  #commit(commit: () => unknown): unknown {
    const { time, draws, faults, crash } = this.#options;
    const { owner } = time;
    if (owner.isDead) return undefined;
    if (draws.chance(faults.crashBefore)) crash('before a commit');
    if (owner.isDead) return undefined;
    if (!this.isFull && draws.chance(faults.full)) this.fill(draws.between(...faults.fullMs));
    if (this.isFull) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    if (draws.chance(faults.slow)) time.spend(draws.between(...faults.slowMs) * 1_000);
    const result = commit();
    this.commits += 1;
    this.#commitsLeft -= 1;
    if (this.#commitsLeft === 0 || draws.chance(faults.crashAfter)) crash('after a commit');
    return result;
  }
}
