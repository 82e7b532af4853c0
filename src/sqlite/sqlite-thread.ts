/**
 * A thread that uses SQLite. To end a thread while it loads a Node-API add-on aborts the whole process (Node.js 24, release 13 of
 * better-sqlite3: `Error::New napi_get_last_error_info`); so such a thread loads it first, and is not ended before.
 */
import { getEnvironmentData, setEnvironmentData, Worker, type WorkerOptions } from 'node:worker_threads';
import { Database } from './database.ts';

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
