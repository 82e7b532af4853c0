/**
 * One trading day of the running daemon: an engine thread, the sequence of its inputs, and the journal rows and calls that
 * come out of it. A day that was interrupted begins by living through its past again (rulings, 31).
 */
import type { TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer, Clock, Timers } from '../../domain/clock.ts';
import { milliseconds, type Seq, seq, type StrategyIndex, type TsUs, tsUs } from '../../domain/units.ts';
import type { Config } from '../../config/config.ts';
import type { EngineView } from '../../engine/engine-view.ts';
import type {
  ContractsListed,
  EngineEvent,
  MarketEvent,
  OrderOwner,
} from '../../engine/ports/engine-event.ts';
import type { InputSink, Unsequenced } from '../../engine/ports/input-sink.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import { readJournal } from '../../journal/read-journal.ts';
import { type FrameLog, frameLogPath, openFrameLog } from '../../recording/frame-log.ts';
import { decodeServerFrame } from '../../wire/stream/server-frame.ts';
import type { BrokerEdge } from '../edge/broker-edge.ts';
import { type Carried, carriedFrom, NOTHING_CARRIED } from '../restart/carried.ts';
import { dispatchCall } from '../edge/dispatch-call.ts';
import { EngineThread } from '../host/engine-thread.ts';
import type { Halt } from './halt.ts';
import { type ClockMap, realMsUntil, sessionDay } from '../host/market-clock.ts';
import { Sequencer } from './sequencer.ts';
import { type SessionPast, sessionPast } from '../restart/replay-steps.ts';
import type { StatePaths } from '../restart/state-paths.ts';
import type { Outbox, ReplayStep } from '../host/worker-protocol.ts';

export interface SessionParts {
  readonly config: Config;
  /** Market time. */
  readonly clock: Clock;
  readonly clockMap: ClockMap;
  readonly timers: Timers;
  readonly journal: JournalStore;
  readonly paths: StatePaths;
  readonly edge: BrokerEdge;
  readonly halt: Halt;
  readonly boot: number;
  readonly accountTail: string;
  /** Of orders that an earlier process sent without a row. */
  readonly owners: () => readonly OrderOwner[];
  /** Strategies whose code hung or broke the engine: they are not run again. */
  readonly excluded: ReadonlySet<StrategyIndex>;
  readonly strategyIndexOf: (name: string) => StrategyIndex;
  /** Every fact, after it was given to the journal. */
  readonly onEntry: (entry: JournalEntry) => void;
  readonly onLost: (reason: string, culprit: StrategyIndex | null) => void;
}

/** What is known of the day before the engine starts. */
export interface PreparedSession {
  readonly day: TradingDay;
  /** Null for a day that begins. */
  readonly past: SessionPast | null;
  readonly carried: Carried;
  readonly close: () => void;
}

/** Opens the day in the journal and gives the edge the contract table that the day began with. */
export function prepareSession(parts: Omit<SessionParts, 'edge'>): PreparedSession {
  const { journal, clock, config, paths, strategyIndexOf } = parts;
  const day = sessionDay(config.calendar, clock.nowUs());
  const before = journal.read.sessions().findLast((session) => session.day !== day);
  const isNew = journal.beginSession(day, clock.nowUs(), config.file);
  // Another connection: the writer's must stay free while the past is walked.
  const opened = readJournal(paths.journal);
  const { read } = opened;
  const past = (session: TradingDay): SessionPast =>
    sessionPast({ read, session, framesPath: frameLogPath(paths.frames, session), strategyIndexOf });
  const today = isNew ? null : past(day);
  const isStarted = today?.isStarted === true;
  const carried =
    !isStarted && before !== undefined
      ? carriedFrom(read, before.day, past(before.day), strategyIndexOf)
      : NOTHING_CARRIED;
  return { day, past: today, carried, close: () => opened.close() };
}

/**
 * Facts of the main thread come from no event of the engine. Naming the latest one would make the tail of a killed
 * process look decided.
 */
const OWN_CAUSE = seq(0);

/** Events handed to the engine at once while the past is replayed. */
const REPLAY_CHUNK = 2_000;

export class TradingSession implements InputSink {
  readonly day: TradingDay;
  readonly #parts: SessionParts;
  readonly #frameLog: FrameLog;
  readonly #thread: EngineThread;
  readonly #sequencer: Sequencer;
  #alarm: CancelTimer | undefined = undefined;
  #skippedFrames = 0;
  #isShut = false;

  private constructor(parts: SessionParts, { day, past }: PreparedSession) {
    const { config, journal, clock, paths, timers, excluded } = parts;
    this.day = day;
    this.#parts = parts;
    this.#frameLog = openFrameLog(paths.frames, day);
    this.#thread = new EngineThread({
      data: {
        settings: config.engine,
        calendar: config.calendar,
        costs: config.costs,
        strategies: config.strategies.flatMap(({ id, strategy, params }) => {
          const index = parts.strategyIndexOf(id);
          return excluded.has(index) ? [] : [{ index, id, strategy, params }];
        }),
      },
      timers,
      onOutbox: (outbox) => this.#carryOut(outbox),
      onLost: parts.onLost,
    });
    this.#sequencer = new Sequencer({
      clock,
      lastSeq: past?.lastSeq ?? 0,
      lastTsUs: past?.lastTsUs ?? tsUs(0),
      recordInput: (input) => journal.recordInput(input),
      recordFrame: (number, at, text) => this.#frameLog.append(number, at, text),
      decode: (text, number, at) => this.#decode(text, number, at),
      deliver: (events) => this.#deliver(events),
    });
  }

  /** Replays what the day has lived through, then lets the present in. Throws `EngineLost` when the past breaks it. */
  static async open(
    parts: SessionParts,
    prepared: PreparedSession,
    contracts: Unsequenced<ContractsListed>,
  ): Promise<TradingSession> {
    const session = new TradingSession(parts, prepared);
    const { past, carried, day } = prepared;
    try {
      if (past !== null) await session.#replay(past);
    } catch (error) {
      await session.close();
      throw error;
    } finally {
      prepared.close();
    }
    const { boot, accountTail, owners } = parts;
    const started = { kind: 'session_started', tradingDay: day, ...carried.started } as const;
    session.post(contracts);
    if (past?.isStarted !== true) session.post(started);
    session.post({ kind: 'booted', boot, accountTail, owners: owners() });
    // What a day begins with must not be lost while its first frames are kept.
    parts.journal.flush();
    return session;
  }

  post(event: Unsequenced<EngineEvent>): void {
    if (this.#isShut) return;
    this.#sequencer.post(event);
    if (event.kind === 'contracts') this.#parts.edge.stream.subscribe(this.#parts.edge.table.listed);
  }

  frame(text: string): void {
    if (!this.#isShut) this.#sequencer.frame(text);
  }

  /** Market frames since this start, and those that said nothing the engine knows. */
  get frames(): { readonly taken: number; readonly skipped: number } {
    return { taken: this.#sequencer.frames, skipped: this.#skippedFrames };
  }

  /** A fact of the main thread's own, in the same journal. */
  tell(entry: Unattributed<JournalEntry>): void {
    this.#append({ ...entry, cause: OWN_CAUSE, tsUs: this.#parts.clock.nowUs(), strategy: null });
  }

  view(): Promise<EngineView> {
    return this.#thread.view();
  }

  /**
   * Lets nothing more in, and returns when all that came in is decided and journaled: what a clean end left undecided would
   * look like the work of a kill.
   */
  async drain(): Promise<void> {
    this.#sequencer.flush();
    this.#isShut = true;
    await this.#thread.idle();
    this.#alarm?.();
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#thread.close();
    this.#frameLog.close();
  }

  async #replay(past: SessionPast): Promise<void> {
    let chunk: ReplayStep[] = [];
    for (const step of past.steps()) {
      chunk.push(step);
      if (chunk.length < REPLAY_CHUNK) continue;
      await this.#thread.replay(chunk);
      chunk = [];
    }
    await this.#thread.replay(chunk);
    this.#thread.endReplay();
  }

  #decode(text: string, number: Seq, at: TsUs): MarketEvent | undefined {
    const { edge } = this.#parts;
    const frame = decodeServerFrame(text, edge.table, number, at, edge.drift);
    if (frame.kind !== 'market') {
      this.#skippedFrames += 1;
      if (frame.kind === 'malformed') edge.drift.count('stream', 'a malformed frame');
      return undefined;
    }
    const { event } = frame;
    if (event.kind === 'trade') edge.stream.seen(event.instrument, 'trades');
    else if (event.kind === 'book_update')
      edge.stream.seen(event.instrument, event.side === 'bid' ? 'bids' : 'asks');
    return event;
  }

  #deliver(events: readonly EngineEvent[]): void {
    this.#thread.process(events);
  }

  /** Facts first, then what leaves: the gateway commits them before the first byte. */
  #carryOut({ entries, calls, reads, tempo, wakeAt }: Outbox): void {
    const { gateway, reports } = this.#parts.edge;
    for (const entry of entries) this.#append(entry);
    for (const call of calls) dispatchCall(gateway, call);
    if (tempo !== null) reports.bookTempo(tempo);
    for (const what of reads) reports.read(what);
    if (wakeAt !== null) this.#arm(wakeAt);
  }

  #append(entry: JournalEntry): void {
    const { journal, halt, onEntry } = this.#parts;
    journal.append(entry);
    if (entry.kind === 'latch' && entry.strategy === null) {
      if (entry.latched) halt.begin(entry.reason);
      else halt.end();
    }
    onEntry(entry);
  }

  #arm(at: TsUs | typeof Infinity): void {
    this.#alarm?.();
    this.#alarm = undefined;
    if (at === Infinity) return;
    const wait = milliseconds(realMsUntil(this.#parts.clockMap, tsUs(at)));
    this.#alarm = this.#parts.timers.after(wait, () => this.post({ kind: 'clock' }));
  }
}

/** An entry without what the session knows itself. */
export type Unattributed<E> = E extends JournalEntry ? Omit<E, 'cause' | 'tsUs' | 'strategy'> : never;
