/**
 * Events between two rows of the recording, in the order of time; at the same moment in this order: the market changes its
 * phase, the run takes its sample, calls reach the venue and answers reach us, timers ring, and only then the recording goes on.
 * One number says when the next of all this is due.
 */
import type { SessionPhase } from '../../domain/calendar.ts';
import type { PhaseBoundary } from './run-day.ts';
import type { EngineDriver } from './engine-driver.ts';
import { seqOf, timeOf } from './market-messages.ts';
import type { VirtualBroker } from './virtual-broker.ts';
import type { Sequence, VirtualClock } from './virtual-clock.ts';

interface TimelineParts {
  readonly clock: VirtualClock;
  readonly sequence: Sequence;
  readonly broker: VirtualBroker;
  readonly sampleEveryUs: number;
  readonly onPhase: (phase: SessionPhase, atUs: number) => void;
  readonly onSample: (atUs: number) => void;
}

/** Things that happen at one moment; a strategy with more never lets time go on. */
const AT_ONE_MOMENT_MAX = 200_000;

export class Timeline {
  /** Compared with the time of each row. */
  nextUs = -Infinity;
  readonly #parts: TimelineParts;
  #driver: EngineDriver | null = null;
  #boundaries: readonly PhaseBoundary[] = [];
  #boundary = 0;
  #sampleUs = Infinity;

  constructor(parts: TimelineParts) {
    this.#parts = parts;
  }

  /** Something is due earlier than was known. */
  wake(atUs: number): void {
    if (atUs < this.nextUs) this.nextUs = atUs;
  }

  useDriver(driver: EngineDriver | null): void {
    this.#driver = driver;
    this.nextUs = -Infinity;
  }

  openDay(boundaries: readonly PhaseBoundary[], firstSampleUs: number): void {
    this.#boundaries = boundaries;
    this.#boundary = 0;
    this.#sampleUs = firstSampleUs;
    this.nextUs = -Infinity;
  }

  /** No more samples until the next day. */
  closeDay(): void {
    this.#sampleUs = Infinity;
  }

  /** Everything that is due at `untilUs` or before. */
  runTo(untilUs: number): void {
    const { clock } = this.#parts;
    let steps = 0;
    for (let dueUs = this.#earliest(); dueUs <= untilUs; dueUs = this.#earliest()) {
      if (dueUs > clock.nowUs) {
        clock.nowUs = dueUs;
        steps = 0;
      }
      steps += 1;
      if (steps > AT_ONE_MOMENT_MAX) throw standstill(clock.nowUs);
      this.#step(clock.nowUs);
    }
    this.nextUs = this.#earliest();
    if (untilUs > clock.nowUs) clock.nowUs = untilUs;
  }

  /** One thing of what is due: what it brings about may come before what was due next. */
  #step(nowUs: number): void {
    const boundary = this.#boundaries[this.#boundary];
    if (boundary !== undefined && boundary.atUs <= nowUs) {
      this.#boundary += 1;
      return this.#parts.onPhase(boundary.phase, boundary.atUs);
    }
    if (this.#sampleUs <= nowUs) return this.#sample(nowUs);
    const answer = this.#parts.broker.step(nowUs);
    if (answer !== null) {
      this.#parts.sequence.last += 1;
      return this.#driver?.engine.process(answer(seqOf(this.#parts.sequence.last), timeOf(nowUs)));
    }
    if (this.#driver !== null && this.#driver.alarmUs <= nowUs) this.#driver.ring();
  }

  #sample(nowUs: number): void {
    const { sampleEveryUs, onSample } = this.#parts;
    onSample(nowUs);
    while (this.#sampleUs <= nowUs) this.#sampleUs += sampleEveryUs;
  }

  #earliest(): number {
    const boundaryUs = this.#boundaries[this.#boundary]?.atUs ?? Infinity;
    const alarmUs = this.#driver?.alarmUs ?? Infinity;
    return Math.min(boundaryUs, this.#sampleUs, this.#parts.broker.nextUs, alarmUs);
  }
}

const standstill = (nowUs: number): Error =>
  new Error(
    `the run does not get beyond ${new Date(nowUs / 1_000).toISOString()}: expected at most ` +
      `${AT_ONE_MOMENT_MAX} timers and answers at one moment, were more; a strategy sets a timer without a length ` +
      'in its own handler, or places an order on each update of an order',
  );
