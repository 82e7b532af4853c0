/**
 * One pace for all calls. Exits and cancels go first, then look-ups, the book, positions and the rest; but
 * neither side starves the other: a side that was passed over twice is next, so that reads and orders each keep a third. Nor do book and
 * positions, which may be read without a pause until they agree, starve the reads behind them.
 * It uses timers alone, so a clock that steps cannot confuse it.
 */
import { assert } from '../../domain/assert.ts';
import type { CancelTimer, Timers } from '../../domain/clock.ts';
import { type DurationUs, durationUs, milliseconds, seconds, US_PER_SECOND } from '../../domain/units.ts';

export type Priority = 'exit' | 'lookup' | 'book' | 'positions' | 'entry' | 'background';
export type Lane = 'orders' | 'reads';

const BY_PRIORITY: readonly Priority[] = ['exit', 'lookup', 'book', 'positions', 'entry', 'background'];
export const laneOf = (priority: Priority): Lane =>
  priority === 'exit' || priority === 'entry' ? 'orders' : 'reads';

/** In a pause an exit, a flatten and the kill path go on, and with them the reads that they need. */
const ALLOWED_IN_PAUSE: ReadonlySet<Priority> = new Set(['exit', 'lookup', 'positions']);
const PASSED_OVER_MAX = 2;
/** Other reads that go while one in the background waits. */
const READS_BEFORE_BACKGROUND_MAX = 4;
const SLOWNESS_MAX = 8;
const RECOVERY = seconds(30);
const REFILL_MIN = milliseconds(5);

export interface RateLimiterOptions {
  readonly timers: Timers;
  readonly callsPerSecond: number;
  /** Calls that may go at once after a quiet time. */
  readonly burst: number;
  /** Calls of one priority that may wait; one more is refused. */
  readonly waitingMax: number;
  readonly ordersInFlightMax: number;
  /** Fewer than all orders, so that hanging entries leave room for exits. */
  readonly entriesInFlightMax: number;
  readonly readsInFlightMax: number;
}

/** Gives up a place in the queue; false when the call already left. */
export type LeaveQueue = () => boolean;

interface QueuedCall {
  readonly priority: Priority;
  readonly run: (done: () => void) => void;
  state: 'waiting' | 'running' | 'over';
}

export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #waiting: Readonly<Record<Priority, QueuedCall[]>> = {
    exit: [],
    lookup: [],
    book: [],
    positions: [],
    entry: [],
    background: [],
  };
  readonly #inFlight: Record<Lane | 'entries', number> = { orders: 0, reads: 0, entries: 0 };
  readonly #passedOver: Record<Lane, number> = { orders: 0, reads: 0 };
  #readsBeforeBackground = 0;
  #available = 0;
  /** Fraction of a call that the last refill earned. */
  #earned = 0;
  /** How many times slower than configured, 1 when not. */
  slowness = 1;
  #pumping = false;
  #isPaused = false;
  #refill: CancelTimer | undefined = undefined;
  #recovery: CancelTimer | undefined = undefined;
  #pause: CancelTimer | undefined = undefined;

  constructor(options: RateLimiterOptions) {
    assert(options.callsPerSecond > 0 && options.burst >= 1, 'a limiter lets something through');
    assert(options.entriesInFlightMax < options.ordersInFlightMax, 'entries leave room for exits');
    this.#options = options;
    this.#available = options.burst;
  }

  /** Runs `run` when its turn comes, perhaps at once, until it calls `done`. Undefined when too many of its kind wait. */
  enqueue(priority: Priority, run: (done: () => void) => void): LeaveQueue | undefined {
    const queue = this.#waiting[priority];
    if (queue.length >= this.#options.waitingMax) return undefined;
    const entry: QueuedCall = { priority, run, state: 'waiting' };
    queue.push(entry);
    this.#pump();
    return () => this.#leaveQueue(entry);
  }

  /** After HTTP 429: half the pace for a while, and for `wait` only what takes risk away. */
  slowDown(wait: DurationUs): void {
    this.slowness = Math.min(this.slowness * 2, SLOWNESS_MAX);
    this.#available = 0;
    this.#startRefill();
    this.#recovery?.();
    this.#recovery = this.#options.timers.after(RECOVERY, () => this.#recover());
    this.#pause?.();
    this.#isPaused = wait > 0;
    this.#pause = this.#options.timers.after(wait, () => {
      this.#isPaused = false;
      this.#pump();
    });
  }

  close(): void {
    this.#refill?.();
    this.#recovery?.();
    this.#pause?.();
    this.#refill = this.#recovery = this.#pause = undefined;
  }

  #recover(): void {
    this.slowness = Math.max(1, this.slowness / 2);
    this.#recovery =
      this.slowness > 1 ? this.#options.timers.after(RECOVERY, () => this.#recover()) : undefined;
  }

  #leaveQueue(entry: QueuedCall): boolean {
    if (entry.state !== 'waiting') return false;
    entry.state = 'over';
    const queue = this.#waiting[entry.priority];
    queue.splice(queue.indexOf(entry), 1);
    return true;
  }

  #done(entry: QueuedCall): void {
    if (entry.state !== 'running') return;
    entry.state = 'over';
    this.#count(entry.priority, -1);
    this.#pump();
  }

  #count(priority: Priority, by: 1 | -1): void {
    this.#inFlight[laneOf(priority)] += by;
    if (priority === 'entry') this.#inFlight.entries += by;
  }

  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#available > 0) {
        const next = this.#next();
        if (next === undefined) break;
        this.#available -= 1;
        this.#startRefill();
        this.#count(next.priority, 1);
        next.state = 'running';
        next.run(() => this.#done(next));
      }
    } finally {
      this.#pumping = false;
    }
  }

  #next(): QueuedCall | undefined {
    const orders = this.#firstOf('orders');
    const reads = this.#firstOf('reads');
    const chosen = this.#choose(orders, reads);
    if (chosen === undefined) return undefined;
    const lane = laneOf(chosen);
    const other: Lane = lane === 'orders' ? 'reads' : 'orders';
    const otherWaits = (lane === 'orders' ? reads : orders) !== undefined;
    this.#passedOver[lane] = 0;
    this.#passedOver[other] = otherWaits ? this.#passedOver[other] + 1 : 0;
    if (chosen === 'background' || this.#waiting.background.length === 0) this.#readsBeforeBackground = 0;
    else if (lane === 'reads') this.#readsBeforeBackground += 1;
    return this.#waiting[chosen].shift();
  }

  #choose(orders: Priority | undefined, reads: Priority | undefined): Priority | undefined {
    if (orders === undefined || reads === undefined) return orders ?? reads;
    if (this.#passedOver.reads >= PASSED_OVER_MAX) return reads;
    if (this.#passedOver.orders >= PASSED_OVER_MAX) return orders;
    return BY_PRIORITY.indexOf(orders) < BY_PRIORITY.indexOf(reads) ? orders : reads;
  }

  #firstOf(lane: Lane): Priority | undefined {
    const limit = lane === 'orders' ? this.#options.ordersInFlightMax : this.#options.readsInFlightMax;
    if (this.#inFlight[lane] >= limit) return undefined;
    const isDue = lane === 'reads' && this.#readsBeforeBackground >= READS_BEFORE_BACKGROUND_MAX;
    if (isDue && this.#mayRun('background')) return 'background';
    return BY_PRIORITY.find((priority) => laneOf(priority) === lane && this.#mayRun(priority));
  }

  #mayRun(priority: Priority): boolean {
    if (this.#waiting[priority].length === 0) return false;
    if (this.#isPaused && !ALLOWED_IN_PAUSE.has(priority)) return false;
    return priority !== 'entry' || this.#inFlight.entries < this.#options.entriesInFlightMax;
  }

  /** Timers are no finer than a few milliseconds: a faster pace adds several calls at each one. */
  #startRefill(): void {
    if (this.#refill !== undefined) return;
    const one = (US_PER_SECOND * this.slowness) / this.#options.callsPerSecond;
    const span = Math.max(one, REFILL_MIN);
    this.#refill = this.#options.timers.after(durationUs(Math.ceil(span)), () => {
      this.#refill = undefined;
      this.#earned += span / one;
      const whole = Math.floor(this.#earned);
      this.#earned -= whole;
      this.#available = Math.min(this.#options.burst, this.#available + whole);
      if (this.#available < this.#options.burst) this.#startRefill();
      this.#pump();
    });
  }
}
