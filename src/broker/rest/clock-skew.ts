/**
 * How far our clock is from the broker's, from the `Date` of its answers (rulings, 28). `Date` has whole seconds, so one
 * answer is good to about half a second; what is posted are changes that matter, not every answer.
 */
import type { Clock } from '../../domain/clock.ts';
import {
  type DurationUs,
  durationUs,
  minutes,
  type TsUs,
  US_PER_MS,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/input-sink.ts';

/** A slow answer says little about the time at which it was written. */
const ROUND_TRIP_MAX = 2 * US_PER_SECOND;
const CHANGE_MIN = US_PER_SECOND;
const REPEAT_AFTER = minutes(10);

export class ClockSkewMeter {
  readonly #clock: Clock;
  readonly #sink: InputSink;
  #postedSkewUs: number | undefined = undefined;
  #postedAt = 0;

  /** `clock` is real time. */
  constructor(clock: Clock, sink: InputSink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  now(): TsUs {
    return this.#clock.nowUs();
  }

  /** Positive: our clock is ahead. */
  observe(date: string | undefined, sentAt: TsUs): void {
    const server = date === undefined ? Number.NaN : Date.parse(date);
    const now = this.#clock.nowUs();
    const roundTrip = now - sentAt;
    if (!Number.isFinite(server) || roundTrip < 0 || roundTrip > ROUND_TRIP_MAX) return;
    const serverUs = server * US_PER_MS + US_PER_SECOND / 2;
    this.#post(Math.round(sentAt + roundTrip / 2 - serverUs), durationUs(roundTrip), now);
  }

  #post(skewUs: number, roundTrip: DurationUs, now: TsUs): void {
    const last = this.#postedSkewUs;
    if (last !== undefined && Math.abs(skewUs - last) < CHANGE_MIN && now - this.#postedAt < REPEAT_AFTER)
      return;
    this.#postedSkewUs = skewUs;
    this.#postedAt = now;
    this.#sink.post({ kind: 'clock_skew', skewUs, roundTrip });
  }
}
