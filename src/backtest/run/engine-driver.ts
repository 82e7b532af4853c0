/** One engine with its strategies, driven in virtual time: numbers events, and keeps the engine's alarm. */
import type { TradingCalendar } from '../../domain/calendar.ts';
import type { CostSchedule } from '../../domain/costs.ts';
import type { EngineSettings } from '../../domain/settings.ts';
import { Engine } from '../../engine/engine.ts';
import type { EngineEvent, Unsequenced } from '../../engine/ports/engine-event.ts';
import type { Gateway, Journal, PlotSink, Reports } from '../../engine/ports/outbound.ts';
import type { TraderPort } from '../../engine/ports/strategy-port.ts';
import { createStrategyHost, type StrategyInstance } from '../../strategy/index.ts';
import { seqOf, timeOf } from './market-messages.ts';
import type { Sequence, VirtualClock } from './virtual-clock.ts';

export interface EngineDriverParts {
  /** The readings of the broker's contract that are open in life are assumed in it: the venue in process keeps them. */
  readonly settings: EngineSettings;
  readonly calendar: TradingCalendar;
  readonly costs: CostSchedule;
  readonly strategies: readonly StrategyInstance[];
  readonly gateway: Gateway;
  readonly reports: Reports;
  readonly journal: Journal;
  readonly plots: PlotSink;
  readonly clock: VirtualClock;
  readonly onFault: TraderPort['fault'];
  /** Slot 0 names the strategy whose code runs, for the watch of another thread. */
  readonly running: Int32Array | undefined;
  /** Called when work is due earlier than was known. */
  readonly wake: (atUs: number) => void;
}

export class EngineDriver {
  readonly engine: Engine;
  /** Time at which the engine asked for a `clock` event; infinite without one. */
  alarmUs = Infinity;
  readonly #clock: VirtualClock;
  readonly #sequence: Sequence;

  constructor(parts: EngineDriverParts, sequence: Sequence) {
    const { settings, calendar, costs, gateway, reports, journal, plots, clock, wake } = parts;
    this.#clock = clock;
    this.#sequence = sequence;
    const wakeAt = (at: number): void => {
      this.alarmUs = at;
      wake(at);
    };
    const { strategies: instances, onFault, running } = parts;
    const host = createStrategyHost({
      instances,
      onFault,
      ...(running === undefined ? {} : { currentStrategy: running }),
    });
    const outbound = { gateway, reports, journal, alarm: { wakeAt }, plots };
    this.engine = new Engine({ settings, calendar, costs, host, outbound });
  }

  post(event: Unsequenced<EngineEvent>): void {
    this.#sequence.last += 1;
    const sequenced = { ...event, seq: seqOf(this.#sequence.last), tsUs: timeOf(this.#clock.nowUs) };
    this.engine.process(sequenced);
  }

  /** The alarm is due. */
  ring(): void {
    this.alarmUs = Infinity;
    this.#sequence.last += 1;
    this.engine.process({
      kind: 'clock',
      seq: seqOf(this.#sequence.last),
      tsUs: timeOf(this.#clock.nowUs),
    });
  }
}
