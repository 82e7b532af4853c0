/**
 * Reads a feed from its history on, in order and each record once, through restarts of server and publisher. The server holds what a slow
 * reader has not taken; the publisher does not know of it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../domain/failure.ts';
import { type TsUs, US_PER_MS } from '../domain/units.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';
import { type Cluster, refusal } from './connection.ts';
import { decodeBatch, feedStream, feedSubject, type FeedTerms, termsSubject } from './feed-messages.ts';

/** Takes what comes in its order. */
export interface FeedListener {
  onRecords(records: readonly StampedFrame[]): void;
  /** What follows does not continue what came before: why. */
  onGap(reason: string): void;
  /** Everything that the server has was taken. */
  onCaughtUp(): void;
  /** Nothing comes until `onCaughtUp`. */
  onDown(reason: string): void;
}

export interface FeedReaderOptions {
  readonly feed: string;
  readonly open: () => Promise<Cluster>;
  /** Messages stored before it are left out; null reads all. */
  readonly from: TsUs | null;
  readonly listener: FeedListener;
  readonly retryMs?: number;
}

const RETRY_MS = 1_000;
/** Messages ahead of the listener. */
const PREFETCHED = 16;

export class FeedReader {
  readonly #options: FeedReaderOptions;
  readonly #end = new AbortController();
  readonly #work: Promise<void>;
  #cluster: Cluster | undefined = undefined;
  #stopReading: () => void = () => {};
  /** When the server made the stream, and the number of its last message that was read. */
  #created = '';
  #stored = 0;
  #epoch = '';
  #next = 0;

  constructor(options: FeedReaderOptions) {
    this.#options = options;
    this.#work = this.#run();
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#stopReading();
    await this.#work;
    await this.#cluster?.close();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      try {
        this.#cluster ??= await this.#opened();
        await this.#read(this.#cluster);
      } catch (error) {
        if (!signal.aborted) this.#options.listener.onDown(this.#reasonOf(error));
        await pause(this.#options.retryMs ?? RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #opened(): Promise<Cluster> {
    const cluster = await this.#options.open();
    void this.#follow(cluster);
    return cluster;
  }

  /** After each interruption it reads on from where it was, if that is still there. */
  async #follow({ nc, url }: Cluster): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') this.#options.listener.onDown(`${url} does not answer`);
      if (type === 'reconnect') this.#stopReading();
    }
  }

  async #read({ js, jsm }: Cluster): Promise<void> {
    const { feed, from, listener } = this.#options;
    const { created } = await jsm.streams.info(feedStream(feed));
    if (created !== this.#created) this.#stored = 0;
    this.#created = created;
    const filter = { filter_subjects: feedSubject(feed) };
    const start =
      this.#stored > 0
        ? { deliver_policy: 'by_start_sequence' as const, opt_start_seq: this.#stored + 1 }
        : from === null
          ? {}
          : {
              deliver_policy: 'by_start_time' as const,
              opt_start_time: new Date(from / US_PER_MS).toISOString(),
            };
    const consumer = await js.consumers.get(feedStream(feed), { ...filter, ...start });
    const { num_pending: pending } = await consumer.info(true);
    const messages = await consumer.consume({ max_messages: PREFETCHED });
    this.#stopReading = () => messages.stop();
    if (pending === 0) listener.onCaughtUp();
    let isBehind = pending > 0;
    for await (const { seq, data, headers, info } of messages) {
      this.#stored = seq;
      this.#take(headers?.get('Nats-Msg-Id') ?? '', data);
      if (isBehind && info.pending === 0) listener.onCaughtUp();
      isBehind = isBehind && info.pending > 0;
    }
  }

  #take(id: string, payload: Uint8Array): void {
    const { feed, listener } = this.#options;
    const batch = decodeBatch({ id, payload });
    if (batch === undefined) return listener.onGap(`feed ${feed} has a message that no daemon has sent`);
    const { epoch, first, records } = batch;
    const isNew = epoch !== this.#epoch;
    if (isNew && this.#epoch !== '')
      listener.onGap(`the publisher of feed ${feed} has started again: its numbers begin again`);
    else if (!isNew && first > this.#next)
      listener.onGap(`feed ${feed} lacks records ${this.#next} to ${first - 1}`);
    const known = isNew ? 0 : Math.max(0, this.#next - first);
    this.#epoch = epoch;
    this.#next = Math.max(isNew ? 0 : this.#next, first + records.length);
    if (records.length > known) listener.onRecords(known === 0 ? records : records.slice(known));
  }

  #reasonOf(error: unknown): string {
    return this.#cluster === undefined
      ? errorText(error)
      : feedProblem(this.#cluster.url, this.#options.feed, error);
  }
}

function feedProblem(url: string, feed: string, error: unknown): string {
  return error instanceof Error && error.name === 'StreamNotFoundError'
    ? `${url} has no feed ${feed}: start the daemon that publishes it`
    : refusal(url, error).message;
}

/** Throws where the feed has none. */
export async function readTerms({ jsm, url }: Cluster, feed: string): Promise<FeedTerms> {
  try {
    const message = await jsm.streams.getMessage(feedStream(feed), { last_by_subj: termsSubject(feed) });
    if (message !== null) return message.json<FeedTerms>();
  } catch (error) {
    throw new Error(feedProblem(url, feed, error), { cause: error });
  }
  throw new Error(
    `${url}: feed ${feed} lists no contracts: the daemon that publishes it has not opened a session`,
  );
}
