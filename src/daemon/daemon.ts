/**
 * The life of the daemon: lock, journal, broker, then one trading session after the other until it is stopped. The engine decides;
 * what happens reaches the operator by journal entries, and what is so by the engine's view.
 */
import { FeedPublisher } from '../cluster/feed-publisher.ts';
import type { Config } from '../config/config.ts';
import { ReplaceableCalendar, type CalendarCoverage, tradingDayAt } from '../domain/calendar.ts';
import type { TradingDay } from '../domain/civil-date.ts';
import type { CancelTimer, Clock } from '../domain/clock.ts';
import { withAliases } from '../domain/contract-code.ts';
import { errorText, thrownText, isLocked } from '../domain/failure.ts';
import { seconds, type StrategyIndex, type TsUs } from '../domain/units.ts';
import type { EngineSnapshot } from '../engine/engine-snapshot.ts';
import {
  type AccountSnapshot,
  type Command,
  isOfAccount,
  journalFailed,
  type UnnumberedInput,
} from '../engine/ports/engine-event.ts';
import {
  type AlertSeverity,
  type HaltEntry,
  type JournalEntry,
  NO_EVENT,
} from '../engine/ports/journal-entry.ts';
import { openEmergencyFile } from '../journal/emergency-file.ts';
import { WAL_BYTES_MAX } from '../journal/journal-database.ts';
import { JournalStore } from '../journal/journal-store.ts';
import { type Log, quietNotes } from '../operator/log.ts';
import { Metrics } from '../operator/metrics.ts';
import type { BrokerAddress } from './edge/broker-address.ts';
import { type BrokerEdge, createBrokerEdge, tokenHours } from './edge/broker-edge.ts';
import { EdgeAlerts } from './edge/edge-alerts.ts';
import { watchClock } from './clock-watch.ts';
import {
  type DailyMaintenance,
  followSessionHours,
  type RunningSchedule,
  type Schedule,
} from './schedule.ts';
import { awaitToken } from './token-watch.ts';
import type { FeedAccess } from '../host/cluster-access.ts';
import {
  createMarketClock,
  FOLLOWED_STEP_US_MAX,
  withTimeout,
  systemClock,
  systemTimers,
} from '../host/system-clock.ts';
import { isSupervised, type ProgramFiles } from '../host/program-files.ts';
import { runWithin } from '../host/shutdown.ts';
import { EmergencyRecord } from './restart/emergency-record.ts';
import type { RunRecord } from '../host/run-record.ts';
import { unreportedOrder } from './restart/our-books.ts';
import { startStamp } from '../host/state/state-paths.ts';
import { Alerting } from './alerting.ts';
import { OtpReminders } from './otp-reminders.ts';
import { CommandOutcomes } from './command-outcomes.ts';
import { checkCalendar } from './inspect/calendar-view.ts';
import { HaltEnforcer, type HoldingsText } from './session/halt-enforcer.ts';
import { Halt } from './session/halt.ts';
import { holdingsText } from './session/holdings.ts';
import { PriceBoard } from './edge/price-board.ts';
import { SessionCycle } from './session/session-cycle.ts';
import type { SessionContext } from './session/trading-session.ts';
import { formatShownTime } from '../text/dates.ts';
import type { StrategyNames } from '../domain/ids.ts';
import { OtpInbox } from '../broker/auth/one-time-password.ts';
import type { Dial } from '../broker/stream/stream-connection.ts';

/** An entry without the fields that each entry of the main thread has. */
type MainEntry<E = JournalEntry> = E extends JournalEntry ? Omit<E, 'cause' | 'tsUs' | 'strategy'> : never;

export interface DaemonOptions extends Pick<
  SessionContext,
  'config' | 'names' | 'paths' | 'clockMap' | 'startEngine' | 'lockstep'
> {
  readonly address: BrokerAddress;
  readonly screen: Pick<Log, 'note' | 'entry'>;
  /** Absent: the stream is a real WebSocket. */
  readonly dial?: Dial;
  /** Absent: node-cron fires the jobs of the day, or timers where market time is not the wall clock's. */
  readonly schedule?: Schedule;
  /** Absent where no thread loads code from them. */
  readonly program?: ProgramFiles;
  /** Absent where no process can die. */
  readonly runRecord?: RunRecord;
  /** Absent where no feed is published. */
  readonly feed?: FeedAccess | undefined;
  /** Absent: the installation's number and a random part. */
  readonly startStamp?: () => string;
}

const MAINTAIN_EVERY_MS = 5 * 60_000;
/** The engine's own limits end sooner: cancels after 15 s, a flatten after a minute. */
const STOP_WAIT_MAX = seconds(80);
/** The message of a halt waits no longer for an engine that hangs. */
const VIEW_WAIT_MAX = seconds(2);

export class Daemon {
  readonly clock: Clock;
  readonly edge: BrokerEdge;
  readonly halt: Halt;
  readonly haltEnforcer: HaltEnforcer;
  readonly journal: JournalStore;
  readonly names: StrategyNames;
  readonly otpInbox: OtpInbox;
  readonly alerting: Alerting;
  readonly metrics: Metrics;
  readonly prices: PriceBoard | null;
  readonly feed: FeedPublisher | null;
  /** Commands since the start that took entries away, of the account or of a strategy. */
  halts = 0;
  readonly outcomes = new CommandOutcomes((...alert) => this.alert(...alert));
  /** Orders that a person is resolving: of two at once, one is refused. */
  readonly resolving = new Set<string>();
  readonly options: DaemonOptions;
  readonly #calendar: ReplaceableCalendar;
  readonly #emergency: EmergencyRecord;
  readonly cycle: SessionCycle;
  readonly #reminders: OtpReminders;
  readonly #maintenance: NodeJS.Timeout;
  #endStop: ((isReady: boolean) => void) | undefined = undefined;
  #reject: ((error: Error) => void) | undefined = undefined;
  #schedule: RunningSchedule | undefined = undefined;
  #stopClockWatch: CancelTimer | undefined = undefined;
  #isEnding = false;
  #isLogLocked = false;
  /** The problem as alerted last, without a read of the disk. */
  lastProgramProblem: string | null = null;
  lastView: EngineSnapshot | undefined = undefined;
  lastAccount: UnnumberedInput<AccountSnapshot> | null = null;
  /** When the engine answered last, in real time. */
  viewedUs: TsUs = systemClock.nowUs();

  constructor(given: DaemonOptions) {
    this.#calendar = new ReplaceableCalendar(given.config.calendar);
    const options = { ...given, config: { ...given.config, calendar: this.#calendar } };
    this.options = options;
    const { config, paths, address, clockMap, screen } = options;
    const note = quietNotes(systemClock, (text) => screen.note(text));
    this.clock = createMarketClock(clockMap);
    this.names = options.names;
    this.metrics = new Metrics({ clock: systemClock, market: this.clock, speed: clockMap.speed });
    this.#emergency = new EmergencyRecord(openEmergencyFile(paths.emergency), this.names);
    this.journal = new JournalStore({
      path: paths.journal,
      wallClock: systemClock,
      timers: systemTimers,
      names: this.names,
      onFailure: (error) => {
        this.#emergency.recordHalt(error.message);
        this.cycle.post(journalFailed(error));
      },
      onRecovered: () => this.#emergency.clearOwn(),
      onCommit: (took) => this.metrics.commit(took),
    });
    this.alerting = new Alerting({ ...options, alert: this.alert, counters: this.journal });
    this.#reminders = this.#createReminders(options, note);
    this.otpInbox = new OtpInbox({
      timers: systemTimers,
      onWaiting: (isWaiting) => this.#reminders.waiting(isWaiting),
    });
    this.halt = new Halt({
      clock: this.clock,
      journal: this.journal,
      last: this.journal.read.lastHalt(),
      onEntry: (entry) => this.#onHalt(entry),
    });
    this.edge = this.#createEdge(options, note);
    this.feed = this.#createPublisher(options);
    this.prices = config.operator.cockpit.enabled ? new PriceBoard(() => this.edge.table.contracts) : null;
    this.edge.tokens.onChange(() => {
      this.#reminders.obtained();
      this.cycle.post({ kind: 'token', isValid: this.edge.tokens.current() !== undefined });
    });
    this.haltEnforcer = this.#createHaltEnforcer(config);
    this.cycle = new SessionCycle({
      context: {
        ...options,
        journal: this.journal,
        edge: this.edge,
        halt: this.halt,
        followPath: options.runRecord?.followPath ?? null,
        accountTail: address.custodyCode.slice(-6),
        startStamp: options.startStamp ?? (() => (config.mode === 'dry-run' ? '' : startStamp(paths))),
        unjournaled: (on) => this.#emergency.unjournaled(on),
        prices: this.prices,
        feed: this.feed,
        onEntry: (entry) => this.#onEntry(entry),
        alert: this.alert,
      },
      calendar: this.#calendar,
      note,
      excluded: this.#excludedStrategies(),
      programProblem: () => this.programProblem,
      isSupervised: isSupervised(),
      onLost: (reason, culprit) => this.#onLost(reason, culprit),
      onGone: () => this.#endStop?.(false),
      onFailure: (error) => this.#reject?.(error instanceof Error ? error : new Error(String(error))),
    });
    this.#maintenance = setInterval(() => this.#maintain(), MAINTAIN_EVERY_MS).unref();
  }

  /** Undefined between two sessions. */
  get sessionDay(): TradingDay | undefined {
    return this.cycle.session?.day;
  }

  /** Why market time is not to be trusted, or null. */
  get clockProblem(): string | null {
    if (this.cycle.session?.inbox.isTimePaused === true)
      return 'market time is paused: its last input is ahead of the clock';
    return Math.abs(systemClock.stepUs) > FOLLOWED_STEP_US_MAX
      ? 'the clock of this machine was set: entries wait'
      : null;
  }

  /** The program on disk is another one, in words, or null. */
  get programProblem(): string | null {
    return this.options.program?.problem() ?? null;
  }

  /** Names the contracts in a text for people. */
  named(text: string): string {
    const { calendar } = this.config;
    return withAliases(text, calendar, this.sessionDay ?? tradingDayAt(calendar, this.clock.nowUs()));
  }

  get config(): Config {
    return this.cycle.config;
  }

  /** The days of a newer file. */
  takeCalendar(known: CalendarCoverage, changes: readonly string[]): void {
    this.alert('info', 'calendar_changed', `the calendar is changed: ${changes.join('; ')}`);
    this.cycle.takeCalendar(known);
    this.#checkCalendar();
  }

  #checkCalendar(): void {
    const { clock, journal, alert } = this;
    checkCalendar({ calendar: this.#calendar, clock, counters: journal, alert });
  }

  get jobs(): ReturnType<RunningSchedule['jobs']> {
    return this.#schedule?.jobs() ?? { next: [], last: null };
  }

  async refreshView(): Promise<EngineSnapshot | undefined> {
    this.lastView = await this.cycle.session?.view();
    this.viewedUs = systemClock.nowUs();
    if (this.lastView === undefined) return undefined;
    this.prices?.plot(this.lastView.plots);
    this.outcomes.observe(this.lastView);
    return this.lastView;
  }

  /** Never returns; throws when the daemon cannot go on. */
  async run(maintenance?: DailyMaintenance): Promise<never> {
    const failure = new Promise<never>((_, reject) => {
      this.#reject = reject;
    });
    const { reason } = this.halt;
    if (reason !== null)
      this.options.screen.note(
        `entries are off since an earlier run: ${reason}; tickwright resume ends that`,
      );
    // Not only once a session is open: the disk may still be full, and orders that rest at the broker would fill meanwhile.
    if (this.#emergency.lines.length > 0) this.halt.begin(this.#emergency.haltReason);
    this.#checkCalendar();
    this.edge.tokens.start();
    this.#stopClockWatch = watchClock({
      clock: systemClock,
      timers: systemTimers,
      session: () => this.cycle.session,
      skewUs: () => this.cycle.skew?.skewUs ?? 0,
      onStep: (stepUs) => this.cycle.post({ kind: 'clock_step', stepUs }),
      onSet: () => this.#schedule?.clockStepped(),
      alert: this.alert,
    });
    return Promise.race([this.#runSessions(maintenance), failure]);
  }

  #excludedStrategies(): ReadonlyMap<StrategyIndex, string> {
    const { runRecord, config } = this.options;
    const left = runRecord?.excluded(config.strategies.map(({ id }) => id));
    return new Map(left?.ids.map((id) => [this.names.indexOf(id), left.reason]));
  }

  readonly alert = (severity: AlertSeverity, code: string, text: string, about?: string): void =>
    this.append({ kind: 'alert', severity, code, text, ...(about !== undefined && { about }) });

  /** Journals an entry of the main thread, with or without an open session. */
  append(entry: MainEntry): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the three fields that `MainEntry` leaves out
    const whole = { ...entry, cause: NO_EVENT, tsUs: this.clock.nowUs(), strategy: null } as JournalEntry;
    // A journal that fails has alerted that itself; the operator gets this alert all the same.
    void thrownText(() => this.journal.append(whole));
    this.#onEntry(whole);
  }

  command(command: Command, by: 'operator' | 'schedule' | 'process' = 'operator'): void {
    if (command.name === 'halt' || command.name === 'stop_strategy') this.halts += 1;
    const isHalt = command.name === 'halt' && isOfAccount(command);
    if (isHalt && !this.halt.begin(command.reason)) this.#enforceHalt();
    if (command.name === 'resume' && isOfAccount(command)) this.halt.end(command.reason);
    this.cycle.post({ kind: 'command', by, command });
    // A person gets an answer next, which a kill must not undo. A journal that fails has alerted that itself.
    if (by === 'operator') void thrownText(() => this.journal.flush());
  }

  #onHalt(entry: HaltEntry): void {
    this.#onEntry(entry);
    if (!entry.halted) this.haltEnforcer.end();
    else if (this.halt.clearsBooks) this.#enforceHalt();
  }

  #createReminders({ config, clockMap }: DaemonOptions, note: (text: string) => void): OtpReminders {
    return new OtpReminders({
      config,
      market: this.clock,
      tokens: () => this.edge.tokens,
      hours: () => tokenHours(config, this.clock.nowUs(), clockMap),
      send: (draft) => {
        note(`${draft.title}: ${draft.text}`);
        this.alerting.send(draft);
      },
    });
  }

  #createEdge(
    { config, address, paths, dial, lockstep, clockMap }: DaemonOptions,
    note: (text: string) => void,
  ): BrokerEdge {
    return createBrokerEdge({
      config,
      address,
      tokenPath: paths.token,
      dial: dial ?? lockstep?.dial,
      clockMap,
      journal: this.journal,
      emergency: (record) => this.#emergency.recordSent(record, this.sessionDay),
      otpInbox: this.otpInbox,
      sink: {
        post: (event) => {
          this.haltEnforcer.observe(event);
          if (event.kind === 'account_snapshot') this.lastAccount = event;
          this.cycle.post(event);
        },
      },
      refuse: (purpose) => this.halt.refuse(purpose),
      alerts: new EdgeAlerts(
        (severity, code, text) => this.alert(severity, code, address.secrets.hide(text)),
        note,
        config.calendar.utcOffsetMinutes,
      ),
      meter: this.metrics,
    });
  }

  #createPublisher({ feed }: DaemonOptions): FeedPublisher | null {
    if (feed?.role !== 'publish') return null;
    return new FeedPublisher({
      name: feed.name,
      keep: feed.keep,
      open: feed.open,
      timers: systemTimers,
      epoch: systemClock.nowUs().toString(36),
      alert: this.alert,
      onLost: () => this.edge.stream.resubscribe(),
    });
  }

  #createHaltEnforcer(config: Config): HaltEnforcer {
    return new HaltEnforcer({
      gateway: this.edge.gateway,
      clock: systemClock,
      market: this.clock,
      timers: systemTimers,
      lookUp: config.engine.lookUp,
      isHalted: () => this.halt.reason !== null,
      readOurBooks: () => this.cycle.readOurBooks(),
      ourBooks: () => this.cycle.ourBooks(),
      unreportedOrder: (rows) => {
        const day = this.cycle.session?.day;
        return day === undefined ? null : unreportedOrder(this.journal.read, day, rows, config.calendar);
      },
      heldNow: async () => this.#holdingsText(await withTimeout(this.refreshView(), VIEW_WAIT_MAX)),
      alert: (severity, code, text, held = this.#holdingsText().text) =>
        this.alert(severity, code, this.#haltText(text, held)),
    });
  }

  /** One message for a halt: its reason, the end of the orders, and positions. */
  #haltText(outcome: string, held: string): string {
    const { reason } = this.halt;
    const why = reason === null ? '' : `entries are off until you resume: ${reason}; `;
    return `${why}${outcome}${held === '' ? '' : `; ${held}`}`;
  }

  #holdingsText(view?: EngineSnapshot): HoldingsText {
    const { haltEnforcer, names, edge, clock, config } = this;
    const ours = this.cycle.ourBooks();
    if (ours === null) return { text: '', isDoubtful: false };
    const time = (at = clock.nowUs()): string =>
      formatShownTime(at, clock.nowUs(), config.calendar.utcOffsetMinutes);
    return holdingsText(view, ours, haltEnforcer, names, edge.table.contracts, time);
  }

  /** A dry run has nothing to take back, and must not touch orders of others. */
  #enforceHalt(): void {
    if (this.options.config.mode !== 'dry-run') this.haltEnforcer.begin();
  }

  /** Clean stop: cancels and closes as configured under `stop`; alerts when time runs out. */
  async stop(reason: string): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const { session, isReopening } = this.cycle;
    if (session !== undefined || isReopening) return this.#stopSession(reason);
    // One that opens while the process ends would trade, and nobody would stop it.
    await this.cycle.drain();
    this.#alertNotStopped();
  }

  async #stopSession(reason: string): Promise<void> {
    const ready = new Promise<boolean>((resolve) => {
      const isWaiting = (): boolean => this.lastView?.stop === 'waiting';
      const cancel = runWithin(systemTimers, STOP_WAIT_MAX, isWaiting, () => resolve(false));
      this.#endStop = (isReady) => {
        cancel();
        resolve(isReady);
      };
    });
    this.command({ name: 'stop', reason }, 'process');
    if (await ready) return;
    if (this.cycle.session === undefined) return this.#alertNotStopped();
    this.#alertIncomplete('the engine did not finish in time: orders may still work');
  }

  #alertIncomplete(why: string): void {
    this.alert('warning', 'stop_incomplete', `${why}; see tickwright orders`);
  }

  /** No engine is there to carry out the settings of `stop`. */
  #alertNotStopped(): void {
    const { orders, positions } = this.config.engine.stop;
    if (orders === 'keep' && positions === 'hold') return;
    this.#alertIncomplete('no session is open: orders and positions stay as they are at the broker');
  }

  /** Closes everything; the journal last. */
  async close(): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#maintenance);
    this.haltEnforcer.close();
    this.#reminders.close();
    await this.alerting.stopListening();
    this.#schedule?.stop();
    this.#stopClockWatch?.();
    await this.edge.gateway.settled();
    await this.cycle.drain();
    await this.edge.gateway.settled();
    await this.edge.close();
    await this.feed?.close();
    try {
      await this.cycle.close();
    } finally {
      // A full disk must not prevent the rest from closing.
      try {
        this.#closeJournal();
      } finally {
        this.#emergency.close();
        await this.alerting.close();
      }
    }
  }

  /** Alerts once a log that cannot be folded in. */
  checkpoint(): void {
    const bytes = this.journal.checkpoint();
    const isKnown = this.#isLogLocked;
    this.#isLogLocked = bytes > WAL_BYTES_MAX;
    if (isKnown || !this.#isLogLocked) return;
    const size = `${Math.round(bytes / 1e6)} MB`;
    this.alert(
      'warning',
      'journal_log',
      `${this.options.paths.journal}-wal has grown to ${size}: a program that reads the journal keeps it from being folded in; end that program`,
    );
  }

  #maintain(): void {
    this.checkpoint();
    this.#checkCalendar();
    const problem = this.lastProgramProblem === null ? this.programProblem : null;
    if (problem === null) return;
    this.lastProgramProblem = problem;
    const next = isSupervised() ? 'the daemon ends' : 'no session opens';
    const meaning = `until then no reload is taken, and at the next change of day ${next}`;
    this.alert('warning', 'program_changed', `${problem}; ${meaning}`);
  }

  #closeJournal(): void {
    try {
      this.journal.close();
    } catch (error) {
      const { journal, dir } = this.options.paths;
      const remedy = isLocked(error) ? 'End the program that holds it' : `Make room on the disk of ${dir}`;
      throw new Error(
        `${journal} could not take its last rows: ${errorText(error)}. ${remedy} and start again: ` +
          'the next start reads orders and positions from the broker',
        { cause: error },
      );
    }
  }

  /** Alerts and journals the lines that an earlier run left in its emergency file, and freezes entries. */
  #takeEmergencies(): void {
    const { lines } = this.#emergency;
    if (lines.length === 0) return;
    for (const line of lines)
      this.alert('critical', 'emergency_record', `an earlier run could not write its journal: ${line}`);
    this.cycle.post({ kind: 'journal_failed', reason: this.#emergency.haltReason });
    this.journal.flush();
    void this.#emergency.clearOnce(this.cycle.session?.view(), () => this.journal.flush());
  }

  async #runSessions(maintenance: DailyMaintenance | undefined): Promise<never> {
    // A refused password, or a cached token that has died, is asked for again before the first session too.
    const roll = (): void => this.command({ name: 'rollover', reason: 'the daily time for it' }, 'schedule');
    this.#schedule = followSessionHours(this.options, this.edge, roll, maintenance);
    await awaitToken(this.edge.tokens, () => this.#isEnding);
    // The contract list, which a session waits for, may never come.
    if (this.halt.clearsBooks) this.#enforceHalt();
    await this.cycle.open();
    // Closed meanwhile: nothing may be started any more.
    if (this.#isEnding) return new Promise<never>(() => undefined);
    this.#takeEmergencies();
    this.edge.reports.start();
    this.edge.stream.start();
    return new Promise<never>(() => undefined);
  }

  #onEntry(entry: JournalEntry): void {
    this.options.screen.entry(entry);
    this.alerting.entry(entry);
    this.metrics.entry(entry);
    if (entry.kind === 'fill') this.haltEnforcer.onFill();
    // A loss during a replay concerns an engine that has ended.
    if (entry.kind === 'stop_ready' && this.cycle.session !== undefined) this.#endStop?.(true);
  }

  #onLost(reason: string, culprit: StrategyIndex | null): void {
    this.lastView = undefined;
    const id = culprit === null ? null : this.names.nameOf(culprit);
    const who =
      id === null
        ? 'no strategy was running'
        : `${id} was running: it is left out, also after a restart, until tickwright start-strategy ${id}`;
    this.alert('critical', 'engine_lost', `${reason}; ${who}`);
  }
}
