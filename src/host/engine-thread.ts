/** The main thread's side of the engine thread: batches, decisions, and strategy code that hangs (rulings, 32). */
import type { CancelTimer } from '../domain/clock.ts';
import { assert } from '../domain/assert.ts';
import { getOrCreate } from '../domain/lists.ts';
import { hasCode } from '../domain/failure.ts';
import { type DurationUs, seconds, type StrategyIndex, strategyIndex, US_PER_MS } from '../domain/units.ts';
import type { EngineEvent } from '../engine/ports/engine-event.ts';
import type { EngineSnapshot } from '../engine/engine-snapshot.ts';
import { systemTimers } from './system-clock.ts';
import {
  type EngineOutput,
  type EngineThreadData,
  type FromEngine,
  packEvents,
  type ReplayRequest,
  type ReplayStep,
  type ToEngine,
} from './worker-protocol.ts';
import type { JournalEntry } from '../engine/ports/journal-entry.ts';
import { SqliteThread } from '../sqlite/database.ts';
import { eventDecisions } from '../engine/replay/decisions.ts';
import { CALLS, IN_EVENT, IN_PROMISE, NO_STRATEGY } from '../strategy/containment.ts';

/** A batch that takes longer has hung: a busy one takes milliseconds. */
const BATCH_TIME_MAX: DurationUs = seconds(5);
/** After a sleep of the whole machine the timer is the first to wake: the answer may be waiting behind it. */
const GRACE: DurationUs = seconds(1);
/** Until the thread has loaded its code. */
const START_TIME_MAX: DurationUs = seconds(60);

/** A command waits no longer than this behind events. */
const AHEAD_US = 50 * US_PER_MS;
/** The way to the thread and back takes time too, on a busy machine more than the events. */
const AHEAD_MIN = 100;
const AHEAD_MAX = 2_000;
/** Weight of the newest batch in the measured cost. */
const COST_WEIGHT = 0.2;

/** The thread hung or died during a replay. */
export class EngineLost extends Error {
  override readonly name = 'EngineLost';
  /** The strategy whose code was running, if one was. */
  readonly culprit: StrategyIndex | null;

  constructor(reason: string, culprit: StrategyIndex | null) {
    super(reason);
    this.culprit = culprit;
  }
}

type ReplayResult = Pick<Extract<FromEngine, { kind: 'replayed' }>, 'past' | 'faults'>;

interface PendingReplay {
  readonly resolve: (replayed: ReplayResult) => void;
  readonly reject: (error: EngineLost) => void;
}

/** The main thread's end of the line to the engine; a `Worker` unless the engine runs in this thread. */
export interface EngineWorkerHandle {
  postMessage(message: ToEngine): void;
  on(event: 'message', listener: (message: FromEngine) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'exit', listener: (code: number) => void): unknown;
  terminate(): Promise<unknown>;
}

export type StartEngine = (data: EngineThreadData) => EngineWorkerHandle;

/** Many times a day's need. A thread that reaches it ends; most code that takes memory without end reaches it before the process dies. */
const HEAP_MB_MAX = 512;

const startEngineThread: StartEngine = (workerData) =>
  new SqliteThread(new URL('./engine-worker.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  });

/** Bytes outside of the heap have no limit: the memory of the process is read while one call of a strategy goes on. */
const MEMORY_EVERY_MS = 100;
const MEMORY_MB_MAX = 1_024;
const BYTES_PER_MB = 1_024 * 1_024;

export interface EngineThreadOptions {
  readonly data: Omit<EngineThreadData, 'currentStrategy'>;
  /** A thread of its own unless it is given. */
  readonly start?: StartEngine | undefined;
  readonly onOutbox: (outbox: EngineOutput) => void;
  /** The thread hung or died; `culprit` is the strategy whose code was running, if one was. */
  readonly onLost: (reason: string, culprit: StrategyIndex | null) => void;
}

function failureOfThread(error: unknown): string {
  if (hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY'))
    return `the engine's thread needed more than ${HEAP_MB_MAX} MB of memory`;
  return `the engine failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

const SLOTS = 3;

export class EngineThread {
  readonly #options: EngineThreadOptions;
  readonly #worker: EngineWorkerHandle;
  readonly #running = new Int32Array(new SharedArrayBuffer(SLOTS * Int32Array.BYTES_PER_ELEMENT));
  readonly #views = new Map<number, (view: EngineSnapshot | undefined) => void>();
  #replay: PendingReplay | undefined = undefined;
  #requests = 0;
  /** Events of each batch that is not answered, oldest first; a replay has none. */
  readonly #batches: number[] = [];
  #inFlight = 0;
  /** Cost of one event, as measured over the last batches. */
  #costUs = 0;
  #watch: CancelTimer | undefined = undefined;
  #memoryWatch: NodeJS.Timeout | undefined = undefined;
  /** Calls of strategies at the last memory check. */
  #calls = 0;
  #isReady = false;
  /** It hung, died or was closed: nothing comes from it any more. */
  isOver = false;

  constructor(options: EngineThreadOptions) {
    this.#options = options;
    this.#running[IN_EVENT] = NO_STRATEGY;
    this.#running[IN_PROMISE] = NO_STRATEGY;
    const { data, start } = options;
    this.#worker = (start ?? startEngineThread)({ ...data, currentStrategy: this.#running.buffer });
    this.#worker.on('message', (message: FromEngine) => this.#receive(message));
    this.#worker.on('error', (error: Error) => this.#lost(failureOfThread(error)));
    if (start === undefined)
      this.#memoryWatch = setInterval(() => this.#readMemory(), MEMORY_EVERY_MS).unref();
    this.#worker.on('exit', (code) => this.#lost(`the engine thread ended with code ${code}`));
  }

  /** Whether the thread should get more events, with `more` on their way: its queue takes it less than `AHEAD_US`. */
  canAccept(more: number): boolean {
    const ahead = Math.min(AHEAD_MAX, Math.max(AHEAD_MIN, AHEAD_US / this.#costUs));
    return this.#inFlight + more < ahead;
  }

  get running(): StrategyIndex | null {
    const [inEvent = NO_STRATEGY, , inPromise = NO_STRATEGY] = this.#running;
    const running = inEvent === NO_STRATEGY ? inPromise : inEvent;
    return running === NO_STRATEGY ? null : strategyIndex(running);
  }

  process(events: readonly EngineEvent[]): void {
    this.#begin(events.length, { kind: 'events', events: packEvents(events) });
  }

  /** The end of a replay next to another engine: after it the thread takes events. */
  catchUp(steps: readonly ReplayStep[]): void {
    this.#begin(steps.length, { kind: 'catch_up', steps });
  }

  /** All batches posted so far are decided and carried out. */
  get isIdle(): boolean {
    return this.#batches.length === 0;
  }

  /** Rejects with `EngineLost` when the replay hangs or breaks the thread. */
  replay(past: ReplayRequest): Promise<ReplayResult> {
    return new Promise((resolve, reject) => {
      if (this.isOver) return reject(new EngineLost('the engine thread has ended', null));
      this.#replay = { resolve, reject };
      this.#begin(0, { kind: 'replay', past });
    });
  }

  /** Undefined when the thread is lost before it answers. */
  view(): Promise<EngineSnapshot | undefined> {
    return new Promise((resolve) => {
      if (this.isOver) return resolve(undefined);
      this.#requests += 1;
      this.#views.set(this.#requests, resolve);
      this.#post({ kind: 'view', request: this.#requests });
    });
  }

  /** Resolves when all batches posted so far are decided and carried out, or the thread is lost: it answers in order. */
  async idle(): Promise<void> {
    if (!this.isIdle) await this.view();
  }

  async close(): Promise<void> {
    this.#end();
    await this.#worker.terminate();
  }

  #post(message: ToEngine): void {
    if (!this.isOver) this.#worker.postMessage(message); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  }

  #receive(message: FromEngine): void {
    switch (message.kind) {
      case 'ready':
        this.#isReady = true;
        return this.#restartWatch();
      case 'outbox':
        this.#costUs += (message.took / Math.max(1, this.#answered()) - this.#costUs) * COST_WEIGHT;
        return this.#options.onOutbox(message);
      case 'replaying':
        return this.#restartWatch();
      case 'replayed':
        this.#replay?.resolve(message);
        this.#replay = undefined;
        return void this.#answered();
      case 'view':
        this.#views.get(message.request)?.(message.view);
        this.#views.delete(message.request);
    }
  }

  /** A later batch does not give the running one more time. */
  #begin(events: number, message: ToEngine): void {
    this.#batches.push(events);
    this.#inFlight += events;
    if (this.#watch === undefined) this.#armWatch();
    this.#post(message);
  }

  /** Returns the events of the batch. */
  #answered(): number {
    const events = this.#batches.shift();
    assert(events !== undefined, 'an answer belongs to a batch');
    this.#inFlight -= events;
    this.#restartWatch();
    return events;
  }

  #end(): void {
    this.isOver = true;
    for (const resolve of this.#views.values()) resolve(undefined);
    this.#views.clear();
    this.#watch?.();
    clearInterval(this.#memoryWatch);
  }

  #readMemory(): void {
    const before = this.#calls;
    this.#calls = this.#running[CALLS] ?? 0;
    if (this.running === null || this.#calls !== before) return;
    if (process.memoryUsage.rss() > MEMORY_MB_MAX * BYTES_PER_MB)
      this.#lost(`strategy code went on while the process grew to more than ${MEMORY_MB_MAX} MB of memory`);
  }

  /** Each answer gives the next batch its full time. */
  #restartWatch(): void {
    this.#watch?.();
    this.#watch = undefined;
    if (!this.isIdle) this.#armWatch();
  }

  #armWatch(): void {
    this.#watch = systemTimers.after(this.#isReady ? BATCH_TIME_MAX : START_TIME_MAX, () => {
      this.#watch = systemTimers.after(GRACE, () => this.#lost('strategy code did not return in time'));
    });
  }

  #lost(reason: string): void {
    if (this.isOver) return;
    this.#end();
    void this.#reportLost(reason, this.running);
  }

  async #reportLost(reason: string, culprit: StrategyIndex | null): Promise<void> {
    await this.#worker.terminate();
    if (this.#replay === undefined) return this.#options.onLost(reason, culprit);
    this.#replay.reject(new EngineLost(reason, culprit));
  }
}

// The engine of a session, which another one can replace between two events. The next engine replays the past next to the running one;
// later events are kept for it, with the decisions that the running one made. At the switch further events wait until it has caught up:
// each event is decided once, and no answer to a call is lost.

/** Since the next engine was prepared. */
interface SwitchBacklog {
  readonly events: EngineEvent[];
  readonly entriesByCause: Map<number, JournalEntry[]>;
}

export class EngineLink {
  readonly #options: EngineThreadOptions;
  /** The one that runs now. */
  thread: EngineThread;
  #backlog: SwitchBacklog | null = null;
  /** Events after the switch, while the next engine catches up; null at all other times. */
  #deferredEvents: EngineEvent[] | null = null;
  #switched: Promise<void> = Promise.resolve();

  constructor(options: EngineThreadOptions) {
    this.#options = options;
    this.thread = new EngineThread({ ...options, onOutbox: this.#onOutbox });
  }

  readonly #onOutbox: EngineThreadOptions['onOutbox'] = (outbox) => {
    const kept = this.#backlog?.entriesByCause;
    if (kept !== undefined)
      for (const entry of outbox.entries) getOrCreate(kept, entry.cause, () => []).push(entry);
    this.#options.onOutbox(outbox);
  };

  process(events: readonly EngineEvent[]): void {
    const kept = this.#deferredEvents ?? this.#backlog?.events;
    if (kept !== undefined) for (const event of events) kept.push(event);
    if (this.#deferredEvents === null) this.thread.process(events);
  }

  /** Whether it should get more events, with `more` on their way. */
  canAccept(more: number): boolean {
    return this.thread.canAccept(more + (this.#deferredEvents?.length ?? 0));
  }

  get isIdle(): boolean {
    return this.#deferredEvents === null && this.thread.isIdle;
  }

  /** Resolves when all events so far are decided and carried out. */
  async idle(): Promise<void> {
    await this.#switched;
    await this.thread.idle();
  }

  async close(): Promise<void> {
    await this.#switched;
    await this.thread.close();
  }

  prepareNext(data: EngineThreadOptions['data']) {
    assert(this.#backlog === null, 'one engine is prepared at a time');
    const backlog: SwitchBacklog = { events: [], entriesByCause: new Map() };
    this.#backlog = backlog;
    let isRunning = false;
    const next = new EngineThread({
      ...this.#options,
      data,
      onOutbox: this.#onOutbox,
      // Before the switch its replay is rejected.
      onLost: (reason, culprit) => {
        if (isRunning) this.#options.onLost(reason, culprit);
      },
    });
    return {
      /** Everything before it was prepared. Rejects with `EngineLost`. */
      replay: (past: ReplayRequest) => next.replay(past),
      /** It takes over with the next event. `olderVersions`: strategies that an earlier version has decided so far. */
      takeOver: (olderVersions: readonly StrategyIndex[]): void => {
        isRunning = true;
        this.#deferredEvents = [];
        this.#switched = this.#switchTo(next, backlog, olderVersions);
      },
      close: (): Promise<void> => {
        this.#backlog = null;
        return next.close();
      },
    };
  }

  async #switchTo(next: EngineThread, backlog: SwitchBacklog, olderVersions: readonly StrategyIndex[]) {
    const before = this.thread;
    await before.idle();
    const deferred = this.#deferredEvents ?? [];
    this.#backlog = null;
    this.#deferredEvents = null;
    // It is rebuilt from the journal, which has the new list already.
    if (before.isOver) return void next.close();
    this.thread = next;
    const { events, entriesByCause } = backlog;
    next.catchUp(
      events.map((event) => {
        const decisions = eventDecisions(entriesByCause.get(event.seq) ?? []);
        return { event, decisions, olderVersions };
      }),
    );
    next.process(deferred);
    // Views asked of it are answered first.
    void before.view().then(() => before.close());
  }
}
