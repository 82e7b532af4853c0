/**
 * Publishes the records of a daemon in their order, none twice: one message is in flight, and what comes meanwhile makes the next. It takes
 * no time of the daemon but a push. While the server takes nothing the records wait; beyond a bound the oldest go, which readers
 * see by their numbers.
 */
import { setImmediate as otherWork, setTimeout as pause } from 'node:timers/promises';
import { every, type CancelTimer, type Timers } from '../domain/clock.ts';
import { errorText } from '../domain/failure.ts';
import type { ContractsListed, EngineEvent } from '../engine/ports/engine-event.ts';
import type { AlertSeverity } from '../engine/ports/journal-entry.ts';
import { formatNumber } from '../text/numbers.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';
import { type Cluster, refusal } from './connection.ts';
import {
  BEAT,
  decodeBatch,
  encodeBatch,
  type FeedMessage,
  feedStream,
  feedSubject,
  type FeedTerms,
  TERMS,
} from './feed-messages.ts';
import { noteOf, type StreamNote } from '../recording/frame-log.ts';

export interface FeedPublisherOptions {
  readonly name: string;
  /** How long the server keeps messages, and how many bytes of them. */
  readonly keep: { readonly days: number; readonly bytes: number };
  readonly open: () => Promise<Cluster>;
  readonly timers: Timers;
  /** Of this process: its numbers begin at 1. */
  readonly epoch: string;
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
  /** Records were lost: readers need whole books. */
  readonly onLost: () => void;
  readonly bufferBytesMax?: number;
}

/** Some ten minutes of a busy market. */
const BUFFER_BYTES_MAX = 64_000_000;
const RETRY_MS = 1_000;
const ACK = { timeout: 4_000, retries: 1 };
/** A restart of the server takes less. */
const QUIET_MS = 4_000;
/** Number, time, length and checksum of a record. */
const HEAD_BYTES = 40;
/** In UTF-8. */
const CHARACTER_BYTES_MAX = 3;
/** Headers count as payload. */
const HEADER_BYTES = 1_000;
const STOP_MS_MAX = 3_000;
const NS_PER_DAY = 86_400_000_000_000;

export class FeedPublisher {
  readonly #options: FeedPublisherOptions;
  #waiting: StampedFrame[] = [];
  #latest: StampedFrame | undefined = undefined;
  #stream: StreamNote | undefined = undefined;
  readonly #stopBeat: CancelTimer;
  #bytes = 0;
  /** Number of the first record that waits. */
  #next = 1;
  #lost = 0;
  #contracts: ContractsListed['contracts'] = [];
  #terms: FeedTerms | undefined = undefined;
  #cluster: Cluster | undefined = undefined;
  /** When the server made the stream, and the number of its last message, which is ours. */
  #created = '';
  #last: number | undefined = undefined;
  #payloadMax = 1_000_000;
  /** Since when the server takes nothing; undefined while it does. */
  #failedMs: number | undefined = undefined;
  #isAlerted = false;
  #work: Promise<void> | undefined = undefined;
  readonly #end = new AbortController();

  constructor(options: FeedPublisherOptions) {
    this.#options = options;
    // The state of the broker's stream, where nothing waits: a sign of life.
    this.#stopBeat = every(options.timers, BEAT, () => {
      if (this.#work === undefined && this.#stream !== undefined) this.#say(this.#stream);
    });
  }

  take(record: StampedFrame): void {
    if (this.#end.signal.aborted) return;
    this.#latest = record;
    this.#waiting.push(record);
    this.#bytes += sizeOf(record);
    // A tenth at once: to move the others costs more than a record.
    if (this.#bytes > (this.#options.bufferBytesMax ?? BUFFER_BYTES_MAX))
      this.#lost += this.#shift(Math.ceil(this.#waiting.length / 10)).length;
    this.#work ??= this.#publish();
  }

  /** An input of the session: readers need to know some. */
  note(event: EngineEvent): void {
    if (event.kind === 'stream') this.take(noteOf((this.#stream = event)));
    if (event.kind === 'contracts') this.#contracts = event.contracts;
    if (event.kind !== 'reference') return;
    for (const { instrument, reference } of event.rows.toReversed()) {
      const { orderCode = '', streamCode = '', spec } = this.#contracts[instrument] ?? {};
      if (spec?.underlying === 'VN30') this.#terms = { orderCode, streamCode, reference };
    }
  }

  #say({ state, reason }: Pick<StreamNote, 'state' | 'reason'>): void {
    if (this.#latest === undefined) return;
    const { seq, tsUs } = this.#latest;
    this.take(noteOf({ kind: 'stream', seq, tsUs, state, reason }));
  }

  /** Resolves once everything is stored, or after a moment. Readers hear that no more comes. */
  async close(): Promise<void> {
    this.#stopBeat();
    this.#say({ state: 'down', reason: 'its daemon has stopped' });
    const late = pause(STOP_MS_MAX, undefined, { ref: false });
    await Promise.race([this.#work, late]);
    this.#end.abort();
    await this.#cluster?.nc.close();
  }

  async #publish(): Promise<void> {
    const { signal } = this.#end;
    let message: FeedMessage | undefined = undefined;
    await otherWork();
    while ((message !== undefined || this.#waiting.length > 0) && !signal.aborted) {
      try {
        // A server that refuses the user after its restart ends the connection for good.
        if (this.#cluster?.nc.isClosed() === true) this.#cluster = undefined;
        this.#cluster ??= await this.#options.open();
        if (signal.aborted) return await this.#cluster.nc.close();
        if (this.#created === '' || this.#failedMs !== undefined) await this.#makeStream(this.#cluster);
        message ??= this.#cut(this.#cluster);
        if (message !== undefined) await this.#send(this.#cluster, message);
        message = undefined;
        this.#succeeded();
      } catch (error) {
        this.#failed(error);
        await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    this.#work = undefined;
  }

  /** Behind our last message alone: of two publishers the one that began last goes on. */
  async #send(cluster: Cluster, { msgID, payload }: FeedMessage): Promise<void> {
    const { headers: newHeaders } = await import('@nats-io/transport-node');
    const headers = newHeaders();
    if (this.#terms !== undefined) headers.set(TERMS, JSON.stringify(this.#terms));
    const expect = this.#last === undefined ? {} : { lastSequence: this.#last };
    const sent = cluster.js.publish(feedSubject(this.#options.name), payload, {
      ...ACK,
      msgID,
      headers,
      expect,
    });
    const { seq } = await sent.catch(async (error: unknown) => {
      if (errorText(error).includes('wrong last sequence')) await this.#giveWay(cluster);
      throw error;
    });
    this.#last = seq;
  }

  /** A message of no daemon is none of a publisher. */
  async #giveWay({ jsm, nc, url }: Cluster): Promise<void> {
    const { name, alert, epoch } = this.#options;
    this.#last = undefined;
    const last = await jsm.streams.getMessage(feedStream(name), { last_by_subj: feedSubject(name) });
    const msgID = last?.header.get('Nats-Msg-Id') ?? '';
    const other = decodeBatch({ msgID, payload: new Uint8Array() })?.epoch ?? epoch;
    if (other === epoch) return;
    this.#end.abort();
    alert('warning', 'feed_taken', `${url}: another daemon publishes feed ${name}: this one stops doing so`);
    await nc.close();
  }

  async #makeStream({ jsm, url }: Cluster): Promise<void> {
    const { name, keep } = this.#options;
    const limits = { max_age: keep.days * NS_PER_DAY, max_bytes: keep.bytes };
    const config = { name: feedStream(name), subjects: [feedSubject(name)], ...limits };
    const { created } = await jsm.streams.add(config).catch((error: unknown) => {
      if (!errorText(error).includes('different configuration')) throw error;
      return jsm.streams.update(config.name, limits);
    });
    if (this.#created !== '' && this.#created !== created)
      this.#options.alert(
        'warning',
        'feed_store_lost',
        `${url} has lost feed ${name}: its history begins here`,
      );
    if (this.#created !== created) this.#last = undefined;
    this.#created = created;
  }

  #succeeded(): void {
    const { name, alert, onLost } = this.#options;
    const lost = this.#lost === 0 ? 'nothing is lost' : `readers miss ${formatNumber(this.#lost)} records`;
    if (this.#isAlerted) alert('info', 'feed_published', `feed ${name} is published again: ${lost}`);
    this.#failedMs = undefined;
    this.#isAlerted = false;
    if (this.#lost > 0) onLost();
    this.#lost = 0;
  }

  #failed(error: unknown): void {
    if (this.#end.signal.aborted) return;
    const now = performance.now();
    this.#failedMs ??= now - (this.#cluster === undefined ? QUIET_MS : 0);
    if (this.#isAlerted || now - this.#failedMs < QUIET_MS) return;
    this.#isAlerted = true;
    const text = this.#cluster === undefined ? errorText(error) : refusal(this.#cluster.url, error).message;
    const meaning = 'prices wait for it in memory, trading goes on';
    this.#options.alert('warning', 'feed_not_published', `feed ${this.#options.name}: ${text}; ${meaning}`);
  }

  /** What fits into one message; a record that fits into none is lost. */
  #cut({ nc }: Cluster): FeedMessage | undefined {
    // A connection that is interrupted does not know it.
    this.#payloadMax = nc.info?.max_payload ?? this.#payloadMax;
    const largest = this.#payloadMax - HEADER_BYTES;
    const most = largest / CHARACTER_BYTES_MAX;
    let bytes = 0;
    const end = this.#waiting.findIndex((record, i) => (bytes += sizeOf(record)) > most && i > 0);
    const first = this.#next;
    const records = this.#shift(end === -1 ? this.#waiting.length : end);
    const message = encodeBatch({ epoch: this.#options.epoch, first, records });
    if (message.payload.length < largest) return message;
    this.#lost += records.length;
    return undefined;
  }

  #shift(count: number): readonly StampedFrame[] {
    const records = this.#waiting.splice(0, count);
    this.#bytes -= records.reduce((sum, record) => sum + sizeOf(record), 0);
    this.#next += count;
    return records;
  }
}

/** As if each character were a byte: those of prices are. */
const sizeOf = ({ text }: StampedFrame): number => text.length + HEAD_BYTES;
