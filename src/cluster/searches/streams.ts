/** Where a search lies on the server: a queue of batches, a result a subject, and a store of what is large. */
import type { Consumer, ConsumerInfo, DirectStreamAPI, StoredMsg } from '@nats-io/jetstream';
import type { ObjectStore } from '@nats-io/obj';
import type { Cluster } from '../connection.ts';
import type { Batch, Job, Program, Result } from './job.ts';

const TRIALS = 'TICKWRIGHT_TRIALS';
const RESULTS = 'TICKWRIGHT_RESULTS';
const STORE = 'tickwright';
/** Core messages: a worker says that it is there, a coordinator that it has work. */
export const WORKERS = 'tickwright.workers';
export const NEWS = 'tickwright.news';

const NS_PER_MS = 1_000_000;
/** What nobody came back for is forgotten. */
const KEPT_NS = 7 * 86_400_000 * NS_PER_MS;
/** A batch without a sign of life for this long goes to another worker. */
export const ACK_WAIT_MS = 10_000;
const WAITING_MAX = 100_000;
const READ_AT_ONCE = 500;
const READ_MS = 10_000;

const trialsOf = (job: string): string => `tickwright.trials.${job}`;
const resultOf = (job: string, name: string): string => `tickwright.results.${job}.${name}`;

/** What `announce` puts next to a queue, for workers to read before they take anything of it. */
export interface AnnouncedSweep extends Program {
  readonly id: string;
  readonly whose: string;
  /** Batches that nobody has, and those that may come back from who has them. */
  readonly pending: number;
  readonly inWork: number;
}

export class Searches {
  readonly #cluster: Cluster;
  readonly store: ObjectStore;

  private constructor(cluster: Cluster, store: ObjectStore) {
    this.#cluster = cluster;
    this.store = store;
  }

  /** For a worker, which makes nothing on the server. */
  static async join(cluster: Cluster): Promise<Searches> {
    const { Objm } = await import('@nats-io/obj');
    return new Searches(cluster, await new Objm(cluster.js).open(STORE, false));
  }

  /** Makes what is missing on the server. */
  static async open(cluster: Cluster): Promise<Searches> {
    const { jsm, js } = cluster;
    const { Objm } = await import('@nats-io/obj');
    const kept = { max_age: KEPT_NS, storage: 'file', discard: 'new' } as const;
    await jsm.streams.add({ ...kept, name: TRIALS, subjects: [trialsOf('*')], retention: 'workqueue' });
    await jsm.streams.add({ ...kept, name: RESULTS, subjects: [resultOf('*', '*')], allow_direct: true });
    return new Searches(cluster, await new Objm(js).create(STORE, { ttl: KEPT_NS }));
  }

  async announce({ id, whose, build, node }: Job): Promise<void> {
    const queue = {
      durable_name: id,
      filter_subject: trialsOf(id),
      ack_policy: 'explicit',
      ack_wait: ACK_WAIT_MS * NS_PER_MS,
      max_ack_pending: -1,
      max_waiting: WAITING_MAX,
      inactive_threshold: KEPT_NS,
      metadata: { whose, build, node },
    } as const;
    await this.#cluster.jsm.consumers.add(TRIALS, queue).catch(ignoring(ALREADY_THERE));
    this.#cluster.nc.publish(NEWS);
  }

  async announced(): Promise<readonly AnnouncedSweep[]> {
    const found: AnnouncedSweep[] = [];
    const queues = this.#cluster.jsm.consumers.list(TRIALS);
    for (let page = await queues.next().catch(ignoring(NO_STREAM)); page?.length; page = await queues.next())
      for (const { name, num_pending: pending, num_ack_pending: inWork, config } of page) {
        const { whose, build, node } = config.metadata ?? {};
        if (whose !== undefined && build !== undefined && node !== undefined)
          found.push({ id: name, pending, inWork, whose, build, node });
      }
    return found;
  }

  /** Undefined where its search is over. */
  queue = (job: string): Promise<Consumer | undefined> =>
    this.#cluster.js.consumers.get(TRIALS, job).catch(ignoring(NO_STREAM, NO_CONSUMER));

  /** Nothing where another sweep of its backtest has ended and took the queue along, or somebody deleted it. */
  async state(job: string): Promise<Pick<ConsumerInfo, 'num_pending' | 'num_ack_pending'>> {
    const found = await this.#cluster.jsm.consumers.info(TRIALS, job).catch(ignoring(NO_STREAM, NO_CONSUMER));
    return found ?? { num_pending: 0, num_ack_pending: 0 };
  }

  /** Bytes of a message, with some for its headers. */
  get payloadMax(): number {
    return (this.#cluster.nc.info?.max_payload ?? Infinity) - 200;
  }

  async publish(job: string, batch: Batch): Promise<void> {
    await this.#cluster.js.publish(trialsOf(job), JSON.stringify(batch));
  }

  /** The first result of a trial stays; a later one changes nothing. */
  async keep(job: string, name: string, result: Result): Promise<void> {
    const first = { expect: { lastSubjectSequence: 0 } };
    const text = JSON.stringify(result);
    const most = this.payloadMax;
    if (text.length > most && 'figures' in result) {
      const error = `expected a result of ${most} bytes at most, was ${text.length}: raise max_payload of the server`;
      return this.keep(job, name, { error, ms: result.ms });
    }
    await this.#cluster.js.publish(resultOf(job, name), text, first).catch(ignoring(WRONG_LAST_SEQUENCE));
  }

  async has(job: string, name: string): Promise<boolean> {
    const found = await this.#cluster.jsm.direct.getMessage(RESULTS, { last_by_subj: resultOf(job, name) });
    return found !== null;
  }

  /** Results from a number of the stream on, by name, and the number after them. */
  async read(
    job: string,
    from: number,
  ): Promise<{ readonly found: ReadonlyMap<string, Result>; readonly next: number }> {
    const found = new Map<string, Result>();
    let next = from;
    for (;;) {
      const filter = { seq: next, next_by_subj: resultOf(job, '*'), batch: READ_AT_ONCE };
      const read = await this.#collected(filter);
      for (const each of read) {
        const name = each.subject.slice(resultOf(job, '').length);
        const result: Result | undefined = decode(each);
        if (typeof result?.ms === 'number') found.set(name, result);
        else await this.forget(job, name);
        next = each.seq + 1;
      }
      if (read.length < READ_AT_ONCE) return { found, next };
    }
  }

  /** Writes an object of the store where it is not there. What was deleted leaves a description behind. */
  async provide(name: string, bytes: () => Uint8Array): Promise<void> {
    const there = await this.store.info(name);
    if (there === null || there.deleted) await this.store.putBlob({ name }, bytes());
  }

  /** By callback: the client leaves a subscription behind for each iterator, and waits for ever where the server dies during its answer. */
  #collected(filter: Parameters<DirectStreamAPI['getBatch']>[1]): Promise<readonly StoredMsg[]> {
    return new Promise((resolve, reject) => {
      const found: StoredMsg[] = [];
      const end = (error?: unknown): void => {
        clearTimeout(late);
        // No message at all is a failure to the client.
        if (error === undefined || hasOneOf(error, [NO_MESSAGE])) resolve(found);
        else reject(error);
      };
      const late = setTimeout(
        () => end(new DOMException('no end of its answer came', 'TimeoutError')),
        READ_MS,
      );
      const callback = (done: { err?: Error } | null, message: StoredMsg): void =>
        done === null ? void found.push(message) : end(done.err);
      this.#cluster.jsm.direct.getBatch(RESULTS, { ...filter, callback }).catch(end);
    });
  }

  async forget(job: string, name = '*'): Promise<void> {
    await this.#cluster.jsm.streams.purge(RESULTS, { filter: resultOf(job, name) });
  }

  /** Takes what waits out of the queue. */
  async clear(job: string): Promise<void> {
    await this.#cluster.jsm.streams.purge(TRIALS, { filter: trialsOf(job) });
  }

  async end(job: string): Promise<void> {
    await this.clear(job);
    await this.forget(job);
    await this.#cluster.jsm.consumers.delete(TRIALS, job);
    await this.store.delete(jobObject(job));
  }
}

/** Undefined for what no program of ours has sent. */
export function decode(message: { string(): string }): ReturnType<typeof JSON.parse> {
  try {
    return JSON.parse(message.string()) ?? undefined;
  } catch {
    return undefined;
  }
}

export const jobObject = (job: string): string => `job.${job}`;

const ALREADY_THERE = 10_148;
const WRONG_LAST_SEQUENCE = 10_071;
const NO_STREAM = 10_059;
const NO_CONSUMER = 10_014;
const NO_MESSAGE = 404;

const hasOneOf = (error: unknown, codes: readonly number[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(Number(error.code));

/** What a failure with one of these codes gives instead; another one is thrown. */
const ignoring =
  (...codes: readonly number[]) =>
  (error: unknown): undefined => {
    if (!hasOneOf(error, codes)) throw error;
  };
