/**
 * Publishes the records of a daemon in their order, none twice: one message is in flight, and what comes meanwhile makes the next. It takes
 * no time of the daemon but a push. While the server takes nothing the records wait; beyond a bound the oldest go, which readers
 * see by their numbers.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { formatNumber } from '../text/numbers.ts';
import { errorText } from '../domain/failure.ts';
import type { ContractsListed, EngineEvent } from '../engine/ports/engine-event.ts';
import type { AlertSeverity } from '../engine/ports/journal-entry.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';
import { type Cluster, refusal } from './connection.ts';
import {
  encodeBatch,
  feedStream,
  feedSubject,
  type FeedTerms,
  noteOf,
  termsSubject,
} from './feed-messages.ts';

export interface FeedPublisherOptions {
  /** Name of the feed. */
  readonly feed: string;
  /** How long the server keeps messages, and how many bytes of them. */
  readonly keep: { readonly days: number; readonly bytes: number };
  readonly open: () => Promise<Cluster>;
  /** Of this process: numbers begin again with each. */
  readonly epoch: string;
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
  /** Records were lost: readers need whole books. */
  readonly onLost: () => void;
  readonly bufferBytesMax?: number;
  readonly retryMs?: number;
}

/** Some ten minutes of a busy market. */
const BUFFER_BYTES_MAX = 64_000_000;
const RETRY_MS = 1_000;
const ONCE = { timeout: 5_000, retries: 1 };
/** A restart of the server takes less. */
const FAILURES_MIN = 3;
/** Number, time, length and checksum of a record. */
const HEAD_BYTES = 40;
const STOP_MS_MAX = 3_000;
const NS_PER_DAY = 86_400_000_000_000;

export class FeedPublisher {
  readonly #options: FeedPublisherOptions;
  #waiting: StampedFrame[] = [];
  #bytes = 0;
  /** Number of the first record that waits. */
  #next = 1;
  #lost = 0;
  #listed: ContractsListed | undefined = undefined;
  #terms = '';
  #publishedTerms = '';
  #cluster: Cluster | undefined = undefined;
  /** When the server made the stream. */
  #created: string | undefined = undefined;
  #failures = 0;
  #work: Promise<void> | undefined = undefined;
  readonly #end = new AbortController();

  constructor(options: FeedPublisherOptions) {
    this.#options = options;
    this.#begin();
  }

  /** Hot. */
  take(record: StampedFrame): void {
    this.#waiting.push(record);
    this.#bytes += sizeOf(record);
    if (this.#bytes > (this.#options.bufferBytesMax ?? BUFFER_BYTES_MAX)) this.#drop();
    if (this.#work === undefined) this.#begin();
  }

  /** An input of the session: those that others need to know are published too. */
  note(event: EngineEvent): void {
    if (event.kind === 'stream') this.take(noteOf(event));
    else if (event.kind === 'contracts') this.#listed = event;
    else if (event.kind === 'reference') this.#publishTerms(event.rows);
  }

  #publishTerms(references: FeedTerms['references']): void {
    if (this.#listed === undefined) return;
    const { contracts, listed = contracts.map(({ orderCode }) => orderCode) } = this.#listed;
    this.#terms = JSON.stringify({ contracts, listed, references } satisfies FeedTerms);
    if (this.#work === undefined) this.#begin();
  }

  /** Resolves once everything is stored, or after a moment. */
  async close(): Promise<void> {
    const late = pause(STOP_MS_MAX, undefined, { ref: false });
    await Promise.race([this.#work, late]);
    this.#end.abort();
    await Promise.race([this.#work, late]);
    await Promise.race([this.#cluster?.close(), late]);
  }

  #begin(): void {
    this.#work = this.#run().finally(() => {
      this.#work = undefined;
      if (this.#hasWork) this.#begin();
    });
  }

  get #hasWork(): boolean {
    return !this.#end.signal.aborted && (this.#waiting.length > 0 || this.#terms !== this.#publishedTerms);
  }

  async #run(): Promise<void> {
    // After the work of the daemon on this moment.
    await pause(0);
    const { epoch, feed } = this.#options;
    if (this.#cluster === undefined) await this.#tried((cluster) => this.#makeStream(cluster));
    while (this.#hasWork) {
      const terms = this.#terms;
      if (terms !== this.#publishedTerms)
        await this.#tried(({ js }) => js.publish(termsSubject(feed), terms, ONCE));
      this.#publishedTerms = terms;
      if (this.#waiting.length === 0) continue;
      const first = this.#next;
      const { id, payload } = encodeBatch({ epoch, first, records: this.#cut() });
      // A retry of what was stored all the same is no second one.
      await this.#tried(({ js }) => js.publish(feedSubject(feed), payload, { ...ONCE, msgID: id }));
    }
  }

  /** Until it is done. */
  async #tried(work: (cluster: Cluster) => Promise<unknown>): Promise<void> {
    while (!this.#end.signal.aborted) {
      try {
        this.#cluster ??= await this.#options.open();
        if (this.#failures > 0) await this.#makeStream(this.#cluster);
        await work(this.#cluster);
        return this.#succeeded();
      } catch (error) {
        this.#failed(error);
        const { signal } = this.#end;
        await pause(this.#options.retryMs ?? RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #makeStream({ jsm, url }: Cluster): Promise<void> {
    const { feed, keep } = this.#options;
    const name = feedStream(feed);
    const limits = { max_age: keep.days * NS_PER_DAY, max_bytes: keep.bytes };
    const known = await jsm.streams.info(name).catch(isMissing);
    const { created } =
      known ??
      (await jsm.streams.add({ name, subjects: [feedSubject(feed), termsSubject(feed)], ...limits }));
    const { max_age: age, max_bytes: bytes } = known?.config ?? limits;
    if (age !== limits.max_age || bytes !== limits.max_bytes) await jsm.streams.update(name, limits);
    if (this.#created !== undefined && this.#created !== created)
      this.#alert(
        'warning',
        'feed_store_lost',
        `${url} has lost feed ${feed}: its history begins again here`,
      );
    if (this.#created !== created) this.#publishedTerms = '';
    this.#created = created;
  }

  #succeeded(): void {
    const { feed } = this.#options;
    const lost = `${formatNumber(this.#lost)} records are lost, which readers see as a gap`;
    const outcome = this.#lost === 0 ? 'nothing is lost' : lost;
    if (this.#failures >= FAILURES_MIN)
      this.#alert('info', 'feed_published', `feed ${feed} is published again: ${outcome}`);
    this.#failures = 0;
    if (this.#lost > 0) this.#options.onLost();
    this.#lost = 0;
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const isUnreached = this.#cluster === undefined;
    if (isUnreached && this.#failures === 1) this.#failures = FAILURES_MIN;
    else if (this.#failures !== FAILURES_MIN) return;
    const text = isUnreached ? errorText(error) : refusal(this.#cluster?.url ?? '', error).message;
    const { feed } = this.#options;
    const meaning = 'trading goes on; prices wait for it in memory';
    this.#alert('warning', 'feed_not_published', `feed ${feed} is not published: ${text}; ${meaning}`);
  }

  #alert(...alert: Parameters<FeedPublisherOptions['alert']>): void {
    this.#options.alert(...alert);
  }

  /** Takes what fits into one message. */
  #cut(): readonly StampedFrame[] {
    const most = (this.#cluster?.nc.info?.max_payload ?? 0) / 2;
    let bytes = 0;
    let count = 0;
    for (; count < this.#waiting.length; count += 1) {
      const record = this.#waiting[count];
      bytes += record === undefined ? 0 : sizeOf(record);
      if (bytes > most && count > 0) break;
    }
    return this.#shift(count);
  }

  #shift(count: number): readonly StampedFrame[] {
    const records = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#bytes -= records.reduce((sum, record) => sum + sizeOf(record), 0);
    this.#next += count;
    return records;
  }

  /** A tenth at once: to move the others costs more than a record. */
  #drop(): void {
    this.#lost += this.#shift(Math.ceil(this.#waiting.length / 10)).length;
  }
}

/** As if the text had one byte a character: it has, but for what no price needs. */
const sizeOf = ({ text }: StampedFrame): number => text.length + HEAD_BYTES;

function isMissing(error: unknown): undefined {
  if (error instanceof Error && error.name === 'StreamNotFoundError') return undefined;
  throw error;
}
