/** Reads a feed from its history on, in order, each record once, through restarts of server and publisher, which knows of no reader. */
import { setTimeout as pause } from 'node:timers/promises';
import type { CancelTimer, Timers } from '../domain/clock.ts';
import { errorText } from '../domain/failure.ts';
import { durationUs, type DurationUs, type TsUs, US_PER_MS, tsUs } from '../domain/units.ts';
import type { StampedFrame } from '../wire/stream/server-frame.ts';
import { type Cluster, refusal } from './connection.ts';
import {
  decodeBatch,
  decodeTerms,
  feedStream,
  type FeedTerms,
  SILENCE,
  TERMS,
  feedSubject,
} from './feed-messages.ts';
import { existsSync } from 'node:fs';
import { dayAt, type TradingDay } from '../domain/civil-date.ts';
import { getOrCreate } from '../domain/lists.ts';
import { createWholeFile, type WholeFile } from '../recording/columns/whole-file.ts';
import { frameLogPath, frameRecords, readNote } from '../recording/frame-log.ts';

/** `begin`: the server has deleted what came first. `lost`: records in between. `restart`: another run of the publisher, or no run at all. */
type FeedGapKind = 'begin' | 'lost' | 'restart';

/** Takes what comes in its order. */
export interface FeedListener {
  onRecords(records: readonly StampedFrame[]): void;
  /** What follows does not continue what came before. */
  onGap(reason: string, gap: FeedGapKind): void;
  /** Everything that the server has was taken. `silence`: why its publisher is taken for dead, or null. */
  onCaughtUp(silence: string | null): void;
  /** Nothing comes until `onCaughtUp`. */
  onDown(reason: string): void;
}

export interface FeedReaderOptions {
  readonly name: string;
  readonly open: () => Promise<Cluster>;
  /** Messages stored before it are left out. */
  readonly from: TsUs;
  readonly listener: FeedListener;
  readonly timers: Timers;
  readonly silenceMax?: DurationUs;
}

const RETRY_MS = 1_000;
/** Messages ahead of the listener. */
const PREFETCHED = 16;

export class FeedReader {
  readonly #options: FeedReaderOptions;
  readonly #end = new AbortController();
  /** Rejects with what the listener throws: that is no failure of the server. */
  readonly ended: Promise<void>;
  #isTelling = false;
  #cluster: Cluster | undefined = undefined;
  #interrupt: () => void = () => {};
  /** Undefined while the publisher is silent or the server away. */
  #stopSilence: CancelTimer | undefined = undefined;
  /** When the server made the stream, and the number of its last message that was read. */
  #created = '';
  #stored = 0;
  #epoch = '';
  /** Number of the record that comes next in the epoch. */
  #next = 0;

  constructor(options: FeedReaderOptions) {
    this.#options = options;
    this.ended = this.#run();
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#stopSilence?.();
    await this.#cluster?.nc.close();
    await this.ended.catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    const { open, name } = this.#options;
    while (!signal.aborted) {
      try {
        // A server that refuses the user after its restart ends the connection for good.
        if (this.#cluster?.nc.isClosed() === true) this.#cluster = undefined;
        if (this.#cluster === undefined) void this.#watchConnection((this.#cluster = await open()));
        if (signal.aborted) await this.#cluster.nc.close();
        await this.#read(this.#cluster);
      } catch (error) {
        if (this.#isTelling) throw error;
        if (!signal.aborted) this.#down(feedProblem(this.#cluster?.url, name, error));
        await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** After each interruption it reads on from where it was, if that is still there. */
  async #watchConnection({ nc, url }: Cluster): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === 'disconnect') this.#down(`${url} does not answer`);
      if (type === 'reconnect') this.#interrupt();
    }
  }

  async #read({ js, jsm }: Cluster): Promise<void> {
    const { name, from, listener } = this.#options;
    const { created, state } = await jsm.streams.info(feedStream(name));
    // A power cut of the server may take its last messages.
    this.#stored = created === this.#created ? Math.min(this.#stored, state.last_seq) : 0;
    this.#created = created;
    const start =
      this.#stored > 0
        ? { deliver_policy: 'by_start_sequence' as const, opt_start_seq: this.#stored + 1 }
        : {
            deliver_policy: 'by_start_time' as const,
            opt_start_time: new Date(from / US_PER_MS).toISOString(),
          };
    if (this.#stored === 0 && state.first_seq > 1 && from < Date.parse(state.first_ts) * US_PER_MS)
      listener.onGap(
        `feed ${name} begins in the middle of its history: the server has deleted what came before`,
        'begin',
      );
    const consumer = await js.consumers.get(feedStream(name), start);
    // Both times are the server's.
    const { created: nowText, num_pending: pending } = await consumer.info(true);
    const silentUs = (Date.parse(nowText) - Date.parse(state.last_ts)) * US_PER_MS;
    const messages = await consumer.consume({ max_messages: PREFETCHED, abort_on_missing_resource: true });
    this.#interrupt = () => messages.stop();
    if (pending === 0) this.#caughtUp(silentUs);
    for await (const { seq, data, headers, info } of messages) {
      this.#stored = seq;
      this.#isTelling = true;
      this.#take(headers?.get('Nats-Msg-Id') ?? '', data);
      this.#isTelling = false;
      if (info.pending === 0) this.#caughtUp(seq > state.last_seq ? 0 : silentUs);
      else if (this.#stopSilence !== undefined) this.#awaitSign(this.#silenceMax);
    }
  }

  #down(reason: string): void {
    this.#stopSilence?.();
    this.#stopSilence = undefined;
    this.#options.listener.onDown(reason);
  }

  /** The last message is as old as `silentUs`. */
  #caughtUp(silentUs: number): void {
    const wasAlive = this.#stopSilence !== undefined;
    const left = this.#silenceMax - silentUs;
    this.#awaitSign(left);
    if (!wasAlive || left <= 0) this.#options.listener.onCaughtUp(left > 0 ? null : this.#silence);
  }

  /** The next message, or the beat of the publisher, comes within so many microseconds. */
  #awaitSign(left: number): void {
    this.#stopSilence?.();
    const { timers } = this.#options;
    this.#stopSilence =
      left > 0 ? timers.after(durationUs(left), () => this.#down(this.#silence)) : undefined;
  }

  get #silence(): string {
    return `the publisher of feed ${this.#options.name} gives no sign of life`;
  }

  get #silenceMax(): DurationUs {
    return this.#options.silenceMax ?? SILENCE;
  }

  #take(msgID: string, payload: Uint8Array): void {
    const { name, listener } = this.#options;
    const batch = decodeBatch({ msgID, payload });
    if (batch === undefined)
      return listener.onGap(`feed ${name} has a message that no daemon has sent`, 'restart');
    const { epoch, first, records } = batch;
    const isSame = epoch === this.#epoch;
    if (!isSame && this.#epoch !== '')
      listener.onGap(`the publisher of feed ${name} has started again`, 'restart');
    if (isSame && first > this.#next)
      listener.onGap(`feed ${name} lacks records ${this.#next} to ${first - 1}`, 'lost');
    const known = isSame ? Math.max(0, this.#next - first) : 0;
    this.#epoch = epoch;
    this.#next = Math.max(isSame ? this.#next : 0, first + records.length);
    if (known < records.length) listener.onRecords(records.slice(known));
  }
}

function feedProblem(url: string | undefined, name: string, error: unknown): string {
  if (url === undefined) return errorText(error);
  return error instanceof Error && /stream not found|no message found/.test(error.message)
    ? `${url} has no feed ${name}: start the daemon that publishes it`
    : refusal(url, error).message;
}

/** Throws where the feed has none. */
export async function readTerms({ jsm, url }: Cluster, name: string): Promise<FeedTerms> {
  const last = { last_by_subj: feedSubject(name) };
  const message = await jsm.streams.getMessage(feedStream(name), last).catch((error: unknown) => {
    throw new Error(feedProblem(url, name, error), { cause: error });
  });
  const text = message?.header.get(TERMS) ?? '';
  if (text === '')
    throw new Error(`${url}: feed ${name} lists no contract yet: its daemon has not opened a session`);
  const terms = decodeTerms(text);
  if (terms === undefined)
    throw new Error(`${url}: feed ${name} has terms that no daemon has sent: ${text.slice(0, 200)}`);
  return terms;
}

// Frame logs of what a feed has, one a day.

/** Frames of each day; null where the server has deleted its start: no log then. Throws where a log is there, or the feed has a gap. */
export async function recordFeed(
  access: Pick<FeedReaderOptions, 'name' | 'open'>,
  dir: string,
  utcOffsetMinutes: number,
): Promise<ReadonlyMap<TradingDay, number | null>> {
  const counts = new Map<TradingDay, number | null>();
  let isCut = false;
  const logs = new Map<TradingDay, WholeFile>();
  const newLog = (day: TradingDay): WholeFile => {
    const path = frameLogPath(dir, day);
    if (existsSync(path)) throw new Error(`${path} is there already: name another folder`);
    return createWholeFile(path, 0o600);
  };
  const write = (frame: StampedFrame): void => {
    if (readNote(frame) !== undefined) return;
    const day = dayAt(frame.tsUs, utcOffsetMinutes);
    if (isCut || counts.get(day) === null) {
      isCut = false;
      return void counts.set(day, null);
    }
    getOrCreate(logs, day, () => newLog(day)).write(frameRecords([frame]));
    counts.set(day, (counts.get(day) ?? 0) + 1);
  };
  const onRecords = (records: readonly StampedFrame[]): void => records.forEach(write);
  let reader: FeedReader | undefined = undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (reason: string): void => reject(new Error(reason));
      // Another run of the publisher is no gap here: it has what the server was sent.
      const onGap: FeedListener['onGap'] = (reason, gap) => {
        isCut ||= gap === 'begin';
        if (gap === 'lost') end(reason);
      };
      const listener = { onRecords, onGap, onCaughtUp: () => resolve(), onDown: end };
      reader = new FeedReader({
        ...access,
        from: tsUs(0),
        listener,
        timers: { after: () => () => undefined },
      });
      reader.ended.catch(reject);
    });
    for (const log of logs.values()) log.keep();
  } finally {
    await (reader as FeedReader | undefined)?.close();
    for (const log of logs.values()) log.drop();
  }
  return counts;
}
