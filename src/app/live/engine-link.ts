/**
 * The engine of a session, which another one can replace between two events. The next engine replays the past beside the running
 * one; events of meanwhile are kept for it, with the decisions that the running one made. At the switch later events wait until it
 * has caught up: each event is decided once, and no answer to a call is lost.
 */
import { assert } from '../../domain/assert.ts';
import type { StrategyIndex } from '../../domain/units.ts';
import type { EngineEvent } from '../../engine/ports/engine-event.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import { eventDecisions } from '../../engine/replay/journal-decisions.ts';
import { EngineThread, type EngineThreadOptions } from '../host/engine-thread.ts';
import type { PastPlace, ReplayStep } from '../host/worker-protocol.ts';

/** An engine beside the running one. */
export interface NextEngine {
  /** Everything before it was prepared. Rejects with `EngineLost`. */
  replay(past: PastPlace): ReturnType<EngineThread['replay']>;
  /** It takes over with the next event. `earlier`: strategies of which an earlier version has decided so far. */
  takeOver(earlier: readonly StrategyIndex[]): void;
  /** It is not needed after all. */
  close(): Promise<void>;
}

/** Since the next engine was prepared. */
interface Meanwhile {
  readonly events: EngineEvent[];
  readonly entriesByCause: Map<number, JournalEntry[]>;
}

export class EngineLink {
  readonly #options: EngineThreadOptions;
  /** The one that runs now. */
  thread: EngineThread;
  #meanwhile: Meanwhile | null = null;
  /** Events after the switch, while the next engine catches up; null at all other times. */
  #held: EngineEvent[] | null = null;
  #switched: Promise<void> = Promise.resolve();

  constructor(options: EngineThreadOptions) {
    this.#options = options;
    this.thread = new EngineThread({ ...options, onOutbox: this.#onOutbox });
  }

  readonly #onOutbox: EngineThreadOptions['onOutbox'] = (outbox) => {
    if (this.#meanwhile !== null) keep(this.#meanwhile, outbox.entries);
    this.#options.onOutbox(outbox);
  };

  process(events: readonly EngineEvent[]): void {
    const kept = this.#held ?? this.#meanwhile?.events;
    if (kept !== undefined) for (const event of events) kept.push(event);
    if (this.#held === null) this.thread.process(events);
  }

  /** Whether it should get more events, with `more` on their way. */
  hasRoom(more: number): boolean {
    return this.thread.hasRoom(more + (this.#held?.length ?? 0));
  }

  /** All events so far are decided and carried out. */
  get isIdle(): boolean {
    return this.#held === null && this.thread.isIdle;
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

  prepareNext(data: EngineThreadOptions['data']): NextEngine {
    assert(this.#meanwhile === null, 'one engine is prepared at a time');
    const meanwhile: Meanwhile = { events: [], entriesByCause: new Map() };
    this.#meanwhile = meanwhile;
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
      replay: (past) => next.replay(past),
      takeOver: (earlier) => {
        isRunning = true;
        this.#held = [];
        this.#switched = this.#goOverTo(next, meanwhile, earlier);
      },
      close: () => {
        this.#meanwhile = null;
        return next.close();
      },
    };
  }

  async #goOverTo(
    next: EngineThread,
    meanwhile: Meanwhile,
    earlier: readonly StrategyIndex[],
  ): Promise<void> {
    const before = this.thread;
    await before.idle();
    const held = this.#held ?? [];
    this.#meanwhile = null;
    this.#held = null;
    // It is rebuilt from the journal, which has the new list already.
    if (before.isOver) return void next.close();
    this.thread = next;
    next.catchUp(stepsOf(meanwhile, earlier));
    next.process(held);
    // Views asked of it are answered first.
    void before.view().then(() => before.close());
  }
}

function keep({ entriesByCause }: Meanwhile, entries: readonly JournalEntry[]): void {
  for (const entry of entries) {
    const list = entriesByCause.get(entry.cause);
    if (list === undefined) entriesByCause.set(entry.cause, [entry]);
    else list.push(entry);
  }
}

const stepsOf = (
  { events, entriesByCause }: Meanwhile,
  earlier: readonly StrategyIndex[],
): readonly ReplayStep[] =>
  events.map((event) => ({
    event,
    decisions: eventDecisions(entriesByCause.get(event.seq) ?? []),
    earlier,
  }));
