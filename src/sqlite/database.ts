/**
 * SQLite, in the release of better-sqlite3 that works on the Node.js that runs: from 24.19 on release 12 aborts the process when the
 * collector frees a statement, and release 13 needs Node-API 10 (22.14 and newer; without it the process ends with a segmentation fault).
 */
import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { getEnvironmentData, setEnvironmentData, Worker, type WorkerOptions } from 'node:worker_threads';

/** `.scripts/ensure-sqlite.mjs` makes the same choice after an install. */
export const SQLITE_PACKAGE = Number(process.versions['napi']) >= 10 ? 'better-sqlite3-13' : 'better-sqlite3';

/** The class; an open database as a type. */
export const Database = load();
export type Database = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;

function load(): typeof BetterSqlite3 {
  try {
    return createRequire(import.meta.url)(SQLITE_PACKAGE);
  } catch (cause) {
    throw new Error(
      `${SQLITE_PACKAGE} is not installed, and Node.js ${process.versions.node} needs it: run npm install again`,
      { cause },
    );
  }
}

// A thread that uses SQLite. To end a thread while it loads a Node-API add-on aborts the whole process (Node.js 24, release 13 of
// better-sqlite3: `Error::New napi_get_last_error_info`); so such a thread loads it first, and is not ended before.

/** Each thread has a flag of its own. */
const IS_LOADED = 'tickwright: SQLite is loaded';

/** Its file calls `loadSqlite` first. */
export class SqliteThread extends Worker {
  readonly #isLoaded: Int32Array;
  readonly #isOver = new Promise((resolve) => void this.once('exit', resolve));

  constructor(file: URL, options: WorkerOptions = {}) {
    const isLoaded = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    setEnvironmentData(IS_LOADED, isLoaded);
    super(file, options);
    this.#isLoaded = isLoaded;
  }

  override async terminate(): Promise<number> {
    await Promise.race([this.#isOver, Atomics.waitAsync(this.#isLoaded, 0, 0).value]);
    return super.terminate();
  }
}

export function loadSqlite(): void {
  new Database(':memory:').close();
  const isLoaded = getEnvironmentData(IS_LOADED);
  if (!(isLoaded instanceof Int32Array))
    throw new Error('expected to run as a SqliteThread, was another thread');
  Atomics.store(isLoaded, 0, 1);
  Atomics.notify(isLoaded, 0);
}
