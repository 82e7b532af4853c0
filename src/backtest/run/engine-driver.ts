/** One engine with its strategies, driven in virtual time: numbers events, and keeps the engine's alarm. */
import { Engine } from '../../engine/engine.ts';
import type { EngineOptions } from '../../engine/engine-state.ts';
import type { EngineEvent, Unsequenced } from '../../engine/ports/engine-event.ts';
import type { Outbound } from '../../engine/ports/outbound.ts';
import { seqOf, timeOf } from './market-messages.ts';
import type { VirtualClock } from './virtual-clock.ts';

export class EngineDriver {
  readonly engine: Engine;
  /** Time at which the engine asked for a `clock` event; infinite without one. */
  alarmUs = Infinity;
  readonly #clock: VirtualClock;

  constructor(
    options: Omit<EngineOptions, 'outbound'>,
    outbound: Omit<Outbound, 'alarm'>,
    clock: VirtualClock,
  ) {
    this.#clock = clock;
    const wakeAt = (at: number): void => {
      this.alarmUs = at;
      clock.wake(at);
    };
    this.engine = new Engine({ ...options, outbound: { ...outbound, alarm: { wakeAt } } });
  }

  post(event: Unsequenced<EngineEvent>): void {
    this.#clock.seq += 1;
    const sequenced = { ...event, seq: seqOf(this.#clock.seq), tsUs: timeOf(this.#clock.nowUs) };
    this.engine.process(sequenced);
  }

  /** The alarm is due. */
  ring(): void {
    this.alarmUs = Infinity;
    this.post({ kind: 'clock' });
  }
}
