/** Runs trials on workers. What has no result once the queue is empty is sent again: a lost store, queue or start changes no outcome. */
import { setTimeout as pause } from 'node:timers/promises';
import { formatCount } from '../../text/numbers.ts';
import type { TrialPool, TrialPoolOptions, TrialTask } from '../../research/sweep/trial-pool.ts';
import type { TrialFigures } from '../../research/sweep/judgement.ts';
import { type Cluster, Outage, refusal } from '../connection.ts';
import { batchOf, bytesOf, type Job, jobOf, jobText, type Result, resultName } from './job.ts';
import { decode, jobObject, Searches, WORKERS } from './streams.ts';
import type { WorkerBeat } from './worker.ts';

interface ClusterPoolOptions extends TrialPoolOptions {
  /** Forgets the results of earlier sweeps. */
  readonly fresh: boolean;
  /** Receives what a person should know, once. */
  readonly note: (text: string) => void;
}

const POLL_MS = 50;
/** Without a result for this long, it asks whether the server still has what it was sent. */
const RECHECK_MS = 5_000;
const SILENT_MS = 5_000;
/** A batch takes about this long, and a worker that is lost costs no more. */
const BATCH_MS = 2_000;
const BATCH_MAX = 500;
/** Batches in the queue for each thread, and for threads that are still to come. */
const BATCHES_PER_THREAD = 2;
const NEWCOMERS = 4;

type OnDone = (task: TrialTask, figures: TrialFigures) => void;

interface PendingTrials {
  readonly missing: Map<string, TrialTask>;
  readonly sent: Set<string>;
  readonly failed: string[];
  readonly onDone: OnDone;
}

interface Exchange {
  readonly found: ReadonlyMap<string, Result>;
  /** What was sent and has no result among these is lost. */
  readonly isLost: boolean;
}

export async function openClusterPool(cluster: Cluster, options: ClusterPoolOptions): Promise<ClusterPool> {
  const pool = new ClusterPool(cluster, options);
  try {
    await pool.open();
    return pool;
  } catch (error) {
    throw refusal(cluster.url, error);
  }
}

export class ClusterPool implements TrialPool {
  readonly #cluster: Cluster;
  readonly #options: ClusterPoolOptions;
  readonly #job: Job;
  readonly #workers = new Map<string, WorkerBeat & { readonly atMs: number }>();
  readonly #noted = new Set<string>();
  /** Results that nobody has asked for yet, and those of earlier starts. */
  readonly #known = new Map<string, Result>();
  #searches: Searches | null = null;
  #next = 1;
  #trialMs = Infinity;
  #isDone = false;
  readonly #outage = new Outage();
  #quietSinceMs = 0;

  constructor(cluster: Cluster, options: ClusterPoolOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#job = jobOf(options);
  }

  async open(): Promise<void> {
    const { id } = this.#job;
    this.#cluster.nc.subscribe(WORKERS, {
      callback: (_error, message) => this.#onBeat(decode(message)),
    });
    const searches = await this.#setUp();
    // Those of a coordinator that died: what is in work stays so, and what has a result is found.
    await searches.clear(id);
    if (this.#options.fresh) await searches.forget(id);
    const { found, next } = await searches.read(id, 1);
    for (const [name, result] of found)
      if ('error' in result) await searches.forget(id, name);
      else this.#known.set(name, result);
    this.#next = next;
  }

  /** Threads of the workers that were heard lately. */
  get capacity(): { readonly workers: number; readonly threads: number } {
    const { build, node } = this.#job;
    const heard = [...this.#workers.values()].filter(
      (each) => performance.now() - each.atMs < SILENT_MS && each.build === build && each.node === node,
    );
    return { workers: heard.length, threads: heard.reduce((sum, { threads }) => sum + threads, 0) };
  }

  async run(tasks: readonly TrialTask[], onDone: OnDone): Promise<void> {
    const missing = new Map(tasks.map((task) => [resultName(task), task]));
    const pending: PendingTrials = { missing, sent: new Set(), failed: [], onDone };
    for (const [name, result] of this.#known) this.#settle(pending, name, result);
    this.#isDone = false;
    this.#quietSinceMs = performance.now();
    while (missing.size > 0) {
      const { found, isLost } = await this.#exchange(pending).catch((error: unknown) => this.#wait(error));
      if (found.size > 0) this.#quietSinceMs = performance.now();
      for (const [name, result] of found) this.#settle(pending, name, result);
      if (isLost) pending.sent.clear();
    }
    const [first] = pending.failed;
    if (first !== undefined) throw new Error(failedText(pending.failed.length, tasks.length, first));
    this.#isDone = true;
  }

  async close(): Promise<void> {
    if (this.#isDone) await this.#searches?.end(this.#job.id).catch(() => undefined);
  }

  /** Everything on the server that workers need; what is there already costs a question. */
  async #setUp(): Promise<Searches> {
    const searches = await Searches.open(this.#cluster);
    const { columns } = this.#options;
    for (const { key, hash } of this.#job.pieces) {
      const rows = columns.get(key);
      if (rows !== undefined) await searches.provide(hash, () => bytesOf(rows));
    }
    await searches.provide(jobObject(this.#job.id), () => Buffer.from(jobText(this.#job)));
    await searches.announce(this.#job);
    this.#searches = searches;
    this.#next = 1;
    return searches;
  }

  /** Sends what is due, and reads what came. */
  async #exchange(pending: PendingTrials): Promise<Exchange> {
    const searches = this.#searches ?? (await this.#setUp());
    await this.#send(searches, pending);
    await pause(POLL_MS);
    const isLost =
      performance.now() - this.#quietSinceMs > RECHECK_MS && (await this.#isQueueEmpty(searches));
    const { found, next } = await searches.read(this.#job.id, this.#next);
    this.#next = next;
    this.#outage.end();
    return { found, isLost };
  }

  #settle({ missing, sent, failed, onDone }: PendingTrials, name: string, result: Result): void {
    const task = missing.get(name);
    if (task === undefined) return void this.#known.set(name, result);
    missing.delete(name);
    sent.delete(name);
    if ('error' in result) return void failed.push(result.error);
    const { figures, ms } = result;
    this.#trialMs = this.#trialMs === Infinity ? ms : 0.9 * this.#trialMs + 0.1 * ms;
    onDone(task, figures);
  }

  /** Keeps so much in the queue that no thread waits, and so little that one who comes later finds work. */
  async #send(searches: Searches, { missing, sent }: PendingTrials): Promise<void> {
    const batches = BATCHES_PER_THREAD * (this.capacity.threads + NEWCOMERS);
    const unsent = [...missing].filter(([name]) => !sent.has(name));
    const fitting = searches.payloadMax / (2 * JSON.stringify(unsent[0]?.[1] ?? '').length);
    const timely = Math.min(BATCH_MAX, BATCH_MS / this.#trialMs, fitting);
    const size = Math.max(1, Math.min(Math.floor(timely), Math.ceil(unsent.length / batches)));
    let at = 0;
    while (at < unsent.length && sent.size < batches * size) {
      const next = unsent.slice(at, at + size);
      const batch = next.filter(([, task]) => task.days === next[0]?.[1].days);
      const tasks = batch.map(([, task]) => task);
      await searches.publish(this.#job.id, batchOf(tasks));
      for (const [name] of batch) sent.add(name);
      at += batch.length;
    }
  }

  /** Nothing waits and nothing is in work: what has no result after that was lost. */
  async #isQueueEmpty(searches: Searches): Promise<boolean> {
    this.#quietSinceMs = performance.now();
    const { num_pending: waiting, num_ack_pending: inWork } = await searches.state(this.#job.id);
    // Nobody takes any of it: something that workers need may be gone.
    if (inWork === 0) await this.#setUp();
    return waiting + inWork === 0;
  }

  async #wait(error: unknown): Promise<Exchange> {
    await this.#outage.wait(this.#cluster, error, this.#options.note);
    this.#searches = null;
    return { found: new Map(), isLost: false };
  }

  #onBeat(beat: WorkerBeat | undefined): void {
    if (typeof beat?.build !== 'string') return;
    this.#workers.set(beat.id, { ...beat, atMs: performance.now() });
    const { build, node } = this.#job;
    const isOther = beat.build !== build || beat.node !== node;
    const text = isOther
      ? `the worker on ${beat.host} takes no trial: expected build ${build} on Node.js ${node}, was ${beat.build} on ${beat.node}: install the same there`
      : beat.trouble === ''
        ? ''
        : `the worker on ${beat.host}: ${beat.trouble}`;
    if (text === '' || this.#noted.has(text)) return;
    this.#noted.add(text);
    this.#options.note(text);
  }
}

const failedText = (failed: number, all: number, first: string): string =>
  `${formatCount(failed, 'trial')} of ${all} set aside after three tries, first: ${first}. All others have their results: fix it and start again`;
