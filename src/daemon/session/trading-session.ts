/** One trading day: an engine thread, its inputs in sequence, and the rows and calls that come of it. An interrupted one is replayed. */
import { formatCount } from '../../text/numbers.ts';
import { resolve } from 'node:path';
import { pipe, type Subscription, tap } from 'rxjs';
import { assert } from '../../domain/assert.ts';
import { coverageOf, neverCloses } from '../../domain/calendar.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { Contract } from '../../domain/contract.ts';
import type { CancelTimer, Clock, ClockMap } from '../../domain/clock.ts';
import { thrownText } from '../../domain/failure.ts';
import { hasProvenEnd, waitsInTriggerBook } from '../../domain/order.ts';
import {
  type DurationUs,
  durationUs,
  type Seq,
  signedQty,
  type StrategyIndex,
  type TsUs,
  tsUs,
  US_PER_SECOND,
} from '../../domain/units.ts';
import type { Config } from '../../config/config.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import {
  type ContractsListed,
  type EngineEvent,
  type InputSink,
  isOfAccount,
  type UnjournaledCalls,
  type UnnumberedInput,
} from '../../engine/ports/engine-event.ts';
import { type AlertSeverity, type JournalEntry, NO_EVENT } from '../../engine/ports/journal-entry.ts';
import type { JournaledInput } from '../../journal/compact-input.ts';
import type { JournalStore } from '../../journal/journal-store.ts';
import {
  frameDamageText,
  type FrameLogEnd,
  frameLogPath,
  openFrameLog,
  storedLog,
} from '../../recording/frame-log.ts';
import { decodeFrames, marketEvents, type ServerFrame } from '../../wire/stream/server-frame.ts';
import type { FeedPublisher } from '../../cluster/feed-publisher.ts';
import type { BrokerEdge } from '../edge/broker-edge.ts';
import {
  type CarriedOver,
  SessionTracker,
  carryOver,
  trackPast,
  continuesSession,
  NOTHING_CARRIED_OVER,
  restartDay,
} from '../restart/carry-over.ts';
import type { PriceBoard } from '../edge/price-board.ts';
import {
  dispatchCall,
  type EngineOutput,
  type ReplayRequest,
  type ReplayedPast,
} from '../../host/worker-protocol.ts';
import { EngineLink, type StartEngine } from '../../host/engine-thread.ts';
import type { Halt } from './halt.ts';
import { atMarketTime, createMarketClock, sessionDayAt, systemClock } from '../../host/system-clock.ts';
import type { Lockstep, SessionWork } from '../simulator/embedded-simulator.ts';
import { orderText } from './holdings.ts';
import { Inbox } from './inbox.ts';
import { engineData, StrategySwitch } from './strategy-switch.ts';
import { excludedIn, plannedStrategies, versionStarts } from '../../host/state/session-strategies.ts';
import type { StatePaths } from '../../host/state/state-paths.ts';
import type { StrategyNames } from '../../domain/ids.ts';

/** Lives as long as the daemon; each session of it uses the same. */
export interface SessionContext {
  readonly config: Config;
  readonly clockMap: ClockMap;
  readonly journal: JournalStore;
  readonly paths: StatePaths;
  readonly edge: BrokerEdge;
  readonly halt: Halt;
  readonly names: StrategyNames;
  readonly accountTail: string;
  /** Path of the run record that follows strategies, or null. */
  readonly followPath: string | null;
  /** Absent: in a thread of its own. */
  readonly startEngine?: StartEngine | undefined;
  /** Drawn again for each engine: part of every `refId`. */
  readonly startStamp: () => string;
  /** Calls that an earlier process sent without a journal row. */
  readonly unjournaled: (day: TradingDay) => UnjournaledCalls;
  readonly onEntry: (entry: JournalEntry) => void;
  readonly alert: (severity: AlertSeverity, code: string, text: string) => void;
  /** Absent where market time keeps its speed. */
  readonly lockstep?: Lockstep | null;
  /** Follows the prices, for the page; null without one. */
  readonly prices: PriceBoard | null;
  /** Publishes frames and what belongs to them; null where nobody else reads them. */
  readonly feed: Pick<FeedPublisher, 'take' | 'note'> | null;
}

export type OnEngineLost = (reason: string, culprit: StrategyIndex | null) => void;

/** A session that this process has followed to its end: it need not be read again. */
export interface EndedSession {
  readonly day: TradingDay;
  readonly tracker: SessionTracker;
  readonly contracts: readonly Contract[];
}

/** Read from the journal before the engine starts. */
export type PreparedSession = ReturnType<typeof prepareSession>;

/** Opens the day in the journal and reads its past, or the state that the session before it left. */
export function prepareSession(context: Omit<SessionContext, 'edge'>, left?: EndedSession) {
  const { journal, clockMap, config, paths, names } = context;
  const now = createMarketClock(clockMap).nowUs();
  const day = sessionDayAt(config.calendar, now);
  const isNew = journal.beginSession(day, now, resolve(config.file));
  const tracker = isNew ? new SessionTracker() : trackPast(journal.read, day);
  journal.follow(tracker.add);
  const { read } = journal;
  // A day that begins, or restarts after another session, has none.
  const isStarted = continuesSession(read, day);
  const before = read.lastDecided(day);
  const contracts = read.contracts(day);
  const carriedOver = isStarted
    ? { ...NOTHING_CARRIED_OVER, contracts }
    : restartDay(carriedOverFrom(context, before, left, contracts), read, day, names);
  const sent = context.unjournaled(day);
  const { strategies, versionsSince } = plannedStrategies({ read, day, config, names });
  const request: ReplayRequest = {
    journal: paths.journal,
    session: day,
    framesPath: frameLogPath(paths.frames, day),
    fromSeq: isStarted ? read.replayedFrom(day) : Infinity,
    versionsSince,
    decidedUntil: null,
    sent,
    names: names.all,
  };
  const excluded = new Map(excludedIn(read, day, versionsSince));
  if (!isStarted && before !== undefined) {
    const since = versionStarts(read.strategyLists(before), strategies, names);
    for (const [strategy, reason] of excludedIn(read, before, since)) excluded.set(strategy, reason);
  }
  // A day that is new to the journal has frames where that was restored: numbers go on behind theirs.
  const hasPast = !isNew || storedLog(request.framesPath) !== undefined;
  /** `past`: none for a day that begins. */
  return { day, past: hasPast ? request : null, isStarted, carriedOver, tracker, strategies, excluded, sent };
}

function carriedOverFrom(
  { journal, names, halt, unjournaled }: Pick<SessionContext, 'journal' | 'names' | 'halt' | 'unjournaled'>,
  before: TradingDay | undefined,
  left: EndedSession | undefined,
  into: readonly Contract[],
): CarriedOver {
  const successor = { isHalted: halt.reason !== null, into };
  if (before === undefined) return { ...NOTHING_CARRIED_OVER, contracts: into };
  if (left?.day !== before)
    return carryOver(journal.read, before, names, successor, unjournaled(before).owners);
  left.tracker.takeUnread(journal.read, before);
  return left.tracker.carriedOver(before, left.contracts, names, successor);
}

export class TradingSession implements InputSink, SessionWork {
  readonly day: TradingDay;
  readonly tracker: SessionTracker;
  readonly #context: SessionContext;
  readonly #clock: Clock;
  readonly #engine: EngineLink;
  readonly strategies: StrategySwitch;
  readonly inbox: Inbox;
  #frames: Subscription | undefined = undefined;
  #alarm: CancelTimer | undefined = undefined;
  wakeAtUs: number = Infinity;
  /** How far the clock was set back since the last input of the past. */
  #setBack = durationUs(0);
  #isEnding = false;
  #isClosed = false;
  /** Number of the last halt or resume on its way to the engine: rows that earlier inputs caused, those of a replay too, are outdated. */
  #lastHaltCommand = 0;
  readonly #lastStops = new Map<StrategyIndex, Seq>();
  /** Null for a day that began with this session. */
  replayed: ReplayedPast | null = null;

  private constructor(
    context: SessionContext,
    { day, tracker, strategies }: PreparedSession,
    excluded: ReadonlyMap<StrategyIndex, string>,
    onLost: OnEngineLost,
  ) {
    const { config } = context;
    this.day = day;
    this.tracker = tracker;
    this.#context = context;
    this.#clock = createMarketClock(context.clockMap);
    this.#engine = new EngineLink({
      data: engineData(config, strategies, excluded, context.followPath),
      start: context.startEngine,
      onOutbox: (outbox) => {
        this.#carryOut(outbox);
        this.inbox.release();
        context.lockstep?.checkWork(this);
      },
      onLost,
    });
    this.inbox = new Inbox({
      clock: this.#clock,
      realClock: systemClock,
      engine: this.#engine,
      decode: pipe(
        decodeFrames(context.edge.table, context.edge.drift),
        tap((frame) => this.#countFrame(frame)),
        marketEvents,
      ),
      recordInput: (input) => this.#recordInput(input),
      watch: this,
      publish: context.feed === null ? undefined : (frame) => context.feed?.take(frame),
    });
    this.strategies = new StrategySwitch({
      context,
      day,
      engine: this.#engine,
      inbox: this.inbox,
      strategies,
      isShut: () => this.#isEnding,
      lastStopOf: (strategy) => this.#lastStops.get(strategy) ?? 0,
    });
  }

  /** Replays the day so far without the `excluded` strategies, then takes new inputs. Throws `EngineLost` when the replay breaks it. */
  static async open(
    context: SessionContext,
    prepared: PreparedSession,
    contracts: UnnumberedInput<ContractsListed>,
    excluded: ReadonlyMap<StrategyIndex, string>,
    onLost: OnEngineLost,
  ): Promise<TradingSession> {
    const session = new TradingSession(context, prepared, excluded, onLost);
    try {
      await session.#begin(prepared, contracts, excluded);
    } catch (error) {
      await session.close();
      throw error;
    }
    return session;
  }

  async #begin(
    { past, carriedOver, day, isStarted, strategies, sent }: PreparedSession,
    contracts: UnnumberedInput<ContractsListed>,
    excluded: ReadonlyMap<StrategyIndex, string>,
  ): Promise<void> {
    const { journal, paths, accountTail, startStamp, halt, prices } = this.#context;
    prices?.restart();
    if (past !== null) await Promise.all([this.#replay(past), this.tracker.readPast()]);
    this.inbox.frameLog = openFrameLog(paths.frames, day, this.replayed?.framesEnd.wholeBytes);
    journal.beforeCommit(() => this.#settleFrames());
    const carried = carriedOver.started;
    const endless = neverCloses(this.#context.config.calendar) ? { isEndless: true } : {};
    const head = { kind: 'session_started', tradingDay: day, ...carried, ...endless } as const;
    const started = { ...head, halted: halt.inForce ?? carriedOver.halted };
    // A number for each engine, not for each process: an engine counts its ids from 1, and none may be made twice. A journal that does not
    // take it takes nothing of this start: the engine would decide a tail without strategies of which no row says that they are left out.
    const boot = journal.nextBoot();
    if (started.isRestarted === true) this.#handBack(started.follows);
    this.#alertClosedDay(carriedOver);
    this.post(contracts);
    const calendar = { kind: 'calendar', ...coverageOf(this.#context.config.calendar) } as const;
    if (!isStarted) {
      this.post(calendar);
      this.tracker.begin(started);
      this.post(started);
    }
    this.post({ kind: 'booted', boot, accountTail, stamp: startStamp(), ...sent });
    this.post({ kind: 'strategies', strategies: strategies.configured });
    if (isStarted) this.post(calendar);
    // Journaled before anything that was decided without them.
    for (const [strategy, reason] of excluded) {
      const command = { name: 'stop_strategy', strategy, reason } as const;
      this.post({ kind: 'command', by: 'process', command });
    }
    for (const command of carriedOver.commands) this.post({ kind: 'command', by: 'operator', command });
    this.#alertSetBack();
    this.#alertDamage(this.replayed?.framesEnd);
    this.#alertMissing(this.replayed?.framesMissing ?? 0);
    this.#frames = this.#context.edge.frames$.subscribe(({ text, receivedUs }) =>
      this.inbox.takeFrame(text, receivedUs),
    );
    // The inputs that a day starts with must be durable before its first frames are.
    journal.flush();
  }

  get contracts(): readonly Contract[] {
    return this.#context.edge.table.contracts;
  }

  post(event: UnnumberedInput<EngineEvent>): void {
    if (this.#isEnding) return;
    if (event.kind === 'stream' && event.state === 'down') {
      this.#dropFrames();
      this.#context.prices?.down();
    }
    this.inbox.post(event);
    if (event.kind === 'contracts') this.#context.edge.stream.subscribe(this.#context.edge.table.listed);
  }

  /** A frame overtakes the alarm: what is due is decided, and checked, on the prices before this one, as in a backtest. */
  onFrame(at: TsUs): void {
    if (at < this.wakeAtUs) return;
    this.#arm(Infinity);
    this.post({ kind: 'clock' });
  }

  onBehind(lag: DurationUs): void {
    const text = `the engine is ${this.#behindText(lag)}: entries wait until it has caught up`;
    this.#context.alert('warning', 'engine_behind', text);
    this.inbox.post({ kind: 'stream', state: 'stale', reason: 'the engine is behind the prices' });
  }

  onCaughtUp(): void {
    const { stream } = this.#context.edge;
    const { state, isStale } = stream.status();
    // The books were emptied when the engine fell behind.
    stream.resubscribe();
    if (state === 'live' && !isStale)
      this.inbox.post({ kind: 'stream', state: 'live', reason: 'the engine has caught up' });
  }

  onOverflow(lag: DurationUs): void {
    const text = `the engine is ${this.#behindText(lag)}: prices are dropped until it has caught up, then the stream reconnects; entries wait, orders at the broker stay; stop the strategy or make it faster`;
    this.#context.alert('critical', 'frames_dropped', text);
    this.inbox.post({ kind: 'stream', state: 'down', reason: 'the engine could not follow the prices' });
  }

  onRoomAgain(): void {
    this.#context.edge.stream.reconnect('the engine could not follow the prices');
  }

  #behindText(lag: DurationUs): string {
    const { running } = this.#engine.thread;
    const code =
      running === null
        ? ', and in no strategy at this moment: the machine may be too busy'
        : `, in the code of ${this.#context.names.nameOf(running)}, which takes longer for a price than prices take to come`;
    return `${(lag / US_PER_SECOND).toFixed(1)} s behind the prices${code}`;
  }

  /** Waiting frames of a connection that has ended. */
  #dropFrames(): void {
    const dropped = this.inbox.dropFrames();
    if (dropped === 0) return;
    const text = `${dropped} frames were dropped: the engine had not taken them when their connection ended; bars of that time have holes`;
    this.#context.alert('warning', 'frames_dropped', text);
  }

  /** Frames that a replay could not read may be why it decides otherwise. */
  #alertDamage(end: FrameLogEnd | undefined): void {
    const text = end === undefined ? null : frameDamageText(end);
    if (text === null) return;
    const path = frameLogPath(this.#context.paths.frames, this.day);
    const severity = end?.damage.length === 0 ? 'warning' : 'critical';
    this.#context.alert(
      severity,
      'frames_damaged',
      `${path}: ${text}; the replay went on without the frames there`,
    );
  }

  /** Frames are missing, as after a copy of the journal alone: strategies that decided on them differ from the journal, and are stopped. */
  #alertMissing(count: number): void {
    if (count === 0) return;
    const path = frameLogPath(this.#context.paths.frames, this.day);
    const text = `${path} lacks prices at which ${formatCount(count, 'decision')} of the day were made: orders and positions are those of the journal, and strategies that cannot repeat them are stopped`;
    this.#context.alert('critical', 'frames_missing', text);
  }

  get isIdle(): boolean {
    return this.#context.edge.calls.pending === 0 && this.inbox.isEmpty && this.#engine.isIdle;
  }

  /** Shows the effect of all earlier inputs, a command too. */
  view(): Promise<EngineSnapshot | undefined> {
    this.inbox.flush();
    return this.#engine.thread.view();
  }

  /** Returns once each input is decided and journaled: one left undecided by a clean end would look as if the process was killed. */
  async drain(): Promise<void> {
    this.#dropFrames();
    this.#frames?.unsubscribe();
    this.inbox.flush();
    this.#isEnding = true;
    await this.#engine.idle();
    this.#arm(Infinity);
    this.#context.lockstep?.checkWork(this);
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#engine.close();
    this.#isClosed = true;
    // Frames that a full disk refuses keep the log open, and the rows decided on them uncommitted.
    thrownText(() => this.#settleFrames());
  }

  #settleFrames(): void {
    const { inbox } = this;
    if (inbox.frameLog === undefined) return;
    inbox.writeFrames();
    if (!this.#isClosed) return;
    inbox.frameLog.close();
    inbox.frameLog = undefined;
    this.#context.journal.beforeCommit(null);
  }

  /** The session had positions already: it restarts with those of the session that ran since, so that its rows count each once. */
  #handBack(follows: TradingDay | undefined): void {
    const { journal, names } = this.#context;
    const tsUs = this.#clock.nowUs();
    for (const { strategy, positions } of this.tracker.accounts)
      for (const { instrument, position } of positions)
        journal.append({
          kind: 'position_event',
          event: 'carried_over',
          cause: NO_EVENT,
          tsUs,
          strategy: names.indexOf(strategy),
          instrument,
          qty: signedQty(0 - position.qty),
          value: position.openValue,
        });
    const isSetBack = follows !== undefined && (journal.read.startOf(follows)?.tsUs ?? 0) > tsUs;
    const why = isSetBack ? 'the clock was set' : `the calendar has ${this.day} again`;
    const text = `${why}: the session of ${follows} ran since this one did, which restarts with its positions, orders and halts; what it realised as a loss counts for the limits of the day, its profit is counted from here`;
    this.#context.alert('warning', 'session_restarted', text);
  }

  /** The day was cut off by its closure: where the broker trades it all the same, its orders rest on, and this session takes them for over. */
  #alertClosedDay({ started: { follows, carriedOrders = [] }, contracts }: CarriedOver): void {
    const { config, alert } = this.#context;
    if (follows === undefined || !config.calendar.closures.has(follows)) return;
    const resting = carriedOrders.filter(
      ({ row, status, orderNo, trigger }) =>
        row === undefined && orderNo !== null && !hasProvenEnd(status) && !waitsInTriggerBook(trigger),
    );
    if (resting.length === 0) return;
    const texts = resting.map((order) => {
      const code =
        contracts.find(({ index }) => index === order.instrument)?.orderCode ?? 'an unlisted contract';
      return `no. ${order.orderNo}: ${orderText({ ...order, orderCode: code }, contracts)}`;
    });
    const text = `${follows} is no session any more, and its orders may still rest at the broker, where nobody follows them: ${texts.join(', ')}; compare the broker's own list; tickwright halt cancels entries`;
    alert('critical', 'closed_day_orders', text);
  }

  #alertSetBack(): void {
    if (this.#setBack === 0) return;
    const by = `${Math.round(this.#setBack / US_PER_SECOND)} s`;
    const text = `the clock is ${by} behind the last input of today: market time goes on from the clock; bars of that time have holes`;
    this.#context.alert('warning', 'clock_set_back', text);
  }

  #recordInput(input: JournaledInput): void {
    const { halt, journal, feed } = this.#context;
    const isHalt = input.kind === 'command' && isOfAccount(input.command);
    if (isHalt) this.#lastHaltCommand = input.seq;
    if (isHalt || input.kind === 'session_started') halt.markDelivered();
    if (input.kind === 'command' && input.command.name === 'stop_strategy')
      this.#lastStops.set(input.command.strategy, input.seq);
    journal.recordInput(input);
    feed?.note(input);
  }

  async #replay(request: ReplayRequest): Promise<void> {
    const { past } = await this.#engine.thread.replay(request);
    this.replayed = past;
    // The main thread has answered it, and may have answered others while no engine was there.
    this.#lastHaltCommand = past.lastHaltCommand + 1;
    const { names } = this.#context;
    for (const [at, name] of past.names.entries())
      assert(names.indexOf(name) === at, 'the engine thread gives strategies the same indexes');
    this.#setBack = this.inbox.goOnAfter(past.lastSeq, past.lastTsUs);
  }

  /** Reports the frame to the watchers of the stream outside the engine. */
  #countFrame(frame: ServerFrame): void {
    const { edge, prices } = this.#context;
    if (frame.kind === 'malformed') edge.drift.count('stream', 'a malformed frame');
    if (frame.kind !== 'market') return;
    const { event } = frame;
    if (event.kind === 'trade') edge.stream.seen(event.instrument, 'trades');
    else if (event.kind === 'book_update')
      edge.stream.seen(event.instrument, event.side === 'bid' ? 'bids' : 'asks');
    prices?.take(event);
  }

  /** Entries first, then calls: the gateway commits the journal before the first byte. */
  #carryOut({ entries, calls, reads, pace, wakeAt }: EngineOutput): void {
    const { gateway, reports } = this.#context.edge;
    for (const entry of entries) this.#append(entry);
    this.#context.halt.writeEngineRows();
    for (const call of calls) dispatchCall(gateway, call);
    if (pace !== null) reports.pollPace(pace);
    for (const what of reads) reports.read(what);
    if (wakeAt !== null) this.#arm(wakeAt);
  }

  #append(entry: JournalEntry): void {
    const { journal, halt, onEntry } = this.#context;
    if (entry.kind === 'halt' && entry.strategy === null)
      return halt.takeEngineRow(entry, entry.cause < this.#lastHaltCommand);
    journal.append(entry);
    onEntry(entry);
  }

  #arm(at: TsUs | typeof Infinity): void {
    this.wakeAtUs = at;
    this.#alarm?.();
    this.#alarm = undefined;
    if (at === Infinity) return;
    this.#alarm = atMarketTime(this.#context.clockMap, tsUs(at), () => this.post({ kind: 'clock' }));
  }
}
