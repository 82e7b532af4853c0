import { afterEach, expect, it } from 'vitest';
import { serveEngine } from '../../src/host/engine-server.ts';
import { systemClock } from '../../src/host/system-clock.ts';
import type { FromEngine, ToEngine } from '../../src/host/worker-protocol.ts';
import { seq } from '../../src/domain/units.ts';
import { eventDecisions } from '../../src/engine/replay/decisions.ts';
import { CALENDAR, COSTS, SETTINGS, timeOf } from '../support/engine-world.ts';

afterEach(() => systemClock.restart());

it('an engine that catches up with much gives signs of life, as in a replay', () => {
  let nowMs = 0;
  const passing = (): number => nowMs;
  systemClock.restart({ wallMs: passing, monotonicMs: passing, uptimeMs: passing });
  const said: FromEngine['kind'][] = [];
  const listeners: ((message: ToEngine) => void)[] = [];
  serveEngine(
    {
      postMessage: ({ kind }) => said.push(kind),
      on: (_, listener) => {
        listeners.push(listener);
      },
    },
    {
      settings: { ...SETTINGS, strategies: [] },
      calendar: CALENDAR,
      costs: COSTS,
      strategies: [],
      followPath: null,
      currentStrategy: new SharedArrayBuffer(4),
    },
    () => {
      throw new Error('no strategy runs');
    },
  );
  const decisions = eventDecisions([]);
  const steps = Array.from({ length: 4_100 }, (_, i) => ({
    // Slow enough to take half a second.
    get event() {
      nowMs += 0.125;
      return { kind: 'clock', seq: seq(i + 1), tsUs: timeOf(10) } as const;
    },
    decisions,
    olderVersions: [],
  }));
  listeners[0]?.({ kind: 'catch_up', steps });
  expect(said).toEqual(['ready', 'replaying', 'replaying', 'outbox']);
});
