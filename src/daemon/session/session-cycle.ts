/** Runs one session after the other: opens a day, follows it into the next, and rebuilds it when the engine thread is lost. */
import { type ReplaceableCalendar, type CalendarCoverage, neverCloses } from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer } from '../../domain/clock.ts';
import type { OurBooks } from '../../broker/gateway/kill-verdict.ts';
import { errorText, isDiskFailing, isDiskFull, isLocked } from '../../domain/failure.ts';
import { formatNumber } from '../../text/numbers.ts';
import {
  type DurationUs,
  durationUs,
  seconds,
  type StrategyIndex,
  tsUs,
  US_PER_DAY,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type {
  ClockSkew,
  Command,
  ContractsListed,
  EngineEvent,
  InputSink,
  UnnumberedInput,
} from '../../engine/ports/engine-event.ts';
import type { JournalEntry } from '../../engine/ports/journal-entry.ts';
import { STOPPING } from '../../engine/risk/entry-halt.ts';
import type { Config } from '../../config/config.ts';
import type { StoredEntry } from '../../journal/journal-reader.ts';
import { EngineLost } from '../../host/engine-thread.ts';
import {
  atMarketTime,
  createMarketClock,
  sessionDayAt,
  systemClock,
  systemTimers,
} from '../../host/system-clock.ts';
import { accountKey, LIVE_DAY } from '../../host/run-plan.ts';
import { SessionTracker, trackPast } from '../restart/carry-over.ts';
import { ourBooks } from '../restart/our-books.ts';
import { NotReloaded, type PreparedChange, type StrategyChange } from './strategy-switch.ts';
import {
  type OnEngineLost,
  type PreparedSession,
  prepareSession,
  type SessionContext,
  type EndedSession,
  TradingSession,
} from './trading-session.ts';

export interface SessionCycleOptions {
  readonly context: SessionContext;
  readonly calendar: ReplaceableCalendar;
  readonly note: (text: string) => void;
  readonly excluded: ReadonlyMap<StrategyIndex, string>;
  /** The program on disk is not the one that runs, in words, or null. */
  readonly programProblem: () => string | null;
  /** A process that ends is started again. */
  readonly isSupervised: boolean;
  readonly onLost: OnEngineLost;
  /** No engine runs, and none is about to. */
  readonly onGone: () => void;
  readonly onFailure: (error: unknown) => void;
}

const CONTRACTS_RETRY = seconds(2);
const ROOM_RETRY = seconds(10);
const NO_SESSION =
  'and nothing is traded; orders and positions stay as they are at the broker; tickwright halt cancels entries';
const NO_ROOM = `the disk is full: no session can begin until there is room, ${NO_SESSION}`;
const LOCKED = `another program holds the journal: no session can begin until it lets go, ${NO_SESSION}`;
const NO_ENGINE = `until then no engine runs ${NO_SESSION}`;

class OtherProgram extends Error {}

class OtherTerms extends Error {}

/** Prices of a day are counted in ticks, and money in values of a point: by others a loss would be measured wrong. */
function assertSameTerms({ isStarted, carriedOver }: PreparedSession, { contracts }: Config): void {
  if (!isStarted) return;
  for (const { orderCode, spec } of carriedOver.contracts) {
    const now = contracts[spec.underlying];
    const isSame =
      now?.hundredthsPerTick === spec.hundredthsPerTick && now.moneyPerHundredth === spec.moneyPerHundredth;
    if (now === undefined || isSame) continue;
    const what = `the market file has another tick or pointValue of ${spec.underlying} than ${orderCode} had earlier today`;
    throw new OtherTerms(`${what}: no session can begin with it before the next day, ${NO_SESSION}`);
  }
}

/** The alert of a failure that waiting cures; null for any other. A supervisor starts another program by itself. */
function whyNoSession(error: unknown, isSupervised: boolean) {
  if (error instanceof OtherProgram && !isSupervised)
    return { code: 'program_waits', text: `${error.message}: ${NO_ENGINE}` };
  if (error instanceof OtherTerms) return { code: 'terms_changed', text: error.message };
  if (isLocked(error)) return { code: 'no_room', text: LOCKED };
  if (isDiskFull(error)) return { code: 'no_room', text: NO_ROOM };
  if (!isDiskFailing(error)) return null;
  const text = `the disk takes no writes (${errorText(error)}): no session can begin until it does, ${NO_SESSION}`;
  return { code: 'no_room', text };
}

/** A thread lost more often in one day is not the fault of a strategy. */
const LOSSES_MAX = 5;
/** Losses while no strategy ran: after this many the engine goes on without strategies, after one more there is none. */
const UNEXPLAINED_MAX = 2;

/**
 * The edges post here: they live as long as the process, sessions do not. Between two sessions the contract list is taken, and answers to
 * calls of the one wait for the other, which knows the orders; the next session reads everything else again.
 */
export class SessionCycle implements InputSink {
  readonly #options: SessionCycleOptions;
  /** Strategies that no engine of this process runs, with the reason: each engine gets this list, or it would take them for running. */
  readonly #excluded: Map<StrategyIndex, string>;
  #context: SessionContext;
  session: TradingSession | undefined = undefined;
  #onContracts: ((event: UnnumberedInput<EngineEvent>) => void) | undefined = undefined;
  /** The session before, where this process has followed it. */
  #ended: EndedSession | undefined = undefined;
  /** State that the journal holds of the last session of an earlier process, where a halt needs it before one is open. */
  #endedEarlier: EndedSession | undefined = undefined;
  /** Answers that came between two sessions. */
  #answers: UnnumberedInput<EngineEvent>[] = [];
  /** Sent only when it changes, and to each new engine, or entries would not wait for a wrong clock. */
  skew: UnnumberedInput<ClockSkew> | undefined = undefined;
  /** The end of the process that was asked for: an engine that comes after the one that was asked has to carry it out. */
  #stop: UnnumberedInput<EngineEvent> | undefined = undefined;
  /** The awaited event: the next day, or the contract list. */
  #cancelWait: CancelTimer | undefined = undefined;
  #losses = 0;
  #lastLoss = '';
  #unexplainedLosses = 0;
  #isEnding = false;
  /** Why no engine runs though one should, or null. */
  degraded: string | null = null;
  /** A session of this process is over, and the next one opens as soon as the broker lists its contracts. */
  isReopening = false;

  constructor(options: SessionCycleOptions) {
    this.#options = options;
    this.#excluded = new Map(options.excluded);
    this.#context = options.context;
  }

  get config(): Config {
    return this.#context.config;
  }

  /** Orders and positions as the journal has them, whether or not an engine runs; null while they are not read. */
  ourBooks(): OurBooks | null {
    const { names, config } = this.#context;
    const followed = this.#followed;
    if (followed?.tracker.isRead !== true) return null;
    const { day, tracker, contracts } = followed;
    const isToday = day === this.#today;
    return ourBooks(tracker, { contracts, names, isToday, isEndless: neverCloses(config.calendar) });
  }

  /** Reads them where no session of this process has; rejects when the journal cannot be read. */
  async readOurBooks(): Promise<OurBooks | null> {
    if (this.#followed !== undefined) return this.ourBooks();
    const { read } = this.#context.journal;
    const day = read.lastDecided(null);
    const tracker = day === undefined ? new SessionTracker() : trackPast(read, day);
    const contracts = day === undefined ? [] : read.contracts(day);
    this.#endedEarlier = { day: day ?? this.#today, tracker, contracts };
    await tracker.readPast();
    return this.ourBooks();
  }

  /** The session of now, or the next one. */
  get #today(): TradingDay {
    const { config, clockMap } = this.#context;
    return sessionDayAt(config.calendar, createMarketClock(clockMap).nowUs());
  }

  get #followed(): TradingSession | EndedSession | undefined {
    return this.session ?? this.#ended ?? this.#endedEarlier;
  }

  post(event: UnnumberedInput<EngineEvent>): void {
    const answer = event.kind === 'execution_report' ? event.answer : null;
    if (answer !== null) this.#followed?.tracker.orders.onAnswer(answer);
    if (event.kind === 'clock_skew') this.skew = event;
    if (event.kind === 'command' && event.command.name === 'stop') this.#stop = event;
    if (this.session !== undefined) return this.session.post(event);
    if (answer !== null) this.#answers.push(event);
    this.#onContracts?.(event);
  }

  /**
   * Opens the session of today; resolves when it is open or none can be today. A disk that takes no writes or a locked journal ends nothing,
   * nor does another program on disk where nobody would start it: kill path, control API and alerts stay, and the session opens once the
   * cause is gone.
   */
  async open(): Promise<void> {
    while (!this.#isEnding) {
      try {
        await this.#leaveSession();
        return await this.#openEngine();
      } catch (error) {
        const why = whyNoSession(error, this.#options.isSupervised);
        if (why === null) throw error;
        if (this.degraded !== why.text) this.#endWithoutEngine(why.code, why.text);
        // Nobody steers the entries of an engine that was lost.
        if (why.code === 'program_waits' && this.#losses > 0) this.#context.halt.begin(why.text);
        await new Promise<void>((resolve) => systemTimers.after(ROOM_RETRY, resolve));
      }
    }
  }

  /** Replays a day that has a past; leaves out a strategy that hangs or breaks it (rulings, 32). */
  async #openEngine(): Promise<void> {
    for (;;) {
      if (this.#losses > LOSSES_MAX || this.#unexplainedLosses > UNEXPLAINED_MAX) return this.#degrade();
      try {
        await this.#open();
        break;
      } catch (error) {
        if (!(error instanceof EngineLost)) throw error;
        this.#exclude(error.message, error.culprit);
      }
    }
  }

  /** Prepares other strategies, in force from the commit on. Throws `NotReloaded`, with nothing changed, when they fail a replay of today. */
  async prepare(change: Omit<StrategyChange, 'excluded'>): Promise<PreparedChange> {
    const session = this.session;
    if (session === undefined) throw new NotReloaded('no session is open');
    const excluded = new Set(this.#excluded.keys());
    const prepared = await session.strategies.prepare({ ...change, excluded });
    return {
      ...prepared,
      commit: async () => {
        const committed = prepared.commit();
        this.#context = { ...this.#context, config: change.config };
        // A new version of a strategy that hung runs again.
        for (const strategy of prepared.changed) this.#excluded.delete(strategy);
        await committed;
      },
    };
  }

  /** Uses these days in this and each later session; opens another session where they make today another one. */
  takeCalendar(known: CalendarCoverage): void {
    const { calendar, context, onFailure } = this.#options;
    const session = this.session;
    if (!calendar.replace(known) || session === undefined) return;
    if (this.#today === session.day) {
      session.post({ kind: 'calendar', ...known });
      // Expiries are computed as the list is read.
      context.edge.reports.read('contracts');
    } else void this.open().catch(onFailure);
  }

  async #open(): Promise<void> {
    this.#assertProgram();
    const { note } = this.#options;
    const context = this.#context;
    const { edge, config, journal } = context;
    const prepared = prepareSession(context, this.#ended);
    assertSameTerms(prepared, config);
    // A later start must not run a strategy over inputs that it missed.
    for (const [strategy, reason] of prepared.excluded)
      if (!this.#excluded.has(strategy)) this.#excluded.set(strategy, reason);
    edge.table.reset(prepared.carriedOver.contracts);
    const contracts = await this.#readContracts();
    if (prepared.past !== null) {
      const inputs = formatNumber(journal.read.lastSeq(prepared.day));
      note(`session ${prepared.day}: replaying ${inputs} inputs of today`);
    }
    if (config.mode === 'live') journal.setCounter(LIVE_DAY, prepared.day, accountKey(config));
    const startedUs = systemClock.nowUs();
    const session = await TradingSession.open(
      { ...context, onEntry: this.#followReconciliation() },
      prepared,
      contracts,
      this.#excluded,
      (reason, culprit) => void this.#rebuild(reason, culprit),
    );
    if (this.#isEnding) return session.close();
    this.session = session;
    this.degraded = null;
    this.#ended = undefined;
    if (this.skew !== undefined) session.post(this.skew);
    for (const answer of this.#answers.splice(0)) session.post(answer);
    if (this.#stop !== undefined) session.post(this.#stop);
    this.#logReplay(session, durationUs(systemClock.nowUs() - startedUs));
    void this.#agreeOnHalt(session);
    edge.stream.subscribe(edge.table.listed);
    const { state, isStale } = edge.stream.status();
    if (state === 'live') {
      // Frames of meanwhile reached no engine, and its books are empty.
      edge.stream.resubscribe();
      session.post({ kind: 'stream', state: isStale ? 'stale' : 'live', reason: 'still connected' });
    }
    this.#atNextDay(session.day);
  }

  #logReplay({ day, replayed }: TradingSession, took: DurationUs): void {
    if (replayed === null) return;
    const what = `${formatNumber(replayed.inputs)} inputs and ${formatNumber(replayed.frames)} frames`;
    this.#options.note(`session ${day}: replayed ${what} in ${(took / US_PER_SECOND).toFixed(1)} s`);
  }

  /** Logs once how many calls it took until our positions were the broker's. */
  #followReconciliation(): (entry: JournalEntry) => void {
    const { context, note } = this.#options;
    const { calls } = context.edge;
    const before = calls.sent;
    let isAlerted = false;
    return (entry) => {
      context.onEntry(entry);
      if (entry.kind !== 'position_agreed' || isAlerted) return;
      isAlerted = true;
      note(`reconciled with the broker in ${calls.sent - before} REST calls`);
    };
  }

  /** Takes no more input; returns once all that was taken is decided. */
  async drain(): Promise<void> {
    this.#isEnding = true;
    this.#onContracts = undefined;
    await this.session?.drain();
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#leaveSession();
  }

  async #leaveSession(): Promise<void> {
    const session = this.session;
    this.session = undefined;
    this.isReopening ||= session !== undefined;
    this.#onContracts = undefined;
    this.#cancelWait?.();
    await session?.close();
    // A full disk takes no rows; what they say is known all the same.
    if (session !== undefined)
      this.#ended = { day: session.day, tracker: session.tracker, contracts: session.contracts };
    this.#options.context.journal.flush();
  }

  /** Gives the engine a halt or resume that it has not read. A halt of its own whose row a kill cut off holds for the account. */
  async #agreeOnHalt(session: TradingSession): Promise<void> {
    const { halt, journal } = this.#options.context;
    const before = halt.inForce;
    const view = await session.view();
    if (view === undefined || this.session !== session) return;
    const { halted, haltCode } = view;
    // Commands of a person reach this engine meanwhile by themselves.
    if (halt.reason !== (before?.reason ?? null) || halted === STOPPING) return;
    if ((before === null) === (halted === null)) return;
    const post = (command: Command): void => session.post({ kind: 'command', by: 'process', command });
    if (before !== null) return post({ name: 'halt', ...before });
    const isKnown = ({ entry }: StoredEntry): boolean =>
      entry.kind === 'halt' && entry.strategy === null && entry.halted && entry.reason === halted;
    const isResumed = journal.read.entries({ session: session.day, kinds: ['halt'] }).some(isKnown);
    if (isResumed) post({ name: 'resume', strategy: null, reason: 'as before this start' });
    else if (halted !== null) halt.begin(halted, haltCode);
  }

  /** Asks for the contract table until it comes. */
  #readContracts(): Promise<UnnumberedInput<ContractsListed>> {
    const { context, note } = this.#options;
    const ask = (): void => context.edge.reports.read('contracts');
    return new Promise((resolve) => {
      this.#onContracts = (event) => {
        if (event.kind === 'contracts') {
          this.#onContracts = undefined;
          resolve(event);
        } else if (event.kind === 'read_failed' && event.what === 'contracts') {
          note(`the contract list could not be read: ${event.reason}; again in 2 s`);
          this.#cancelWait = systemTimers.after(CONTRACTS_RETRY, () => {
            // Nothing else is asked yet, and a token counts as dead only when a second operation is refused too.
            context.edge.reports.read('account');
            ask();
          });
        }
      };
      ask();
    });
  }

  /** When the trading day changes, the next session starts with the state of this one, unless it has ended before. */
  #atNextDay(day: TradingDay): void {
    const { context, onFailure } = this.#options;
    const { calendar } = context.config;
    const midnight = tsUs(momentOf(day, 0, calendar.utcOffsetMinutes) + US_PER_DAY);
    this.#cancelWait = atMarketTime(context.clockMap, midnight, () => {
      this.#losses = 0;
      this.#unexplainedLosses = 0;
      void this.open().catch(onFailure);
    });
  }

  /** No engine of another program in this process: it ends where a supervisor starts the new one, and waits for a person elsewhere. */
  #assertProgram(): void {
    const problem = this.#options.programProblem();
    if (problem !== null) throw new OtherProgram(problem);
  }

  async #rebuild(reason: string, culprit: StrategyIndex | null): Promise<void> {
    if (this.#isEnding) return this.#options.onLost(reason, culprit);
    try {
      this.#exclude(reason, culprit);
      const lost = this.session;
      // A call that it sent may still leave: until it has an outcome, books prove nothing about its order.
      await this.#context.edge.gateway.settled();
      // The next day has begun meanwhile.
      if (lost !== undefined && this.session !== lost) return;
      await this.open();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  #exclude(reason: string, culprit: StrategyIndex | null): void {
    this.#losses += 1;
    this.#options.onLost(reason, culprit);
    this.#lastLoss = reason;
    this.degraded = `the engine is being rebuilt: ${reason}`;
    if (culprit !== null) return void this.#excluded.set(culprit, reason);
    this.#unexplainedLosses += 1;
    if (this.#unexplainedLosses < UNEXPLAINED_MAX) return;
    const { config, names } = this.#context;
    for (const { id } of config.strategies)
      this.#excluded.set(names.indexOf(id), `the engine failed twice, no strategy runs any more: ${reason}`);
  }

  /** The engine fails whatever is left out: the process stays, with the kill path, the control API and alerts. */
  #degrade(): void {
    const { halt } = this.#context;
    const text =
      `the engine failed ${this.#losses} times and does not run until the next trading day: entries are off, ` +
      `those that rest at the broker are canceled, and what protects positions stays. ${this.#lastLoss}`;
    this.#endWithoutEngine('engine_gone', text);
    halt.begin(text);
    this.#atNextDay(this.#today);
  }

  #endWithoutEngine(code: string, text: string): void {
    this.degraded = text;
    this.isReopening = false;
    this.#context.alert('critical', code, text);
    this.#options.onGone();
  }
}
