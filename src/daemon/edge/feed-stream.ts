/**
 * The price stream of a daemon that has no connection to the broker: frames of a feed, each at the time at which its publisher received it.
 * Market time is late by the delay of the feed, so that a frame is there before its time has come. Prices are live while everything that the
 * server has was taken, and the publisher's own stream is live.
 */
import { Subject } from 'rxjs';
import { FeedReader, type FeedReaderOptions } from '../../cluster/feed-reader.ts';
import { readNote } from '../../cluster/feed-messages.ts';
import { FeedWatch } from '../../broker/stream/feed-watch.ts';
import type {
  StreamSignal,
  StreamState,
  StreamStatus,
  WatchedChannel,
} from '../../broker/stream/stream-signal.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import type { Contract } from '../../domain/contract.ts';
import { isRecord, parseJson } from '../../domain/parsed.ts';
import { durationUs, type InstrumentIndex, seconds, type TsUs, US_PER_SECOND } from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/engine-event.ts';
import type { StampedFrame } from '../../wire/stream/server-frame.ts';
import { CHANNEL_WORDS } from '../../wire/stream/stream-channel.ts';
import type { PriceStream, ReceivedFrame } from './broker-edge.ts';

export interface FeedStreamOptions extends Pick<FeedReaderOptions, 'feed' | 'open'> {
  /** Market time. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly sink: InputSink;
  readonly isContinuous: () => boolean;
  readonly onSignal: (signal: StreamSignal) => void;
  /** Begin of the day: books are made from there on. */
  readonly from: () => TsUs;
}

/** A price that comes so long after its time is worth an alert: the clocks of the machines differ, or the network is slow. */
const LATE_MAX = seconds(2);

/** Why what follows does not continue what came before. */
interface Gap {
  readonly tsUs: TsUs;
  readonly gap: string;
}

export class FeedStream implements PriceStream {
  readonly #options: FeedStreamOptions;
  readonly #feed: FeedWatch;
  readonly #frames = new Subject<ReceivedFrame>();
  readonly frames$ = this.#frames.asObservable();
  readonly #shown = new ShownFrames();
  #reader: FeedReader | undefined = undefined;
  /** What has come, and whose time has not. */
  #due: (StampedFrame | Gap)[] = [];
  #timer: CancelTimer | undefined = undefined;
  #contracts: readonly Contract[] = [];
  #state: StreamState = 'stopped';
  /** Why the publisher has no prices, or null. */
  #publisherDown: string | null = null;
  #isCaughtUp = false;
  #isLate = false;
  #isPlaying = false;
  #connections = 0;

  constructor(options: FeedStreamOptions) {
    this.#options = options;
    this.#feed = new FeedWatch({
      timers: options.timers,
      isContinuous: options.isContinuous,
      resubscribe: () => this.resubscribe(),
      onStale: (what, silence) => {
        options.onSignal({ kind: 'feed_stale', what, silence });
        const reason = `no ${what} for ${silence / US_PER_SECOND} s from feed ${options.feed}`;
        options.sink.post({ kind: 'stream', state: 'stale', reason });
      },
      onSignal: options.onSignal,
      onFresh: (hasReconnected) => {
        options.onSignal({ kind: 'feed_fresh' });
        if (!hasReconnected)
          options.sink.post({ kind: 'stream', state: 'live', reason: 'prices come again' });
      },
      reconnect: () => this.reconnect('prices stay away'),
    });
  }

  start(): void {
    if (this.#reader !== undefined) return;
    const { feed, open, from } = this.#options;
    this.#state = 'connecting';
    this.#options.onSignal({ kind: 'connecting' });
    this.#reader = new FeedReader({
      feed,
      open,
      from: from(),
      listener: {
        onRecords: (records) => this.#take(records),
        onGap: (gap) => this.#take([{ tsUs: this.#due.at(-1)?.tsUs ?? this.#options.clock.nowUs(), gap }]),
        onCaughtUp: () => {
          this.playDue();
          this.#isCaughtUp = true;
          this.#goLive('everything that the feed has was read');
        },
        onDown: (reason) => {
          this.#isCaughtUp = false;
          this.#lose(reason, 'waiting');
        },
      },
    });
  }

  subscribe(contracts: readonly Contract[]): void {
    this.#contracts = contracts;
    if (this.#state === 'live') this.#feed.start(contracts);
  }

  seen(instrument: InstrumentIndex, channel: WatchedChannel): void {
    this.#feed.seen(instrument, channel);
  }

  /** Nothing pauses it. */
  resume(): void {}

  /** Whole books, as the broker answers a subscription. */
  resubscribe(): void {
    if (this.#state !== 'live') return;
    for (const text of this.#shown.all()) this.#frames.next({ text, receivedUs: null });
  }

  reconnect(reason: string): void {
    if (this.#state !== 'live') return;
    this.#lose(reason, 'connecting');
    this.#goLive(reason);
  }

  status(): StreamStatus {
    return {
      state: this.#state,
      isStale: this.#feed.isStale,
      attempts: 0,
      connections: this.#connections,
      unknownControlFrames: 0,
      framesDropped: 0,
    };
  }

  async stop(): Promise<void> {
    await this.#reader?.close();
    this.#isCaughtUp = false;
    this.#timer?.();
    this.#lose('stopped', 'stopped');
  }

  #take(records: readonly (StampedFrame | Gap)[]): void {
    for (const record of records) this.#due.push(record);
    this.playDue();
  }

  /** Brings every frame whose time has come. */
  playDue(): void {
    // A note of the feed enters the engine, which asks for what comes before it.
    if (this.#isPlaying || this.#state === 'stopped') return;
    this.#isPlaying = true;
    const { clock, timers } = this.#options;
    const now = clock.nowUs();
    let played = 0;
    for (const record of this.#due) {
      if (record.tsUs > now) break;
      played += 1;
      this.#play(record, now);
    }
    if (played > 0) this.#due = this.#due.slice(played);
    this.#isPlaying = false;
    this.#timer?.();
    const next = this.#due[0];
    this.#timer = next && timers.after(durationUs(Math.max(0, next.tsUs - now)), () => this.playDue());
  }

  #play(record: StampedFrame | Gap, now: TsUs): void {
    if ('gap' in record) return this.#onGap(record.gap);
    const note = readNote(record);
    if (note !== undefined) {
      const reason = `at the publisher: ${note.reason}`;
      this.#publisherDown = note.state === 'live' ? null : reason;
      return note.state === 'live' ? this.#goLive(reason) : this.#lose(reason, 'connecting');
    }
    const { text, tsUs } = record;
    this.#shown.take(text);
    if (this.#state !== 'live') return;
    if (!this.#isLate && now - tsUs > LATE_MAX)
      this.#options.onSignal({ kind: 'feed_late', by: durationUs(now - tsUs) });
    this.#isLate = now - tsUs > LATE_MAX;
    this.#frames.next({ text, receivedUs: tsUs });
  }

  #onGap(reason: string): void {
    this.#shown.forget();
    if (this.#state !== 'live') return;
    this.#options.onSignal({ kind: 'feed_gap', reason });
    this.#lose(reason, 'connecting');
    this.#goLive('the feed goes on behind the gap');
  }

  #goLive(reason: string): void {
    if (this.#state === 'live' || this.#publisherDown !== null || !this.#isCaughtUp) return;
    this.#state = 'live';
    this.#connections += 1;
    this.#options.onSignal({ kind: 'live' });
    this.#feed.start(this.#contracts);
    this.#options.sink.post({ kind: 'stream', state: 'live', reason });
    this.resubscribe();
  }

  #lose(reason: string, state: StreamState): void {
    const wasLive = this.#state === 'live';
    this.#state = state;
    if (!wasLive) return;
    this.#feed.stop();
    this.#options.onSignal({ kind: 'feed_down', reason });
    this.#options.sink.post({ kind: 'stream', state: 'down', reason });
  }
}

const SHOWN: readonly string[] = [CHANNEL_WORDS.bid.id, CHANNEL_WORDS.offer.id, CHANNEL_WORDS.summary.id];

/** The last books and summaries, merged from frames that have only what changed. */
class ShownFrames {
  readonly #payloads = new Map<string, Record<string, unknown>>();

  take(text: string): void {
    const [, channel = ''] = text.split('|', 2);
    if (!SHOWN.includes(channel)) return;
    const head = `s|${channel}|`;
    const json = parseJson(text.slice(head.length), 'payload');
    if (!json.ok || !isRecord(json.value)) return;
    const key = `${head}${String(json.value['symbol'])}`;
    this.#payloads.set(key, { ...this.#payloads.get(key), ...json.value });
  }

  forget(): void {
    this.#payloads.clear();
  }

  all(): readonly string[] {
    return [...this.#payloads].map(
      ([key, payload]) => `${key.slice(0, 's|00|'.length)}${JSON.stringify(payload)}`,
    );
  }
}
