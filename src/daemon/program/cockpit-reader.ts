/** Asks the thread that reads for the page, one question after the other. */
import { SqliteThread } from '../../sqlite/sqlite-thread.ts';
import type { READS } from '../inspect/cockpit-reads.ts';

type Reads = typeof READS;
export interface CockpitRead {
  readonly what: keyof Reads;
  readonly args: readonly unknown[];
}

type ReadReply = { readonly value: unknown } | { readonly failure: string };

/** There is no such thing, or it cannot be read; in words. */
class NotRead extends Error {
  /** For the answer of the server. */
  readonly statusCode = 404;
}

/** A page sends a few requests; more are refused at once. */
const WAITING_MAX = 16;
const ANSWER_MS_MAX = 20_000;
/** An idle thread gives its memory back. */
const IDLE_MS_MAX = 60_000;

interface PendingRead {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class CockpitReader {
  #worker: SqliteThread | undefined = undefined;
  #pending: PendingRead | undefined = undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined = undefined;
  #isClosed = false;

  /** Rejects with a sentence. */
  async read<What extends keyof Reads>(
    what: What,
    ...args: Parameters<Reads[What]>
  ): Promise<ReturnType<Reads[What]>> {
    if (this.#waiting >= WAITING_MAX) throw new Error('too many reads at once: try again');
    this.#waiting += 1;
    const answer = this.#last.then(() => this.#ask({ what, args }));
    this.#last = answer.catch(() => undefined);
    try {
      return (await answer) as ReturnType<Reads[What]>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the thread answers what was asked
    } finally {
      this.#waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#end('the daemon ends');
    await worker?.terminate();
  }

  #ask(asked: CockpitRead): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('the daemon ends'));
      this.#pending = { resolve, reject };
      this.#endAfter(ANSWER_MS_MAX, `not read within ${ANSWER_MS_MAX / 1_000} s`);
      this.#worker ??= this.#start();
      return this.#worker.postMessage(asked); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
    });
  }

  #start(): SqliteThread {
    const worker = new SqliteThread(new URL('./cockpit-worker.js', import.meta.url));
    const ended = (reason: string): void => {
      if (this.#worker === worker) this.#end(reason);
    };
    worker.on('error', (error: Error) => ended(error.message));
    worker.on('exit', () => ended('the thread that reads has ended'));
    worker.on('message', (reply: ReadReply) => {
      if (this.#worker === worker) this.#take(reply);
    });
    return worker;
  }

  #take(reply: ReadReply): void {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#endAfter(IDLE_MS_MAX, 'nothing was asked');
    if ('failure' in reply) pending?.reject(new NotRead(reply.failure));
    else pending?.resolve(reply.value);
  }

  #endAfter(ms: number, reason: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(reason), ms).unref();
  }

  #end(reason: string): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#pending?.reject(new Error(reason));
    this.#pending = undefined;
    void worker?.terminate();
  }
}
