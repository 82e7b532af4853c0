/**
 * Frames on their way to the engine thread. A thread that has enough to do gets no further frame, so that commands and outcomes
 * never wait behind a flood: frames wait here, without a number, and inputs overtake them. An engine that is behind is told
 * that prices are stale. A queue that is full is dropped as a whole, which is the end of the connection for the engine.
 */
import type { Clock } from '../../domain/clock.ts';
import { type DurationUs, durationUs, seconds, type TsUs } from '../../domain/units.ts';

export interface FrameQueueOptions {
  /** Real time, whatever the speed of the market is. */
  readonly clock: Clock;
  readonly hasRoom: () => boolean;
  readonly take: (text: string) => void;
  /** Frames wait for longer than `LAG_MAX`. */
  readonly onBehind: (lag: DurationUs) => void;
  /** No frame had to wait for `LAG_MAX` for as long as `CALM`. */
  readonly onCaughtUp: () => void;
  /** Frames are being dropped from now on. */
  readonly onOverflow: (lag: DurationUs) => void;
  /** The engine has room again: prices may come again, on a new connection. */
  readonly reconnect: () => void;
}

/** About 20 MB. */
export const WAITING_MAX = 100_000;
export const LAG_MAX: DurationUs = seconds(1);
export const CALM: DurationUs = seconds(10);
/** Frames that were taken leave the array in blocks. */
const TAKEN_KEPT_MAX = 1_000;
/** A login for each overflow, but not each second. */
export const RECONNECT_EVERY: DurationUs = seconds(60);

interface WaitingFrame {
  readonly text: string;
  readonly at: TsUs;
}

export class FrameQueue {
  readonly #options: FrameQueueOptions;
  #waiting: WaitingFrame[] = [];
  /** Place of the oldest waiting frame in `#waiting`. */
  #next = 0;
  #isBehind = false;
  /** When a frame had waited for too long last. */
  #lateUs = -Infinity;
  /** Since the queue was full; null while frames are taken. */
  #dropped: number | null = null;
  #reconnectedUs = -Infinity;

  constructor(options: FrameQueueOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#waiting.length - this.#next;
  }

  /** The engine's prices are old, or it gets none. */
  get isBehind(): boolean {
    return this.#isBehind || this.#dropped !== null;
  }

  frame(text: string): void {
    if (this.#dropped !== null) return this.#drop(this.#dropped);
    const isFree = this.length === 0 && this.#options.hasRoom();
    if (isFree) this.#options.take(text);
    if (isFree && !this.#isBehind) return;
    const now = this.#options.clock.nowUs();
    if (!isFree) this.#waiting.push({ text, at: now });
    this.#judge(now);
  }

  /** Frames that wait for a moment are no lag: in a flood, and on a busy machine, some always do. */
  #judge(now: TsUs): void {
    const lag = this.#lag(now);
    if (this.length > WAITING_MAX) return this.#overflow(lag);
    if (lag > LAG_MAX) this.#lateUs = now;
    if (!this.#isBehind && lag > LAG_MAX) {
      this.#isBehind = true;
      this.#options.onBehind(lag);
    } else if (this.#isBehind && now - this.#lateUs >= CALM) {
      this.#isBehind = false;
      this.#options.onCaughtUp();
    }
  }

  /** The engine answered: it may have more. */
  release(): void {
    const { hasRoom, take } = this.#options;
    for (let frame = this.#waiting[this.#next]; frame !== undefined && hasRoom();) {
      this.#next += 1;
      take(frame.text);
      frame = this.#waiting[this.#next];
    }
    if (this.#next === this.#waiting.length) this.#empty();
    else if (this.#next > TAKEN_KEPT_MAX) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
  }

  /** The connection has ended: its frames go. Returns how many were dropped since it began. */
  clear(): number {
    const dropped = this.length + (this.#dropped ?? 0);
    this.#empty();
    this.#isBehind = false;
    this.#dropped = null;
    return dropped;
  }

  #empty(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  #lag(now: TsUs): DurationUs {
    return durationUs(now - (this.#waiting[this.#next]?.at ?? now));
  }

  #overflow(lag: DurationUs): void {
    this.#dropped = this.clear();
    this.#options.onOverflow(lag);
  }

  #drop(before: number): void {
    this.#dropped = before + 1;
    const now = this.#options.clock.nowUs();
    if (!this.#options.hasRoom() || now - this.#reconnectedUs < RECONNECT_EVERY) return;
    this.#reconnectedUs = now;
    this.#options.reconnect();
  }
}
