/**
 * The life of the daemon: lock, journal, broker, then one trading session after the other until somebody stops it. All
 * that decides is in the engine; all that is said comes from the journal's entries.
 */
import type { Clock } from '../../domain/clock.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import { phaseAt } from '../../domain/calendar.ts';
import {
  OPERATOR_INDEX,
  type StrategyIndex,
  strategyIndex,
  type TsUs,
  tsUs,
  US_PER_MS,
} from '../../domain/units.ts';
import type { EngineView } from '../../engine/engine-view.ts';
import type { Command } from '../../engine/ports/engine-event.ts';
import type { AlertSeverity, JournalEntry } from '../../engine/ports/journal-entry.ts';
import { openEmergencyFile } from '../../journal/emergency-file.ts';
import { JournalStore } from '../../journal/journal-store.ts';
import { awaitToken } from '../edge/token-watch.ts';
import type { BrokerAddress } from '../edge/broker-address.ts';
import { type BrokerEdge, createBrokerEdge, dryRunGateway } from '../edge/broker-edge.ts';
import { startDuties } from '../edge/schedule.ts';
import { EmergencyRecord } from '../restart/emergency-record.ts';
import { InputGate } from '../edge/input-gate.ts';
import { Halt } from './halt.ts';
import {
  type ClockMap,
  createMarketClock,
  realMsUntil,
  systemClock,
  systemTimers,
  sessionDay,
} from '../host/market-clock.ts';
import type { RunPlan } from '../host/run-plan.ts';
import { SignalDesk } from '../edge/edge-alerts.ts';
import type { StatePaths } from '../restart/state-paths.ts';
import { SessionCycle } from './session-cycle.ts';

/** Where the daemon shows what it does; made by the operator's side, in text or JSON. */
export interface Screen {
  note(text: string): void;
  entry(entry: JournalEntry): void;
  /** Several lines as they are: banner, tables. */
  block(text: string): void;
  status(text: string): void;
}

export interface DaemonParts {
  readonly plan: RunPlan;
  readonly paths: StatePaths;
  readonly address: BrokerAddress;
  readonly clockMap: ClockMap;
  readonly screen: Screen;
}

const CHECKPOINT_EVERY_MS = 5 * 60_000;
/** The engine's own limits end sooner: cancels after 15 s, a flatten after a minute. */
const STOP_WAIT_MS_MAX = 80_000;

export class Daemon {
  readonly #parts: DaemonParts;
  readonly #journal: JournalStore;
  readonly #emergency: EmergencyRecord;
  readonly #gate = new InputGate();
  readonly #halt = new Halt();
  readonly #clock: Clock;
  readonly #edge: BrokerEdge;
  readonly #boot: number;
  readonly #cycle: SessionCycle;
  readonly #checkpoints: NodeJS.Timeout;
  #stopReady: (() => void) | undefined = undefined;
  #failed: ((error: Error) => void) | undefined = undefined;
  #stopDuties: (() => void) | undefined = undefined;
  #isEnding = false;
  #view: EngineView | undefined = undefined;

  constructor(parts: DaemonParts) {
    this.#parts = parts;
    const { plan, paths, address, clockMap } = parts;
    this.#clock = createMarketClock(clockMap);
    this.#journal = new JournalStore({
      path: paths.journal,
      wallClock: systemClock,
      timers: systemTimers,
      strategyName: (index) => this.strategyName(index),
      onFailure: ({ message }) => {
        this.#emergency.journalFailed(message);
        this.#gate.post({ kind: 'journal_failed', reason: message });
      },
      onRecovered: () => this.#emergency.clear(),
    });
    this.#emergency = new EmergencyRecord(openEmergencyFile(paths.emergency), {
      nameOf: (index) => this.strategyName(index),
      indexOf: this.strategyIndexOf,
    });
    this.#boot = this.#journal.nextBoot();
    const edge = createBrokerEdge({
      config: plan.config,
      address,
      tokenPath: paths.token,
      clock: this.#clock,
      speed: clockMap.speed,
      journal: this.#journal,
      emergency: (record) => this.#emergency.sent(record),
      gate: this.#gate,
      refuse: (purpose) => this.#halt.refuse(purpose),
      signals: new SignalDesk({
        alert: (severity, code, text) => this.alert(severity, code, text),
        note: (text) => parts.screen.note(text),
      }),
      onFrame: (text) => this.#cycle.session?.frame(text),
      sessionClose: () => this.#sessionClose(),
    });
    this.#edge =
      plan.config.mode === 'dry-run' ? { ...edge, gateway: dryRunGateway(edge.gateway, this.#gate) } : edge;
    this.#cycle = new SessionCycle({
      config: plan.config,
      clock: this.#clock,
      clockMap,
      timers: systemTimers,
      journal: this.#journal,
      paths,
      edge: this.#edge,
      halt: this.#halt,
      boot: this.#boot,
      accountTail: address.custodyCode.slice(-6),
      owners: () => this.#emergency.owners(),
      strategyIndexOf: this.strategyIndexOf,
      gate: this.#gate,
      note: (text) => parts.screen.note(text),
      onEntry: (entry) => this.#onEntry(entry),
      onLost: (reason, culprit) => this.#onLost(reason, culprit),
      onFailure: (error) => this.#fail(error),
    });
    this.#checkpoints = setInterval(() => this.#journal.checkpoint(), CHECKPOINT_EVERY_MS).unref();
  }

  get journal(): JournalStore {
    return this.#journal;
  }

  get edge(): BrokerEdge {
    return this.#edge;
  }

  get clock(): Clock {
    return this.#clock;
  }

  get halt(): Halt {
    return this.#halt;
  }

  realMsUntil(at: TsUs): number {
    return realMsUntil(this.#parts.clockMap, at);
  }

  strategyName(index: StrategyIndex): string {
    return this.#parts.plan.config.strategies[index]?.id ?? 'operator';
  }

  readonly strategyIndexOf = (name: string): StrategyIndex => {
    const index = this.#parts.plan.config.strategies.findIndex(({ id }) => id === name);
    return index === -1 ? OPERATOR_INDEX : strategyIndex(index);
  };

  /** The trading day of the session of now. */
  get sessionDay(): TradingDay | undefined {
    return this.#cycle.session?.day;
  }

  /** As of the last `refreshView`. */
  get lastView(): EngineView | undefined {
    return this.#view;
  }

  async refreshView(): Promise<EngineView | undefined> {
    this.#view = await this.#cycle.session?.view();
    return this.#view;
  }

  /** Runs until `end` is called or the day of a tape is over; throws what cannot be gone on with. */
  async run(): Promise<void> {
    const failure = new Promise<never>((_, reject) => {
      this.#failed = reject;
    });
    this.#edge.tokens.start();
    await Promise.race([this.#work(), failure]);
  }

  alert(severity: AlertSeverity, code: string, text: string): void {
    const { session } = this.#cycle;
    if (session === undefined) this.#parts.screen.note(`${severity}: ${text}`);
    else session.tell({ kind: 'alert', severity, code, text });
  }

  command(command: Command, by: 'operator' | 'schedule' | 'process' = 'operator'): void {
    if (command.name === 'halt') this.#halt.begin(command.reason);
    this.#gate.post({ kind: 'command', by, command });
  }

  /** A clean stop: what the settings ask for is done, or said to be undone, before it returns. */
  async stop(reason: string): Promise<void> {
    if (this.#isEnding || this.#cycle.session === undefined) return;
    this.#isEnding = true;
    const ready = new Promise<boolean>((resolve) => {
      this.#stopReady = () => resolve(true);
      setTimeout(() => resolve(false), STOP_WAIT_MS_MAX).unref();
    });
    this.command({ name: 'stop', reason }, 'process');
    if (!(await ready)) {
      this.alert(
        'warning',
        'stop_incomplete',
        'the engine did not finish in time; see tickwright orders for what still works',
      );
    }
  }

  /** Closes everything; the journal last. */
  async close(): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#checkpoints);
    this.#stopDuties?.();
    // What is under way gets its answer into the journal, so that the next start has nothing to look up.
    await this.#edge.gateway.settled();
    this.#gate.shut();
    await this.#cycle.drain();
    await this.#edge.gateway.settled();
    await this.#edge.close();
    try {
      await this.#cycle.close();
    } finally {
      // A full disk must not keep the rest open.
      try {
        this.#journal.close();
      } finally {
        this.#emergency.close();
      }
    }
  }

  /** What an earlier run could not write: told, journaled and followed by a freeze before it is forgotten. */
  #takeEmergencies(): void {
    const { lines } = this.#emergency;
    if (lines.length === 0) return;
    const text = 'an earlier run, while the journal could not be written';
    for (const line of lines) this.alert('critical', 'emergency_record', `${text}: ${line}`);
    const reason = `by an earlier run, which left ${lines.length} lines in its emergency file`;
    this.#gate.post({ kind: 'journal_failed', reason });
    this.#journal.flush();
    this.#emergency.clear();
  }

  async #work(): Promise<void> {
    await awaitToken(this.#edge.tokens, systemTimers, () => this.#isEnding);
    await this.#cycle.open();
    this.#takeEmergencies();
    this.#edge.reports.start();
    this.#edge.stream.start();
    this.#stopDuties = startDuties({
      config: this.#parts.plan.config,
      edge: this.#edge,
      timers: systemTimers,
      rollover: () => this.command({ name: 'rollover', reason: 'the daily time for it' }, 'schedule'),
    });
    await new Promise<void>(() => undefined);
  }

  #onEntry(entry: JournalEntry): void {
    this.#parts.screen.entry(entry);
    if (entry.kind === 'stop_ready') this.#stopReady?.();
  }

  #onLost(reason: string, culprit: StrategyIndex | null): void {
    const who = culprit === null ? 'no strategy was running' : `${this.strategyName(culprit)} was running`;
    this.alert('critical', 'engine_lost', `${reason}; ${who}`);
  }

  #fail(error: unknown): void {
    this.#failed?.(error instanceof Error ? error : new Error(String(error)));
  }

  /** When the session of now closes, in real time; undefined where nothing closes. */
  #sessionClose(): TsUs | undefined {
    const { calendar } = this.#parts.plan.config;
    const now = this.#clock.nowUs();
    if (phaseAt(calendar, now) === 'closed' || calendar.name === 'always-open') return undefined;
    const end = calendar.phases.at(-1)?.toUs ?? 0;
    const close = momentOf(sessionDay(calendar, now), end, calendar.utcOffsetMinutes);
    return tsUs(systemClock.nowUs() + realMsUntil(this.#parts.clockMap, close) * US_PER_MS);
  }
}
