/** An engine that fails again and again ends no process. */
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { NEVER } from 'rxjs';
import { SessionCycle } from '../../../src/daemon/session/session-cycle.ts';
import { PriceBoard } from '../../../src/daemon/edge/price-board.ts';
import type { SessionContext } from '../../../src/daemon/session/trading-session.ts';
import { type ReplayedPast, type ToEngine, unpackEvents } from '../../../src/host/worker-protocol.ts';
import { REAL_TIME } from '../../../src/host/system-clock.ts';
import type { EngineEvent } from '../../../src/engine/ports/engine-event.ts';
import { clientOrderId, StrategyNames } from '../../../src/domain/ids.ts';
import { durationUs, tsUs } from '../../../src/domain/units.ts';
import { ReplaceableCalendar } from '../../../src/domain/calendar.ts';
import { CATALOG } from '../../../strategies/catalog.ts';
import { SHIPPED } from '../../config/config-files.ts';
import { openStore } from '../../journal/journal-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { loadConfig } from '../../../src/config/config.ts';

/** An engine that dies of its first message. */
class Dying extends EventEmitter {
  postMessage(): void {
    queueMicrotask(() => this.emit('error', new Error('Invariant: broken')));
  }

  async terminate(): Promise<void> {}
}

/** Numbers grow from engine to engine: the journal takes each once. */
const replayedUntil = (lastSeq: number): ReplayedPast => ({
  inputs: 0,
  frames: 0,
  framesMissing: 0,
  lastSeq,
  lastTsUs: tsUs(0),
  lastHaltCommand: 0,
  framesEnd: { wholeBytes: 0, tornBytes: 0, damage: [] },
  names: [],
});

/** That of place 0 dies while the code of the first strategy runs; others take all messages, and keep the events. */
class DyingOnce extends EventEmitter {
  readonly events: EngineEvent[] = [];
  readonly #isFirst: boolean;
  readonly #after: number;

  constructor(place: number, currentStrategy: SharedArrayBuffer) {
    super();
    const isFirst = place === 0;
    this.#isFirst = isFirst;
    this.#after = place * 1_000;
    if (isFirst) new Int32Array(currentStrategy)[0] = 0;
  }

  postMessage(message: ToEngine): void {
    if (message.kind === 'events') this.events.push(...unpackEvents(message.events));
    queueMicrotask(() => {
      if (this.#isFirst) this.emit('error', new Error('hung'));
      else if (message.kind === 'replay')
        this.emit('message', { kind: 'replayed', past: replayedUntil(this.#after) });
      else if (message.kind === 'view')
        this.emit('message', { kind: 'view', request: message.request, view: undefined });
      else if (message.kind === 'events')
        this.emit('message', {
          kind: 'outbox',
          entries: [],
          calls: [],
          reads: [],
          pace: null,
          wakeAt: null,
          took: 0,
        });
    });
  }

  async terminate(): Promise<void> {}
}

/** The engines that were started, and how; the first has this place. */
function startsFrom(place: number) {
  const engines: DyingOnce[] = [];
  const start: Start = ({ currentStrategy }) => {
    const engine = new DyingOnce(place + engines.length, currentStrategy);
    engines.push(engine);
    return engine;
  };
  return { engines, start };
}

type Start = (data: {
  readonly strategies: readonly unknown[];
  readonly currentStrategy: SharedArrayBuffer;
}) => EventEmitter;

function cycleWith(startEngine: Start, isSupervised = true, settled = Promise.resolve()) {
  const loaded = loadConfig(join(SHIPPED, 'paper.yaml'), CATALOG);
  if (!loaded.ok) throw new Error('expected a configuration');
  const dir = tempDir();
  const journal = join(dir, 'journal.db');
  const { store } = openStore(journal);
  const degraded: string[] = [];
  const failures: unknown[] = [];
  let problem: string | null = null;
  const halt = {
    reason: null,
    begin: vi.fn(),
    writeEngineRows: () => undefined,
    markDelivered: () => undefined,
  };
  const stream = {
    status: () => ({ state: 'down', isStale: false }),
    subscribe: () => undefined,
    resubscribe: vi.fn(),
  };
  const edge = {
    calls: { sent: 0 },
    table: { reset: () => undefined, listed: [], contracts: [] },
    stream,
    frames$: NEVER,
    gateway: { settled: () => settled },
    reports: { read: () => queueMicrotask(() => cycle.post({ kind: 'contracts', contracts: [] })) },
  };
  const context = {
    config: loaded.config,
    names: new StrategyNames(loaded.config.strategies.map(({ id }) => id)),
    clockMap: REAL_TIME,
    journal: store,
    paths: { dir, journal, frames: join(dir, 'frames') },
    edge,
    halt,
    accountTail: '123456',
    startEngine,
    startStamp: () => 'abcdef0123',
    unjournaled: () => ({ owners: [], changes: [], cancels: [] }),
    onEntry: () => undefined,
    alert: (_severity: string, _code: string, text: string) => void degraded.push(text),
    prices: new PriceBoard(() => []),
  } as unknown as SessionContext;
  const cycle: SessionCycle = new SessionCycle({
    context,
    calendar: new ReplaceableCalendar(loaded.config.calendar),
    note: () => undefined,
    excluded: new Map(),
    programProblem: () => problem,
    isSupervised,
    onLost: () => undefined,
    onGone: () => undefined,
    onFailure: (error) => failures.push(error),
  });
  const close = async (): Promise<void> => {
    await cycle.close();
    store.close();
  };
  const replaceProgram = (): void => {
    problem = 'another build';
  };
  return { cycle, config: loaded.config, halt, stream, degraded, failures, store, close, replaceProgram };
}

it('goes on without strategies after the second failure, then without an engine, halted and alerted', async () => {
  const starts: number[] = [];
  const { cycle, config, halt, degraded, failures, close } = cycleWith(({ strategies }) => {
    starts.push(strategies.length);
    return new Dying();
  });
  await cycle.open();
  await vi.waitFor(() => expect(degraded).toHaveLength(1));
  const all = config.strategies.length;
  expect([starts, failures]).toEqual([[all, all, 0], []]);
  expect(degraded[0]).toContain('Invariant: broken');
  expect(halt.begin).toHaveBeenCalledWith(degraded[0]);
  expect(cycle.session).toBeUndefined();
  await close();
});

it('stops a strategy that hung in each later engine', async () => {
  const { engines, start } = startsFrom(0);
  const { cycle, failures, close } = cycleWith(start);
  const commands = (place: number) =>
    engines[place]?.events.flatMap((event) => (event.kind === 'command' ? [event.command] : []));
  await cycle.open();
  await vi.waitFor(() => expect(engines).toHaveLength(2));
  await vi.waitFor(() => expect(commands(1)).toHaveLength(1));
  engines[1]?.emit('error', new Error('broken'));
  const stop = expect.objectContaining({ name: 'stop_strategy', strategy: 0 });
  await vi.waitFor(() => expect(commands(2)).toEqual([stop]));
  expect(failures).toEqual([]);
  await close();
});

it('gives an engine nothing, and the journal neither, where that does not take the number of its start', async () => {
  const { cycle, store, close } = cycleWith(startsFrom(1).start);
  vi.spyOn(store, 'nextBoot').mockImplementationOnce(() => {
    throw new Error('another error than a locked journal');
  });
  await expect(cycle.open()).rejects.toThrow('another error');
  store.flush();
  const inputs = store.read.sessions().flatMap(({ day }) => [...store.read.inputs(day)]);
  expect(inputs).toEqual([]);
  await close();
});

it('starts no engine while a call of the one before has no outcome: its order may still leave', async () => {
  const { engines, start } = startsFrom(1);
  const outcome = new EventEmitter();
  const settled = once(outcome, 'known').then(() => undefined);
  const { cycle, close } = cycleWith(start, true, settled);
  await cycle.open();
  engines[0]?.emit('error', new Error('broken'));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  expect(engines).toHaveLength(1);
  outcome.emit('known');
  await vi.waitFor(() => expect(engines).toHaveLength(2));
  await close();
});

it('keeps an answer that comes between two sessions for the one that begins', async () => {
  const { engines, start } = startsFrom(1);
  const { cycle, close } = cycleWith(start);
  const received = () => engines[0]?.events.map(({ kind }) => kind) ?? [];
  const id = clientOrderId('H.1');
  const outcome = { status: 'unknown', reason: 'timeout' } as const;
  const answer = { call: 'place', callId: id, clientOrderId: id, outcome } as const;
  cycle.post({ kind: 'execution_report', answer, news: null });
  await cycle.open();
  await vi.waitFor(() => expect(received()).toContain('execution_report'));
  expect(received().indexOf('execution_report')).toBeGreaterThan(received().indexOf('booted'));
  await close();
});

it("sends each engine, once, how far the clock is from the broker's, which is measured before", async () => {
  const { engines, start } = startsFrom(1);
  const { cycle, close } = cycleWith(start);
  const skews = (place: number) =>
    engines[place]?.events.flatMap((event) => (event.kind === 'clock_skew' ? [event.skewUs] : []));
  cycle.post({ kind: 'clock_skew', skewUs: 30_000_000, roundTrip: durationUs(1) });
  await cycle.open();
  await vi.waitFor(() => expect(skews(0)).toEqual([30_000_000]));
  cycle.post({ kind: 'clock_skew', skewUs: -12_000_000, roundTrip: durationUs(1) });
  engines[0]?.emit('error', new Error('broken'));
  await vi.waitFor(() => expect(skews(1)).toEqual([-12_000_000]));
  await close();
});

it('starts no engine of a program that was built again meanwhile', async () => {
  const { engines, start } = startsFrom(1);
  const { cycle, failures, close, replaceProgram } = cycleWith(start);
  await cycle.open();
  replaceProgram();
  engines[0]?.emit('error', new Error('broken'));
  await vi.waitFor(() => expect(failures).toEqual([new Error('another build')]));
  expect(engines).toHaveLength(1);
  await close();
});

it('reminds a person of another program where nobody starts it again', async () => {
  const { engines, start } = startsFrom(1);
  const { cycle, failures, degraded, halt, close, replaceProgram } = cycleWith(start, false);
  await cycle.open();
  replaceProgram();
  engines[0]?.emit('error', new Error('broken'));
  await vi.waitFor(() => expect(degraded.at(-1)).toMatch(/^another build: until then no engine runs/));
  expect(cycle.degraded).toBe(degraded.at(-1));
  expect(halt.begin, 'entries of the lost engine are swept').toHaveBeenCalledOnce();
  expect([engines.length, failures]).toEqual([1, []]);
  await close();
});

it.each([false, true])(
  'sends an engine on a live connection the state of that, stale: %s',
  async (isStale) => {
    const { engines, start } = startsFrom(1);
    const { cycle, stream, close } = cycleWith(start);
    stream.status = () => ({ state: 'live', isStale });
    await cycle.open();
    cycle.post({ kind: 'clock_skew', skewUs: 0, roundTrip: durationUs(1) });
    const received = () =>
      engines[0]?.events.flatMap((event) => {
        if (event.kind === 'stream') return [event.state];
        return event.kind === 'clock_skew' ? ['end'] : [];
      });
    await vi.waitFor(() => expect(received()).toContain('end'));
    expect(received()).toEqual([isStale ? 'stale' : 'live', 'end']);
    expect(stream.resubscribe, 'its books are empty').toHaveBeenCalledOnce();
    await close();
  },
);
