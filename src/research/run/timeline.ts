/**
 * Events between two rows of the recording in the order of time; at one moment the market changes its phase, the run takes its sample,
 * calls reach the venue and answers reach us, timers ring, and only then the recording goes on.
 */
import type { Engine } from '../../engine/engine.ts';
import type { EngineEvent, UnnumberedInput } from '../../engine/ports/engine-event.ts';
import type { Alarm } from '../../engine/ports/outbound.ts';
import type { DayMoments } from '../backtest-plan.ts';
import type { RunAccount } from './run-account.ts';
import type { RunBroker } from './run-broker.ts';
import { seqOf, timeOf, type VirtualClock } from './virtual-time.ts';

/** Things that happen at one moment; a strategy with more never lets time go on. */
const STEPS_PER_MOMENT_MAX = 200_000;

export class Timeline implements Alarm {
  engine: Engine | null = null;
  readonly #clock: VirtualClock;
  readonly #broker: RunBroker;
  readonly #account: RunAccount;
  readonly #sampleEveryUs: number;
  /** When the engine asked for a `clock` event. */
  #alarmUs = Infinity;
  #boundaries: DayMoments['boundaries'] = [];
  #boundary = 0;
  #sampleUs = Infinity;

  constructor(clock: VirtualClock, broker: RunBroker, account: RunAccount, sampleEveryUs: number) {
    this.#clock = clock;
    this.#broker = broker;
    this.#account = account;
    this.#sampleEveryUs = sampleEveryUs;
  }

  /** Another engine is made next. */
  leaveEngine(): void {
    this.engine = null;
    this.#alarmUs = Infinity;
  }

  wakeAt(atUs: number): void {
    this.#alarmUs = atUs;
    this.#clock.wakeAt(atUs);
  }

  /** An event of the run itself, now. */
  post(event: UnnumberedInput<EngineEvent>): void {
    this.#clock.seq += 1;
    this.engine?.process({ ...event, seq: seqOf(this.#clock.seq), tsUs: timeOf(this.#clock.nowUs) });
  }

  openDay(boundaries: DayMoments['boundaries'], firstSampleUs: number): void {
    this.#boundaries = boundaries;
    this.#boundary = 0;
    this.#sampleUs = firstSampleUs;
    this.#clock.nextUs = -Infinity;
  }

  /** No more samples until the next day. */
  closeDay(): void {
    this.#sampleUs = Infinity;
  }

  /** Everything that is due at `untilUs` or before. */
  runTo(untilUs: number): void {
    const clock = this.#clock;
    let steps = 0;
    for (let dueUs = this.#earliest(); dueUs <= untilUs; dueUs = this.#earliest()) {
      if (dueUs > clock.nowUs) {
        clock.nowUs = dueUs;
        steps = 0;
      }
      steps += 1;
      if (steps > STEPS_PER_MOMENT_MAX) {
        const at = new Date(clock.nowUs / 1_000).toISOString();
        throw new Error(
          `the run does not get beyond ${at}: expected at most ${STEPS_PER_MOMENT_MAX} timers and answers at one moment, were more; ` +
            'a strategy sets a timer without a length in its own handler, or places an order on each update of an order',
        );
      }
      this.#step(clock.nowUs);
    }
    clock.nextUs = this.#earliest();
    if (untilUs > clock.nowUs) clock.nowUs = untilUs;
  }

  /** One item of due work: its effects may come before the next due item. */
  #step(nowUs: number): void {
    const boundary = this.#boundaries[this.#boundary];
    if (boundary !== undefined && boundary.atUs <= nowUs) {
      this.#boundary += 1;
      return this.#broker.venue.setPhase(boundary.phase, boundary.atUs);
    }
    if (this.#sampleUs <= nowUs) {
      while (this.#sampleUs <= nowUs) this.#sampleUs += this.#sampleEveryUs;
      return this.#account.sample(nowUs, this.#broker.venue.margin.funds());
    }
    const answer = this.#broker.step(nowUs);
    if (answer !== null) {
      this.#clock.seq += 1;
      answer.seq = seqOf(this.#clock.seq);
      answer.tsUs = timeOf(nowUs);
      return this.engine?.process(answer);
    }
    if (this.#alarmUs <= nowUs) {
      this.#alarmUs = Infinity;
      this.post({ kind: 'clock' });
    }
  }

  #earliest(): number {
    const boundaryUs = this.#boundaries[this.#boundary]?.atUs ?? Infinity;
    return Math.min(boundaryUs, this.#sampleUs, this.#broker.nextUs, this.#alarmUs);
  }
}
