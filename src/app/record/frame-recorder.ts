/** Appends each frame of a stream to a log of its trading day, with its number and the time of receipt. */
import { type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { Clock } from '../../domain/clock.ts';
import { seq, type TsUs, tsUs, US_PER_DAY } from '../../domain/units.ts';
import { type FrameLog, frameLogPath, openFrameLog, readFrames } from '../../recording/frame-log.ts';

export interface FrameRecorderOptions {
  readonly dir: string;
  readonly calendar: TradingCalendar;
  readonly clock: Clock;
  /** Told when the disk refuses frames, and when it takes them again. */
  readonly note: (text: string) => void;
}

interface OpenDay {
  readonly day: TradingDay;
  readonly endUs: number;
  readonly log: FrameLog;
}

export class FrameRecorder {
  readonly #options: FrameRecorderOptions;
  #open: OpenDay | undefined = undefined;
  #seq = 0;
  #lastUs = tsUs(0);
  #frames = 0;
  #lost = 0;
  #isRefused = false;

  constructor(options: FrameRecorderOptions) {
    this.#options = options;
  }

  /** Frames written since the start. */
  get frames(): number {
    return this.#frames;
  }

  /** Frames that the disk did not take. */
  get lost(): number {
    return this.#lost;
  }

  /** Undefined before the first frame of a day. */
  get path(): string | undefined {
    return this.#open?.log.path;
  }

  /** Current trading day; closes the log of an earlier one. */
  today(): TradingDay {
    const now = this.#options.clock.nowUs();
    if (this.#open !== undefined && now >= this.#open.endUs) this.close();
    return this.#open?.day ?? tradingDayAt(this.#options.calendar, now);
  }

  frame(text: string): void {
    try {
      this.#write(text);
      this.#frames += 1;
      if (this.#isRefused) this.#options.note(`frames are recorded again; ${this.#lost} were lost`);
      this.#isRefused = false;
    } catch (error) {
      this.#lost += 1;
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#isRefused) this.#options.note(`frames are NOT recorded: ${reason}`);
      this.#isRefused = true;
    }
  }

  close(): void {
    this.#open?.log.close();
    this.#open = undefined;
  }

  #write(text: string): void {
    const now = this.#options.clock.nowUs();
    if (this.#open !== undefined && now >= this.#open.endUs) this.close();
    const { log } = (this.#open ??= this.#openDay(now));
    const at = tsUs(Math.max(now, this.#lastUs));
    log.append(seq(this.#seq + 1), at, text);
    this.#seq += 1;
    this.#lastUs = at;
  }

  /** Continues the numbers of an earlier run of the same day. */
  #openDay(now: TsUs): OpenDay {
    const { dir, calendar } = this.#options;
    const day = tradingDayAt(calendar, now);
    this.#seq = 0;
    this.#lastUs = tsUs(0);
    for (const frame of readFrames(frameLogPath(dir, day))) {
      this.#seq = frame.seq;
      this.#lastUs = frame.tsUs;
    }
    const endUs = momentOf(day, 0, calendar.utcOffsetMinutes) + US_PER_DAY;
    return { day, endUs, log: openFrameLog(dir, day) };
  }
}
