/**
 * Numbers everything that enters the engine in one sequence. Each input gets its number and its market time here, reaches the
 * file system (frames) or the journal's queue (all else), and only then the engine (rulings, 31).
 */
import { type OperatorFunction, Subject } from 'rxjs';
import { failureOf } from '../../domain/failure.ts';
import type { Clock } from '../../domain/clock.ts';
import { durationUs, type DurationUs, seconds, seq, type Seq, type TsUs } from '../../domain/units.ts';
import type { EngineEvent, InputSink, MarketEvent, Unsequenced } from '../../engine/ports/engine-event.ts';
import type { JournaledInput } from '../../journal/compact-input.ts';
import type { StampedFrame } from '../../wire/stream/server-frame.ts';

export interface SequencerOptions {
  readonly clock: Clock;
  /** Highest number of this session so far; 0 for a new one. */
  readonly lastSeq: number;
  /** Time goes back within a session only at a start whose clock was set back by more than `AHEAD_MAX`. */
  readonly lastTsUs: TsUs;
  readonly recordInput: (input: JournaledInput) => void;
  /** Throws when the disk refuses; then it has taken none of them. */
  readonly recordFrames: (frames: readonly StampedFrame[]) => void;
  readonly decode: OperatorFunction<StampedFrame, MarketEvent>;
  readonly deliver: (events: readonly EngineEvent[]) => void;
}

/** A clock of whole milliseconds may be this far behind the last input of the process before. */
const AHEAD_MAX = seconds(1);

/** A disk that stays full must not take the memory too: a restart cannot repeat what was decided on further frames. */
const UNWRITTEN_MAX = 100_000;
const WRITTEN_AT_ONCE = 256;

export class Sequencer implements InputSink {
  readonly #options: SequencerOptions;
  lastSeq: number;
  #lastTsUs: TsUs;
  #batch: EngineEvent[] = [];
  readonly #frames$ = new Subject<StampedFrame>();
  /** A frame may tell that prices come again: that has a later number, and comes after it as in a replay. */
  #framePlace = 0;
  /** Frames that the disk does not have yet, in order. */
  #unwritten: StampedFrame[] = [];
  /** A full disk is asked again with every event, for one frame: many take as long as to write them. */
  #writtenAtOnce = WRITTEN_AT_ONCE;
  #scheduled = false;
  #isDiskFull = false;
  /** Data frames so far. */
  frames = 0;
  /** Time of the last data frame; of the beginning while there was none. */
  lastFrameUs: TsUs;

  constructor(options: SequencerOptions) {
    this.#options = options;
    this.lastSeq = options.lastSeq;
    this.#lastTsUs = options.lastTsUs;
    this.lastFrameUs = options.clock.nowUs();
    this.#frames$.pipe(options.decode).subscribe((event) => this.#enqueue(event, this.#framePlace));
  }

  /**
   * The past is replayed: the next input follows its last one. When the clock was set back since, time goes on from the clock:
   * bars, timers and exits would wait for the old time otherwise. Returns by how much; 0 when it was not.
   */
  goOnAfter(lastSeq: number, lastTsUs: TsUs): DurationUs {
    this.lastSeq = lastSeq;
    this.#lastTsUs = lastTsUs;
    const ahead = this.#aheadUs;
    if (ahead <= AHEAD_MAX) return durationUs(0);
    this.#lastTsUs = this.#options.clock.nowUs();
    return ahead;
  }

  /** The time of inputs is ahead of the clock: it stands still. */
  get isStandingStill(): boolean {
    return this.#aheadUs > AHEAD_MAX;
  }

  get #aheadUs(): DurationUs {
    return durationUs(Math.max(0, this.#lastTsUs - this.#options.clock.nowUs()));
  }

  post(event: Unsequenced<EngineEvent>): void {
    this.settle();
    const input = sequenced(event, this.#nextSeq(), this.#now());
    this.#options.recordInput(input);
    this.#enqueue(input);
  }

  /**
   * Takes the exact text of one data frame. It is written with the others of its network read, before the engine gets any of them. A
   * frame that the disk refuses still reaches the engine, because exits need prices; it is written before any later one, or a restart
   * could not repeat what was decided on it. The first refusal freezes entries.
   */
  frame(text: string): void {
    const frame = { seq: this.#nextSeq(), tsUs: this.#now(), text };
    this.frames += 1;
    this.lastFrameUs = frame.tsUs;
    if (this.#unwritten.length < UNWRITTEN_MAX) this.#unwritten.push(frame);
    this.#framePlace = this.#batch.length;
    this.#frames$.next(frame);
    this.#schedule();
  }

  /** Events that wait for the end of the network read. */
  get waiting(): number {
    return this.#batch.length;
  }

  /** Delivers the waiting batch now. */
  flush(): void {
    this.settle();
    if (this.#batch.length === 0) return;
    const events = this.#batch;
    this.#batch = [];
    this.#options.deliver(events);
  }

  /** Null when every frame is written. */
  settle(): string | null {
    const problem = failureOf(() => this.writeFrames());
    const isFirst = problem !== null && !this.#isDiskFull;
    this.#isDiskFull = problem !== null;
    if (isFirst) this.post({ kind: 'journal_failed', reason: `frames: ${problem}` });
    return problem;
  }

  /** Writes the frames that the disk does not have yet; throws when it refuses them. */
  writeFrames(): void {
    while (this.#unwritten.length > 0) {
      const frames = this.#unwritten.slice(0, this.#writtenAtOnce);
      this.#writtenAtOnce = 1;
      this.#options.recordFrames(frames);
      this.#writtenAtOnce = WRITTEN_AT_ONCE;
      this.#unwritten = this.#unwritten.slice(frames.length);
    }
  }

  #nextSeq(): Seq {
    this.lastSeq += 1;
    return seq(this.lastSeq);
  }

  #now(): TsUs {
    const now = this.#options.clock.nowUs();
    if (now <= this.#lastTsUs) return this.#lastTsUs;
    this.#lastTsUs = now;
    return now;
  }

  /** Frames of one network read form one batch: one message to the engine thread instead of many. */
  #enqueue(event: EngineEvent, place = this.#batch.length): void {
    if (place === this.#batch.length) this.#batch.push(event);
    else this.#batch.splice(place, 0, event);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.flush();
    });
  }
}

function sequenced(event: Unsequenced<EngineEvent>, number: Seq, at: TsUs): JournaledInput {
  return { ...event, seq: number, tsUs: at } as JournaledInput; // oxlint-disable-line typescript/no-unsafe-type-assertion -- adds the two fields that Unsequenced omits
}
