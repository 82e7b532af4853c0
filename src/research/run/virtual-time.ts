/** The time of a run: its clock, which shows the time of the recording's present row, and the ways of calls and answers. */
import { Random } from '../../venue/market/random.ts';
import { type DurationUs, US_PER_SECOND, type Seq, type TsUs } from '../../domain/units.ts';

/** A fixed span, or a distribution. Draws are seeded: the same run has the same ones. */
export type Latency =
  | { readonly kind: 'constant'; readonly span: DurationUs }
  | { readonly kind: 'uniform'; readonly min: DurationUs; readonly max: DurationUs }
  /** `min` and on top of it an exponential tail of this mean. */
  | { readonly kind: 'exponential'; readonly min: DurationUs; readonly mean: DurationUs }
  /** Drawn from measurements, sorted. */
  | { readonly kind: 'measured'; readonly spans: readonly DurationUs[]; readonly source: string };

export interface LatencyModel {
  /** From our decision to the venue; the delay of the price stream belongs in here. */
  readonly order: Latency;
  /** From the venue back to us: answers and fills, never overtaking each other. */
  readonly report: Latency;
}

/** A delay in microseconds, each time it is called. */
export function latencyDraws(latency: Latency, seed: number): () => number {
  if (latency.kind === 'constant') return () => latency.span;
  const random = new Random(seed);
  switch (latency.kind) {
    case 'uniform':
      return () => latency.min + random.below(latency.max - latency.min + 1);
    case 'exponential':
      return () => latency.min + random.exponential(latency.mean);
    case 'measured':
      return () => latency.spans[random.below(latency.spans.length)] ?? 0;
  }
}

export function describeLatency(latency: Latency): string {
  switch (latency.kind) {
    case 'constant':
      return milliseconds(latency.span);
    case 'uniform':
      return `${milliseconds(latency.min)} to ${milliseconds(latency.max)}, evenly`;
    case 'exponential':
      return `${milliseconds(latency.min)} and an exponential tail of ${milliseconds(latency.mean)}`;
    case 'measured':
      return `drawn from ${latency.spans.length} measured (${latency.source})`;
  }
}

const milliseconds = (us: number): string => `${us / 1_000} ms`;

/** Messages on their way, each with a drawn delay; none overtakes the one before it. */
export class DelayLine<T> {
  /** When the first is due; infinite while there is none. */
  nextUs = Infinity;
  readonly #draw: () => number;
  readonly #items: T[] = [];
  readonly #dueUs: number[] = [];
  #lastUs = -Infinity;

  constructor(latency: Latency, seed: number) {
    this.#draw = latencyDraws(latency, seed);
  }

  send(nowUs: number, item: T): void {
    this.#lastUs = Math.max(this.#lastUs, nowUs + this.#draw());
    this.#items.push(item);
    this.#dueUs.push(this.#lastUs);
    if (this.nextUs === Infinity) this.nextUs = this.#lastUs;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** The first; undefined when there is none. */
  take(): T | undefined {
    this.#dueUs.shift();
    this.nextUs = this.#dueUs[0] ?? Infinity;
    return this.#items.shift();
  }
}

/**
 * Limits reads of one kind to this many a second: a read beyond waits for the next second, one for all requests meanwhile. Without it a
 * strategy that asks again with each answer would ask for ever where answers take no time.
 */
export class ReadPace {
  /** When the waiting read is made; infinite without one. */
  nextUs = Infinity;
  readonly #aSecond: number;
  #second = -1;
  #reads = 0;

  constructor(aSecond: number) {
    this.#aSecond = aSecond;
  }

  request(nowUs: number): void {
    if (this.nextUs !== Infinity) return;
    const second = Math.floor(nowUs / US_PER_SECOND);
    if (second !== this.#second) {
      this.#second = second;
      this.#reads = 0;
    }
    this.#reads += 1;
    this.nextUs = this.#reads <= this.#aSecond ? nowUs : (second + 1) * US_PER_SECOND;
  }

  requestAt(atUs: number): void {
    this.nextUs = atUs;
  }

  /** True once when a read is due. */
  consumeDue(nowUs: number): boolean {
    if (this.nextUs > nowUs) return false;
    this.nextUs = Infinity;
    return true;
  }
}

export class VirtualClock {
  nowUs = 0;
  /** When something is due next: compared with the time of each row. */
  nextUs = -Infinity;
  /** Number of the last event, over all engines of a run. */
  seq = 0;

  reset(): void {
    this.nowUs = 0;
    this.nextUs = -Infinity;
    this.seq = 0;
  }

  /** Something is due earlier than was known. */
  wakeAt(atUs: number): void {
    if (atUs < this.nextUs) this.nextUs = atUs;
  }
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- numbers of the run's own clock */
export const seqOf = (seq: number): Seq => seq as Seq;
export const timeOf = (atUs: number): TsUs => atUs as TsUs;
/* oxlint-enable typescript/no-unsafe-type-assertion */
