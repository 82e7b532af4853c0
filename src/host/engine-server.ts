/** The deterministic core and the strategies behind a message port. Sockets and heartbeats stay on the other side of it. */
import { type DurationUs, durationUs, US_PER_MS } from '../domain/units.ts';
import { Engine } from '../engine/engine.ts';
import type { ReadKind } from '../engine/ports/engine-event.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import type { Outbound } from '../engine/ports/outbound.ts';
import { createStrategyHost, type StrategyDefinition } from '../strategy/index.ts';
import { systemClock } from './system-clock.ts';
import { readPast } from './session-past.ts';
import {
  unpackEvents,
  type EngineThreadData,
  type FromEngine,
  type GatewayCall,
  type EngineOutput,
  type ReplayStep,
  type ToEngine,
} from './worker-protocol.ts';

/** `known`: the journal holds the rows of this past event; `tail`: a kill cut them off, and the first live batch brings them. */
type EventOrigin = 'live' | 'known' | 'tail';

const nothingYet = () => ({
  entries: [] as JournalEntry[],
  calls: [] as GatewayCall[],
  reads: new Set<ReadKind>(),
  pace: null as EngineOutput['pace'],
  wakeAt: null as EngineOutput['wakeAt'],
});

/** Collects the engine's entries, calls and reads while one batch runs. */
class OutputCollector implements Outbound {
  #output = nothingYet();
  origin: EventOrigin = 'live';

  readonly gateway: Outbound['gateway'] = {
    submit: (order) => this.#call({ call: 'place', order }),
    modify: (modify) => this.#call({ call: 'modify', modify }),
    cancel: (cancel) => this.#call({ call: 'cancel', cancel }),
  };
  readonly reports: Outbound['reports'] = {
    read: (what) => {
      if (this.origin === 'live') this.#output.reads.add(what);
    },
    pollPace: (pace) => {
      if (this.origin === 'live') this.#output.pace = pace;
    },
  };
  readonly journal: Outbound['journal'] = {
    append: (entry) => {
      if (this.origin !== 'known') this.#output.entries.push(entry);
    },
  };
  readonly alarm: Outbound['alarm'] = {
    wakeAt: (at) => {
      if (this.origin === 'live') this.#output.wakeAt = at;
    },
  };

  take(took: DurationUs): EngineOutput {
    const { reads, ...output } = this.#output;
    this.#output = nothingYet();
    return { kind: 'outbox', ...output, reads: [...reads], took };
  }

  #call(call: GatewayCall): void {
    if (this.origin === 'live') this.#output.calls.push(call);
  }
}

/** Events of the past between two reads of the clock, and time between two signs of life: each wakes the main thread. */
const REPLAY_PART = 256;
const HEARTBEAT_EVERY_US = 200 * US_PER_MS;

/** The engine's end of the line to the main thread. */
export interface EnginePort {
  postMessage(message: FromEngine): void;
  on(event: 'message', listener: (message: ToEngine) => void): unknown;
}

export function serveEngine(
  port: EnginePort,
  data: EngineThreadData,
  definitionOf: (strategy: string) => StrategyDefinition,
  running: Int32Array = new Int32Array(data.currentStrategy),
): void {
  const outbound = new OutputCollector();
  const host = createStrategyHost({
    instances: data.strategies.map(({ index, id, strategy, params }) => ({
      index,
      id,
      definition: definitionOf(strategy),
      params,
    })),
    currentStrategy: running,
  });
  const { settings, calendar, costs } = data;
  const engine = new Engine({ settings, calendar, costs, outbound, host });
  const answer = (message: FromEngine): void => port.postMessage(message);
  let steps = 0;
  let signUs = systemClock.nowUs();
  const signOfLife = (): void => {
    const now = systemClock.nowUs();
    if (now - signUs < HEARTBEAT_EVERY_US) return;
    signUs = now;
    answer({ kind: 'replaying' });
  };
  const step = ({ event, decisions, olderVersions }: ReplayStep): void => {
    outbound.origin = decisions === null ? 'tail' : 'known';
    engine.replay(event, decisions, olderVersions);
    steps += 1;
    if (steps % REPLAY_PART === 0) signOfLife();
  };
  // Differences that the replay found are journaled with the next event.
  const endReplay = (areReadsSent: boolean): void => {
    outbound.origin = 'live';
    engine.endReplay(areReadsSent);
  };
  port.on('message', (message: ToEngine) => {
    const from = systemClock.nowUs();
    switch (message.kind) {
      case 'events':
        for (const event of unpackEvents(message.events)) engine.process(event);
        return answer(outbound.take(durationUs(systemClock.nowUs() - from)));
      case 'replay':
        engine.noteUnjournaledCalls(message.past.sent);
        answer({ kind: 'replayed', past: readPast(message.past, step), faults: engine.replayFaults() });
        return message.past.decidedUntil === null ? endReplay(false) : undefined;
      case 'catch_up':
        for (const each of message.steps) step(each);
        endReplay(true);
        return answer(outbound.take(durationUs(systemClock.nowUs() - from)));
      case 'view':
        return answer({ kind: 'view', request: message.request, view: engine.snapshot() });
    }
  });
  answer({ kind: 'ready' });
}
