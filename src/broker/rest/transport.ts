/** Every call to the broker: one queue, one pace, one origin, and deadlines for the wait and the answer. Each call is sent once. */
import type { Clock, Timers } from '../../domain/clock.ts';
import {
  type DurationUs,
  durationUs,
  minutes,
  seconds,
  type TsUs,
  US_PER_MS,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { InputSink } from '../../engine/ports/engine-event.ts';
import {
  createHttpEdge,
  type HttpEdge,
  type HttpHooks,
  type HttpRequest,
  type HttpResult,
  type HttpTimeouts,
} from './http-edge.ts';
import { laneOf, type Priority, RateLimiter, type RateLimiterOptions } from './rate-limiter.ts';

export interface TransportOptions {
  /** The only host that is ever contacted. */
  readonly baseUrl: string;
  readonly pace: Pick<RateLimiterOptions, 'callsPerSecond' | 'burst'>;
  /** Real time. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly sink: InputSink;
  readonly onSignal: (signal: RestSignal) => void;
  readonly timeouts: HttpTimeouts;
}

interface TransportCall extends HttpHooks {
  readonly operation: string;
  readonly priority: Priority;
  /** Built when its turn has come, so that it carries the token of that moment; a text refuses it. */
  readonly request: () => HttpRequest | string;
}

/** `no_turn`: it never reached a connection, so it was not sent either. */
export type TransportResult = HttpResult | { readonly kind: 'no_turn'; readonly reason: string };

const CONNECTIONS = { orders: 4, reads: 2 };
const ENTRIES_IN_FLIGHT_MAX = 2;
const WAITING_MAX = 200;

/** How long a call may wait for its turn: an old entry is worse than none, an exit is worth waiting for. */
const WAIT_MAX: Readonly<Record<Priority, DurationUs>> = {
  exit: seconds(30),
  lookup: seconds(30),
  book: seconds(30),
  positions: seconds(30),
  entry: seconds(3),
  background: seconds(60),
};

const TOO_MANY = 429;
const SLOW_DOWN_WAIT = seconds(2);
const SLOW_DOWN_WAIT_MAX_SECONDS = 30;

export class Transport {
  readonly #options: TransportOptions;
  readonly #edge: HttpEdge;
  readonly #limiter: RateLimiter;
  readonly #skew: ClockSkewMeter;
  /** Calls so far that had their turn. */
  sent = 0;
  /** Calls that wait for their turn or for their answer. */
  pending = 0;

  constructor(options: TransportOptions) {
    const { baseUrl, pace, clock, timers, sink, timeouts } = options;
    this.#options = options;
    this.#skew = new ClockSkewMeter(clock, sink);
    this.#edge = createHttpEdge({ baseUrl, timers, timeouts, connections: CONNECTIONS });
    this.#limiter = new RateLimiter({
      ...pace,
      timers,
      waitingMax: WAITING_MAX,
      ordersInFlightMax: CONNECTIONS.orders,
      entriesInFlightMax: ENTRIES_IN_FLIGHT_MAX,
      readsInFlightMax: CONNECTIONS.reads,
    });
  }

  send(call: TransportCall): Promise<TransportResult> {
    const waitMax = WAIT_MAX[call.priority];
    this.pending += 1;
    return new Promise<TransportResult>((resolve) => {
      const stop = this.#options.timers.after(waitMax, () => {
        if (withdraw?.() === true) resolve({ kind: 'no_turn', reason: 'waited too long for its turn' });
      });
      const withdraw = this.#limiter.enqueue(call.priority, (done) => {
        stop();
        void this.#run(call, resolve, done);
      });
      if (withdraw !== undefined) return;
      stop();
      resolve({ kind: 'no_turn', reason: 'too many calls wait already' });
    }).finally(() => {
      this.pending -= 1;
    });
  }

  async close(): Promise<void> {
    this.#limiter.close();
    await this.#edge.close();
  }

  async #run(call: TransportCall, end: (result: TransportResult) => void, done: () => void): Promise<void> {
    const request = call.request();
    if (typeof request === 'string') {
      done();
      return end({ kind: 'no_turn', reason: request });
    }
    this.sent += 1;
    let sentAt = this.#options.clock.nowUs();
    const result = await this.#edge.send(laneOf(call.priority), request, {
      ...(call.refuse === undefined ? {} : { refuse: call.refuse }),
      onStart: () => {
        sentAt = this.#options.clock.nowUs();
        call.onStart?.();
      },
    });
    done();
    if (result.kind === 'reply') {
      this.#skew.observe(result.date, sentAt);
      if (result.status === TOO_MANY) this.#slowDown(call.operation, result.retryAfter);
    }
    end(result);
  }

  #slowDown(operation: string, retryAfter: string | undefined): void {
    const retrySeconds = Number(retryAfter ?? Number.NaN);
    const wait =
      retrySeconds > 0 ? seconds(Math.min(retrySeconds, SLOW_DOWN_WAIT_MAX_SECONDS)) : SLOW_DOWN_WAIT;
    this.#limiter.slowDown(wait);
    this.#options.onSignal({ kind: 'slowed_down', operation });
  }
}

/** The `Date` of a slow answer is no measure of our clock. */
const ROUND_TRIP_MAX = 2 * US_PER_SECOND;
const CHANGE_MIN = US_PER_SECOND;
const REPEAT_AFTER = minutes(10);

/** How far our clock is from the broker's `Date` (rulings, 28), to half a second; posted when it changes by more than that. */
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

  /** Positive: our clock is ahead. */
  observe(date: string | undefined, sentAt: TsUs): void {
    const serverUs = Date.parse(date ?? '') * US_PER_MS + US_PER_SECOND / 2;
    const now = this.#clock.nowUs();
    const roundTrip = now - sentAt;
    // No time of ours is that far off: an engine that computes with it fails, and so does each replay of its day.
    if (!Number.isSafeInteger(serverUs) || roundTrip < 0 || roundTrip > ROUND_TRIP_MAX) return;
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

// Signals of the REST client to the operator's side.

export type RestSignal =
  | { readonly kind: 'slowed_down'; readonly operation: string }
  /** A call that moves orders ended without an answer that can be trusted. Alert. */
  | { readonly kind: 'outcome_unknown'; readonly operation: string; readonly reason: string }
  | {
      readonly kind: 'read_failed';
      readonly operation: string;
      readonly reason: string;
      readonly willRetry: boolean;
    };
