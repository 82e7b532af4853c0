/** Takes trials of any search whose program is this one, and keeps their results before it says that it is done with them. */
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { errorText, hasCode, undefinedIfMissing, withPath } from '../../domain/failure.ts';
import { type Backtest, loadAgain } from '../../research/spec/load-backtest.ts';
import {
  openTrialPool,
  type SharedColumns,
  sweepFingerprint,
  type TrialPool,
  type TrialTask,
} from '../../research/sweep/trial-pool.ts';
import type { TrialFigures } from '../../research/sweep/judgement.ts';
import { type Cluster, Outage } from '../connection.ts';
import {
  batchOf,
  type Batch,
  columnsOn,
  type Job,
  jobFrom,
  type Program,
  type Result,
  resultName,
  tasksOf,
  thisProgram,
  type Piece,
  sha256,
} from './job.ts';
import { ACK_WAIT_MS, type AnnouncedSweep, decode, jobObject, NEWS, Searches, WORKERS } from './streams.ts';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export interface WorkerBeat extends Program {
  readonly id: string;
  readonly host: string;
  readonly threads: number;
  /** Why it takes no trials now; empty where it does. */
  readonly trouble: string;
}

interface WorkerOptions {
  readonly threads: number;
  readonly cache: ColumnCache;
  /** Receives what a person should know. */
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly openPool?: typeof openTrialPool;
}

const BEAT_MS = 1_000;
const RETRY_MS = 1_000;
const CHECK_MS = 2_000;
const PULL_MS = 2_000;
/** A job whose files cannot be had or loaded here is left alone for this long. */
const REST_MS = 10_000;
/** A trial that fails so often is set aside. */
const TRIES = 3;
/** So often may a batch of one trial be lost with its worker: a person may have ended some of them. */
const LOST_MAX = 5;
const AGAIN_MS = 500;
const LEAVE_MS = 2_000;

interface Ready {
  readonly job: Job;
  readonly backtest: Backtest;
  readonly columns: SharedColumns;
}

/** Runs until the signal; what it has in hand then goes to others at once. */
export async function runWorker(cluster: Cluster, options: WorkerOptions): Promise<void> {
  const worker = new ClusterWorker(cluster, options);
  const beat = setInterval(() => worker.beat(), BEAT_MS);
  const stopped = new Promise<void>((resolve) => {
    options.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    worker.beat();
    await Promise.race([worker.run(), stopped]);
  } finally {
    clearInterval(beat);
    await worker.leave();
  }
}

class ClusterWorker {
  readonly #cluster: Cluster;
  readonly #options: WorkerOptions;
  readonly #program = thisProgram();
  readonly #id = randomUUID();
  readonly #slots: readonly Slot[];
  readonly #refused = new Set<string>();
  /** When a job may be tried again. */
  readonly #restsUntilMs = new Map<string, number>();
  #ready: Ready | null = null;
  #trouble = '';
  readonly #outage = new Outage();
  #wake: () => void = () => undefined;

  constructor(cluster: Cluster, options: WorkerOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#slots = Array.from({ length: options.threads }, () => new Slot(options.openPool ?? openTrialPool));
    cluster.nc.subscribe(NEWS, { callback: () => this.#wake() });
  }

  beat(): void {
    const { nc } = this.#cluster;
    const { threads } = this.#options;
    const beat: WorkerBeat = {
      ...this.#program,
      id: this.#id,
      host: hostname(),
      threads,
      trouble: this.#trouble,
    };
    if (!nc.isClosed() && !nc.isDraining()) nc.publish(WORKERS, JSON.stringify(beat));
  }

  async run(): Promise<void> {
    const searches = await this.#retryUntilDone(() => Searches.join(this.#cluster));
    while (!this.#options.signal.aborted) {
      const next = await this.#retryUntilDone(() => this.#choose(searches));
      if (next !== undefined) await this.#workOn(searches, next);
      else await Promise.race([pause(CHECK_MS), new Promise<void>((resolve) => (this.#wake = resolve))]);
    }
  }

  async leave(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.leave(this.#cluster)));
  }

  /** Any of the jobs with work: many workers spread over them. */
  async #choose(searches: Searches): Promise<AnnouncedSweep | undefined> {
    const { build, node } = this.#program;
    const all = await searches.announced();
    for (const each of all.filter((job) => job.build !== build || job.node !== node)) {
      if (this.#refused.has(each.id)) continue;
      this.#refused.add(each.id);
      this.#options.say(
        `a sweep of ${each.whose} is refused: expected build ${build} on Node.js ${node}, was ${each.build} on ${each.node}: install the same on both`,
      );
    }
    const own = all.filter(
      ({ id }) => !this.#refused.has(id) && (this.#restsUntilMs.get(id) ?? 0) < performance.now(),
    );
    const waiting = own.filter(({ pending }) => pending > 0);
    const open = waiting.length > 0 ? waiting : own.filter(({ inWork }) => inWork > 0);
    return open.find(({ id }) => id === this.#ready?.job.id) ?? open[Math.floor(Math.random() * open.length)];
  }

  async #workOn(searches: Searches, { id }: AnnouncedSweep): Promise<void> {
    if (this.#ready?.job.id !== id) {
      await Promise.all(this.#slots.map((slot) => slot.end()));
      this.#ready = null;
      try {
        this.#ready = await this.#prepare(searches, id);
        this.#trouble = '';
      } catch (error) {
        if (this.#cluster.nc.isClosed()) throw error;
        this.#trouble = `it cannot run the sweep ${id}: ${errorText(error)}`;
        this.#options.say(this.#trouble);
        this.#restsUntilMs.set(id, performance.now() + REST_MS);
        return;
      }
    }
    const ready = this.#ready;
    const queue = await this.#retryUntilDone(() => searches.queue(id));
    if (queue === undefined) return;
    // A thread that fails leaves the others their batches.
    const ends = await Promise.allSettled(
      this.#slots.map((slot) => this.#drain(slot, { searches, queue, ready })),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #prepare(searches: Searches, id: string): Promise<Ready> {
    const { store } = searches;
    const text = await store.getBlob(jobObject(id));
    if (text === null) throw new Error('expected its description in the store, was nothing');
    const job = jobFrom(Buffer.from(text).toString());
    this.#options.say(`takes trials of ${job.whose}: ${job.inputs.file}`);
    const backtest = await loadAgain(job.inputs);
    if (sweepFingerprint(backtest) !== job.fingerprint)
      throw new Error(
        'its strategies or its files give another fingerprint here: install the same program on both',
      );
    const columns = new Map<string, ReturnType<typeof columnsOn>>();
    for (const piece of job.pieces) {
      const memory = await this.#options.cache.read(piece, async (hash, write) => {
        const found = await store.get(hash);
        if (found === null) throw new Error(`expected the columns ${piece.key} in the store, was nothing`);
        for await (const bytes of found.data) write(bytes);
        const failure = await found.error;
        if (failure instanceof Error) throw failure;
      });
      columns.set(piece.key, columnsOn(memory, piece));
    }
    return { job, backtest, columns };
  }

  /** Until nothing comes and no other thread has work: until then more may come. */
  async #drain(slot: Slot, work: Work): Promise<void> {
    while (!this.#options.signal.aborted) {
      // The server or this queue may be gone, which the next check of all queues shows.
      const message = await work.queue.next({ expires: PULL_MS }).catch(() => pause(RETRY_MS, null));
      if (message !== null) await this.#runBatch(slot, message, work);
      else if (this.#slots.every(({ isBusy }) => !isBusy)) return;
    }
  }

  async #runBatch(slot: Slot, message: JsMsg, work: Work): Promise<void> {
    const { searches, ready } = work;
    const { id } = ready.job;
    const batch: Batch | undefined = decode(message);
    // Of a stranger.
    if (!Array.isArray(batch?.params) || batch.span === undefined) return message.term();
    const tasks = tasksOf(batch, ready.backtest.sources.days);
    const tries = message.info.deliveryCount;
    slot.take(message);
    try {
      if (tries > TRIES && tasks.length > 1) {
        for (const task of tasks) await this.#retryUntilDone(() => searches.publish(id, batchOf([task])));
      } else if (tries > LOST_MAX) {
        const error = `the trial ${JSON.stringify(batch.params[0])} was lost with its worker ${LOST_MAX} times: its process may have ended for lack of memory`;
        for (const task of tasks) await this.#keep(work, task, { error, ms: 0 });
      } else if ((await this.#runTrials(slot, tasks, work, tries)) > 0) return message.nak(AGAIN_MS);
      // Without it the batch comes again, and its results are known.
      await message.ackAck().catch(() => false);
    } finally {
      slot.drop();
    }
  }

  /** Returns how many failed and are to be tried again. */
  async #runTrials(slot: Slot, tasks: readonly TrialTask[], work: Work, tries: number): Promise<number> {
    const { searches, ready } = work;
    const isKnown = await this.#retryUntilDone(() =>
      Promise.all(tasks.map((task) => searches.has(ready.job.id, resultName(task)))),
    );
    const kept: Promise<void>[] = [];
    let failed = 0;
    for (const task of tasks.filter((_, i) => isKnown[i] === false)) {
      const begunMs = performance.now();
      const outcome = await slot.run(task, ready).catch((error: unknown) => ({ error: errorText(error) }));
      const ms = performance.now() - begunMs;
      if (!('error' in outcome)) kept.push(this.#keep(work, task, { figures: outcome, ms }));
      else if (tries >= TRIES) kept.push(this.#keep(work, task, { ...outcome, ms }));
      else failed += 1;
    }
    await Promise.all(kept);
    return failed;
  }

  #keep = ({ searches, ready }: Work, task: TrialTask, result: Result): Promise<void> =>
    this.#retryUntilDone(() => searches.keep(ready.job.id, resultName(task), result));

  /** What was found here is not given up because the server is gone or full. */
  async #retryUntilDone<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const found = await ask();
        this.#outage.end();
        return found;
      } catch (error) {
        await this.#outage.wait(this.#cluster, error, this.#options.say);
      }
    }
  }
}

interface Work {
  readonly searches: Searches;
  readonly queue: Consumer;
  readonly ready: Ready;
}

/** One thread, and the batch that it has in hand. */
class Slot {
  readonly #openPool: typeof openTrialPool;
  #pool: TrialPool | null = null;
  #message: JsMsg | null = null;
  #alive: NodeJS.Timeout | undefined;

  constructor(openPool: typeof openTrialPool) {
    this.#openPool = openPool;
  }

  get isBusy(): boolean {
    return this.#message !== null;
  }

  take(message: JsMsg): void {
    this.#message = message;
    this.#alive = setInterval(() => message.working(), ACK_WAIT_MS / 4);
  }

  drop(): void {
    clearInterval(this.#alive);
    this.#message = null;
  }

  async run(
    task: TrialTask,
    { backtest, columns, job: { fingerprint, eventMsMax } }: Ready,
  ): Promise<TrialFigures> {
    this.#pool ??= await this.#openPool({ backtest, columns, fingerprint, eventMsMax, workers: 1 });
    const found: TrialFigures[] = [];
    try {
      await this.#pool.run([task], (_, figures) => found.push(figures));
    } catch (error) {
      // The thread may have ended.
      await this.end();
      throw error;
    }
    const [figures] = found;
    if (figures === undefined) throw new Error('a thread ended without a result');
    return figures;
  }

  async end(): Promise<void> {
    await this.#pool?.close();
    this.#pool = null;
  }

  /** A batch that is sent again counts no try: `nak` would. */
  async leave({ js }: Cluster): Promise<void> {
    const message = this.#message;
    this.drop();
    if (message !== null)
      await js.publish(message.subject, message.data, { timeout: LEAVE_MS }).then(
        () => message.ack(),
        () => undefined,
      );
    await this.end();
  }
}

// Columns that this host has fetched, in files named by their hash; what was used longest ago makes room.

type Fetch = (hash: string, write: (bytes: Uint8Array) => void) => Promise<void>;

const PARTIAL = '.partial';
const WAIT_MS = 100;
/** A file that grew no more for this long was left by a process that died. */
const LEFT_MS = 10_000;

export class ColumnCache {
  readonly #dir: string;
  readonly #bytesMax: number;

  constructor(dir: string, bytesMax: number) {
    this.#dir = dir;
    this.#bytesMax = bytesMax;
    mkdirSync(dir, { recursive: true });
  }

  /** On shared memory. What is here and is not what its name says is fetched again, once. */
  async read(piece: Piece, fetch: Fetch): Promise<SharedArrayBuffer> {
    const path = join(this.#dir, piece.hash);
    for (let tries = 0; tries < 2; tries += 1) {
      const memory =
        undefinedIfMissing(() => fileOn(path, piece.bytes)) ?? (await this.#fetched(path, piece, fetch));
      if (sha256(new Uint8Array(memory)) === piece.hash) return memory;
      rmSync(path, { force: true });
    }
    throw new Error(
      `the columns ${piece.key}: expected bytes of the hash ${piece.hash}, were others: start the sweep again`,
    );
  }

  /** Only one process of a host fetches a piece. */
  async #fetched(path: string, piece: Piece, fetch: Fetch): Promise<SharedArrayBuffer> {
    const partial = `${path}${PARTIAL}`;
    for (;;) {
      const file = createdHere(partial);
      if (file !== null) {
        try {
          this.#makeRoom(piece.bytes);
          await fetch(piece.hash, (bytes) => withPath(partial, () => writeFileSync(file, bytes)));
          renameSync(partial, path);
        } finally {
          closeSync(file);
          rmSync(partial, { force: true });
        }
      } else await pause(WAIT_MS);
      const memory = undefinedIfMissing(() => fileOn(path, piece.bytes));
      if (memory !== undefined) return memory;
    }
  }

  #makeRoom(bytes: number): void {
    const files = readdirSync(this.#dir).flatMap((name) => {
      const path = join(this.#dir, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      return stat === undefined || name.endsWith(PARTIAL)
        ? []
        : [{ path, size: stat.size, usedMs: stat.mtimeMs }];
    });
    let held = files.reduce((sum, { size }) => sum + size, bytes);
    for (const { path, size } of files.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (held <= this.#bytesMax) return;
      rmSync(path, { force: true });
      held -= size;
    }
  }
}

/** Null where another process writes it. */
function createdHere(path: string): number | null {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && Date.now() - stat.mtimeMs > LEFT_MS) rmSync(path, { force: true });
    return null;
  }
}

function fileOn(path: string, bytes: number): SharedArrayBuffer {
  const file = openSync(path, 'r');
  try {
    const memory = new SharedArrayBuffer(bytes);
    const view = new Uint8Array(memory);
    let at = 0;
    for (let read = -1; read !== 0 && at < bytes; at += read) read = readSync(file, view, at, bytes - at, at);
    const now = new Date();
    utimesSync(path, now, now);
    return memory;
  } finally {
    closeSync(file);
  }
}
