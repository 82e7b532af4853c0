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
  #thread: SqliteThread<ReadReply> | undefined = undefined;
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
    await this.#end('the daemon ends');
  }

  #ask(asked: CockpitRead): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('the daemon ends'));
      this.#pending = { resolve, reject };
      this.#endAfter(ANSWER_MS_MAX, `not read within ${ANSWER_MS_MAX / 1_000} s`);
      this.#thread ??= this.#start();
      return this.#thread.post(asked);
    });
  }

  #start(): SqliteThread<ReadReply> {
    const ifPresent = (act: () => void): void => {
      if (this.#thread === thread) act();
    };
    const thread = new SqliteThread<ReadReply>(
      new URL('./cockpit-worker.js', import.meta.url),
      {},
      {
        message: (reply) => ifPresent(() => this.#take(reply)),
        over: (failure) =>
          ifPresent(() => void this.#end(failure?.message ?? 'the thread that reads has ended')),
      },
    );
    return thread;
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
    this.#timer = setTimeout(() => void this.#end(reason), ms).unref();
  }

  async #end(reason: string): Promise<void> {
    clearTimeout(this.#timer);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#pending?.reject(new Error(reason));
    this.#pending = undefined;
    await thread?.end();
  }
}
