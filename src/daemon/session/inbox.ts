/**
 * Everything that enters the engine, numbered in one sequence. Each input gets its number and its market time here, reaches the
 * file system (frames) or the journal's queue (all else), and only then the engine (rulings, 31).
 *
 * A thread that has enough to do gets no further frame, so that commands and outcomes never wait behind a flood: frames wait here,
 * without a number, and inputs overtake them. An engine that is behind gets `stale` for its prices. Frames that are too many are
 * dropped as a whole, which is the end of the connection for the engine.
 */
import { type OperatorFunction, Subject } from 'rxjs';
import { assert } from '../../domain/assert.ts';
import { errorText, thrownBy } from '../../domain/failure.ts';
import type { Clock } from '../../domain/clock.ts';
import { durationUs, type DurationUs, seconds, seq, type Seq, type TsUs, tsUs } from '../../domain/units.ts';
import {
  type EngineEvent,
  type InputSink,
  journalFailed,
  type MarketEvent,
  type UnnumberedInput,
} from '../../engine/ports/engine-event.ts';
import type { JournaledInput } from '../../journal/compact-input.ts';
import { type FrameLog, noteOf } from '../../recording/frame-log.ts';
import type { StampedFrame } from '../../wire/stream/server-frame.ts';
import type { EngineLink } from '../../host/engine-thread.ts';

export interface InboxOptions {
  readonly clock: Clock;
  /** Real time, whatever the speed of the market is. */
  readonly realClock: Clock;
  readonly engine: Pick<EngineLink, 'canAccept' | 'process'>;
  readonly decode: OperatorFunction<StampedFrame, MarketEvent>;
  readonly recordInput: (input: JournaledInput) => void;
  readonly watch: FrameWatch;
  /** Takes each frame with its number; absent where nobody else reads it. */
  readonly publish?: ((frame: StampedFrame) => void) | undefined;
}

interface FrameWatch {
  /** The next frame of the engine has this time: an input that is posted now goes before it. */
  onFrame(at: TsUs): void;
  /** Frames wait for longer than `LAG_MAX`. */
  onBehind(lag: DurationUs): void;
  /** No frame had to wait for `LAG_MAX` for as long as `CAUGHT_UP_AFTER`. */
  onCaughtUp(): void;
  /** Frames are being dropped from now on. */
  onOverflow(lag: DurationUs): void;
  /** The engine has room again: prices may come again, on a new connection. */
  onRoomAgain(): void;
}

/** A clock of whole milliseconds may be this far behind the last input of the process before. */
const AHEAD_MAX = seconds(1);

/** A disk that stays full must not take the memory too: a restart cannot repeat decisions on further frames. */
const UNWRITTEN_MAX = 100_000;
const WRITTEN_AT_ONCE = 256;

/** About 20 MB. */
export const WAITING_MAX = 100_000;
export const LAG_MAX: DurationUs = seconds(1);
export const CAUGHT_UP_AFTER: DurationUs = seconds(10);
/** Frames that were taken leave the array in blocks. */
const TAKEN_KEPT_MAX = 1_000;
/** A login for each overflow, but not each second. */
export const RECONNECT_EVERY: DurationUs = seconds(60);

interface WaitingFrame {
  readonly text: string;
  readonly receivedUs: TsUs | null;
  readonly at: TsUs;
}

export class Inbox implements InputSink {
  readonly #options: InboxOptions;
  /** Highest number of this session so far; 0 for a new one. */
  lastSeq = 0;
  /** Time goes back within a session only at a start whose clock was set back by more than `AHEAD_MAX`. */
  #lastTsUs = tsUs(0);
  #batch: EngineEvent[] = [];
  readonly #frames$ = new Subject<StampedFrame>();
  /** Index in the batch for the event of the decoded frame: decoding may post `stream`, which has a later number and follows it. */
  #frameIndex = 0;
  /** Opened when a replay has read it. It throws when the disk refuses; then it has taken none of the frames. */
  frameLog: Pick<FrameLog, 'append' | 'close'> | undefined = undefined;
  #unwritten: StampedFrame[] = [];
  /** A full disk is asked again with every event, for one frame: many take as long as to write them. */
  #writtenAtOnce = WRITTEN_AT_ONCE;
  #isScheduled = false;
  #isRefused = false;
  /** Data frames that the engine was given. */
  frames = 0;
  lastFrameUs: TsUs;
  #waiting: WaitingFrame[] = [];
  /** Place of the oldest waiting frame in `#waiting`. */
  #nextWaiting = 0;
  #isBehind = false;
  /** When a frame had waited for too long last. */
  #laggedUs = -Infinity;
  /** Since too many frames waited; null while frames are taken. */
  #droppedCount: number | null = null;
  #reconnectedUs = -Infinity;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.lastFrameUs = options.clock.nowUs();
    this.#frames$.pipe(options.decode).subscribe((event) => this.#enqueue(event, this.#frameIndex));
  }

  /** The next input follows the last one of the replay. A clock that was set back goes on from now; returns by how much, or 0. */
  goOnAfter(lastSeq: number, lastTsUs: TsUs): DurationUs {
    this.lastSeq = lastSeq;
    this.#lastTsUs = lastTsUs;
    const ahead = this.#aheadUs;
    if (ahead <= AHEAD_MAX) return durationUs(0);
    this.#lastTsUs = this.#options.clock.nowUs();
    return ahead;
  }

  /** The time of inputs is ahead of the clock: it pauses, and nothing falls due. */
  get isTimePaused(): boolean {
    return this.#aheadUs > AHEAD_MAX;
  }

  get #aheadUs(): DurationUs {
    return durationUs(Math.max(0, this.#lastTsUs - this.#options.clock.nowUs()));
  }

  /** Prices that come again are not live while the engine is behind: `onCaughtUp` says so later. */
  post(event: UnnumberedInput<EngineEvent>): void {
    if (this.isBehind && event.kind === 'stream' && event.state === 'live') return;
    this.settle();
    const input = sequenced(event, this.#nextSeq(), this.#now());
    this.#options.recordInput(input);
    if (input.kind === 'stream' && this.frameLog !== undefined) this.#unwritten.push(noteOf(input));
    this.#enqueue(input);
  }

  /** Takes the exact text of one data frame, which waits while the engine has enough to do. `receivedUs` null: now. */
  takeFrame(text: string, receivedUs: TsUs | null = null): void {
    if (this.#droppedCount !== null) return this.#dropWaiting(this.#droppedCount);
    const isFree = this.framesWaiting === 0 && this.#canSend;
    if (isFree) this.#enterFrame(text, receivedUs);
    if (isFree && !this.#isBehind) return;
    const now = this.#options.realClock.nowUs();
    if (!isFree) this.#waiting.push({ text, receivedUs, at: now });
    this.#checkLag(now);
  }

  /**
   * A frame is written with the others of its network read, before the engine gets any of them. One that the disk refuses still reaches the
   * engine, because exits need prices; it is written before any later one, or a restart could not repeat the decisions on it. The first
   * refusal freezes entries.
   */
  #enterFrame(text: string, receivedUs: TsUs | null): void {
    this.#options.watch.onFrame(this.#now(receivedUs));
    // Not before an input that went ahead of it.
    const frame = { seq: this.#nextSeq(), tsUs: this.#lastTsUs, text };
    this.#options.publish?.(frame);
    this.frames += 1;
    this.lastFrameUs = frame.tsUs;
    if (this.#unwritten.length < UNWRITTEN_MAX) this.#unwritten.push(frame);
    this.#frameIndex = this.#batch.length;
    this.#frames$.next(frame);
    this.#schedule();
  }

  get framesWaiting(): number {
    return this.#waiting.length - this.#nextWaiting;
  }

  get isEmpty(): boolean {
    return this.framesWaiting === 0 && this.#batch.length === 0;
  }

  /** The engine's prices are old, or it gets none. */
  get isBehind(): boolean {
    return this.#isBehind || this.#droppedCount !== null;
  }

  get #canSend(): boolean {
    return this.#options.engine.canAccept(this.#batch.length);
  }

  /** Frames that wait for a moment are no lag: in a flood, and on a busy machine, some always do. */
  #checkLag(now: TsUs): void {
    const { watch } = this.#options;
    const lag = durationUs(now - (this.#waiting[this.#nextWaiting]?.at ?? now));
    if (this.framesWaiting > WAITING_MAX) {
      this.#droppedCount = this.dropFrames();
      return watch.onOverflow(lag);
    }
    if (lag > LAG_MAX) this.#laggedUs = now;
    if (!this.#isBehind && lag > LAG_MAX) {
      this.#isBehind = true;
      watch.onBehind(lag);
    } else if (this.#isBehind && now - this.#laggedUs >= CAUGHT_UP_AFTER) {
      this.#isBehind = false;
      watch.onCaughtUp();
    }
  }

  /** The engine answered: it may have more frames. */
  release(): void {
    // No frame may have come while it was silent.
    if (this.framesWaiting > 0) this.#checkLag(this.#options.realClock.nowUs());
    for (let frame = this.#waiting[this.#nextWaiting]; frame !== undefined && this.#canSend;) {
      this.#nextWaiting += 1;
      this.#enterFrame(frame.text, frame.receivedUs);
      frame = this.#waiting[this.#nextWaiting];
    }
    if (this.#nextWaiting > TAKEN_KEPT_MAX || (this.#nextWaiting > 0 && this.framesWaiting === 0)) {
      this.#waiting = this.#waiting.slice(this.#nextWaiting);
      this.#nextWaiting = 0;
    }
  }

  /** The connection has ended: its frames go. Returns how many were dropped since it began. */
  dropFrames(): number {
    const dropped = this.framesWaiting + (this.#droppedCount ?? 0);
    this.#waiting = [];
    this.#nextWaiting = 0;
    this.#isBehind = false;
    this.#droppedCount = null;
    return dropped;
  }

  #dropWaiting(before: number): void {
    this.#droppedCount = before + 1;
    const now = this.#options.realClock.nowUs();
    if (!this.#canSend || now - this.#reconnectedUs < RECONNECT_EVERY) return;
    this.#reconnectedUs = now;
    this.#options.watch.onRoomAgain();
  }

  flush(): void {
    this.settle();
    if (this.#batch.length === 0) return;
    const events = this.#batch;
    this.#batch = [];
    this.#options.engine.process(events);
  }

  /** Null when every frame is written. */
  settle(): string | null {
    const thrown = thrownBy(() => this.writeFrames());
    const isFirst = thrown !== null && !this.#isRefused;
    this.#isRefused = thrown !== null;
    if (isFirst) this.post(journalFailed(thrown, 'frames: '));
    return thrown === null ? null : errorText(thrown);
  }

  /** Writes the frames that the disk does not have yet; throws when it refuses them. */
  writeFrames(): void {
    while (this.#unwritten.length > 0) {
      assert(this.frameLog !== undefined, 'frames are recorded after the replay');
      const frames = this.#unwritten.slice(0, this.#writtenAtOnce);
      this.#writtenAtOnce = 1;
      this.frameLog.append(frames);
      this.#writtenAtOnce = WRITTEN_AT_ONCE;
      this.#unwritten = this.#unwritten.slice(frames.length);
    }
  }

  #nextSeq(): Seq {
    this.lastSeq += 1;
    return seq(this.lastSeq);
  }

  #now(receivedUs: TsUs | null = null): TsUs {
    const now = receivedUs ?? this.#options.clock.nowUs();
    if (now <= this.#lastTsUs) return this.#lastTsUs;
    this.#lastTsUs = now;
    return now;
  }

  /** Frames of one network read form one batch: one message to the engine thread instead of many. */
  #enqueue(event: EngineEvent, at = this.#batch.length): void {
    if (at === this.#batch.length) this.#batch.push(event);
    else this.#batch.splice(at, 0, event);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }
}

function sequenced(event: UnnumberedInput<EngineEvent>, number: Seq, at: TsUs): JournaledInput {
  return { ...event, seq: number, tsUs: at } as JournaledInput; // oxlint-disable-line typescript/no-unsafe-type-assertion -- adds the two fields that UnnumberedInput omits
}
