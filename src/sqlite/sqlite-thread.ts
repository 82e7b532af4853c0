/**
 * A thread that uses SQLite. To end a thread while it loads a Node-API add-on aborts the whole process (Node.js 24, release 13 of
 * better-sqlite3: `Error::New napi_get_last_error_info`); so such a thread loads it first, says so, and is not ended before.
 */
import { type MessagePort, Worker, type WorkerOptions } from 'node:worker_threads';
import { Database } from './database.ts';

export class SqliteThread<Message> {
  readonly #worker: Worker;
  readonly #isLoadedOrOver: Promise<void>;

  /** `onOver` gets the reason once or twice; nothing is received after `end`. */
  constructor(
    file: URL,
    options: WorkerOptions,
    on: { readonly message: (message: Message) => void; readonly over: (failure: Error | null) => void },
  ) {
    const worker = new Worker(file, options);
    this.#worker = worker;
    this.#isLoadedOrOver = new Promise((resolve) => {
      worker.once('message', () => {
        worker.on('message', on.message);
        resolve();
      });
      worker.once('exit', () => resolve());
    });
    worker.on('error', on.over);
    worker.on('exit', () => on.over(null));
  }

  post(message: unknown): void {
    this.#worker.postMessage(message); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  }

  async end(): Promise<void> {
    await this.#isLoadedOrOver;
    await this.#worker.terminate();
  }
}

/** The first act of such a thread. */
export function loadSqlite(port: MessagePort): void {
  new Database(':memory:').close();
  port.postMessage('loaded'); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
}
