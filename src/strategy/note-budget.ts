import { minutes, type TsUs } from '../domain/units.ts';

const NOTES_PER_MINUTE_MAX = 60;
const NOTE_CHARS_MAX = 500;

/** Keeps a strategy that notes on every tick from filling the disk. */
export class NoteBudget {
  #fromUs = -Infinity;
  #spent = 0;

  /** The line to write, or null when the minute's notes are used up. */
  spend(text: string, now: TsUs): string | null {
    if (now - this.#fromUs >= minutes(1)) {
      this.#fromUs = now;
      this.#spent = 0;
    }
    this.#spent += 1;
    if (this.#spent > NOTES_PER_MINUTE_MAX) return null;
    const line = text.length <= NOTE_CHARS_MAX ? text : `${text.slice(0, NOTE_CHARS_MAX - 3)}...`;
    return this.#spent < NOTES_PER_MINUTE_MAX ? line : `${line} (the last note of this minute)`;
  }
}
