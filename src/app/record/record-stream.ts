/** `tickwright record`: the live edge without an engine. Logs in, subscribes and writes each frame down; sends no order. */
import { errorText } from '../../domain/failure.ts';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { type TradingCalendar, tradingDayAt } from '../../domain/calendar.ts';
import { momentOf, type TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer, Clock, ClockMap } from '../../domain/clock.ts';
import { seconds, seq, type TsUs, tsUs, US_PER_DAY, US_PER_SECOND } from '../../domain/units.ts';
import type { EngineEvent, Unsequenced } from '../../engine/ports/engine-event.ts';
import { AlreadyRunning } from '../../journal/instance-lock.ts';
import { JournalStore } from '../../journal/journal-store.ts';
import { type FrameLog, frameLogPath, openFrameLog, readFrames } from '../../recording/frame-log.ts';
import { formatNumber } from '../../text/numbers.ts';
import { type BrokerAddress, reachBroker } from '../edge/broker-address.ts';
import { type BrokerEdge, createBrokerEdge } from '../edge/broker-edge.ts';
import { EdgeAlerts } from '../edge/edge-alerts.ts';
import { followSessionHours } from '../edge/schedule.ts';
import { awaitToken } from '../edge/token-watch.ts';
import { createMarketClock, systemTimers } from '../host/market-clock.ts';
import { quietNotes } from '../../operator/quiet-notes.ts';
import { systemClock } from '../host/system-clock.ts';
import { type RunPlan, runPlan } from '../host/run-plan.ts';
import type { Shutdown } from '../host/shutdown.ts';
import { runAlone, type StatePaths, statePaths } from '../restart/state-paths.ts';
import { startArchiver } from './archive-recordings.ts';

export interface RecordOptions {
  readonly config: Config;
  /** State directory, or null for the configured one. */
  readonly stateDir: string | null;
  readonly speed: number | null;
  readonly durationMs: number | null;
  readonly note: (text: string) => void;
}

/** Counts of one run. */
export interface Recorded {
  readonly frames: number;
  readonly lost: number;
  /** The log written to last; null when no frame came. */
  readonly path: string | null;
}

const CONTRACTS_RETRY = seconds(2);

export { AlreadyRunning };

/** Throws `AlreadyRunning` beside a daemon of the same account: the broker takes one connection for each token. */
export function recordStream(options: RecordOptions): Promise<Recorded> {
  const { config, stateDir, speed } = options;
  const plan = runPlan(config, { replay: null, speed, stateDir });
  const paths = statePaths(plan.config.stateDir);
  return runAlone(paths, (shutdown) => recordLocked(plan, paths, options, shutdown));
}

async function recordLocked(
  plan: RunPlan,
  paths: StatePaths,
  options: RecordOptions,
  shutdown: Shutdown,
): Promise<Recorded> {
  const broker = await reachBroker(plan, paths, { fresh: false, trades: false });
  const { address, clockMap } = broker;
  const note = quietNotes(systemClock, (text) => options.note(address.secrets.hide(text)));
  const recording = new Recording(plan.config, paths, address, clockMap, note);
  try {
    if (options.durationMs !== null) shutdown.askAfter(options.durationMs, 'the duration is over');
    if (plan.tape !== null) shutdown.askAt(clockMap, plan.tape.endUs, 'the tape is over');
    process.send?.('ready');
    await Promise.race([recording.run(), shutdown.wait()]);
  } finally {
    await recording.close();
    await broker.close();
  }
  // Frames go on arriving until the stream is closed.
  return recording.result;
}

class Recording {
  readonly #config: Config;
  readonly #journal: JournalStore;
  readonly #edge: BrokerEdge;
  readonly #recorder: FrameRecorder;
  readonly #note: (text: string) => void;
  readonly #stops: (() => void | Promise<void>)[] = [];
  readonly #places: { readonly frames: string; readonly data: string };
  #path: string | null = null;
  #status: CancelTimer | undefined = undefined;
  #isEnding = false;

  constructor(
    config: Config,
    paths: StatePaths,
    address: BrokerAddress,
    clockMap: ClockMap,
    note: (text: string) => void,
  ) {
    // Apart from the daemon's frames: a session replays its own, and these belong to no session.
    const dir = join(paths.dir, 'record');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    this.#places = { frames: join(dir, 'frames'), data: join(dir, 'data') };
    this.#config = config;
    this.#note = note;
    const clock = createMarketClock(clockMap);
    this.#recorder = new FrameRecorder({ dir: this.#places.frames, calendar: config.calendar, clock, note });
    this.#journal = new JournalStore({
      path: paths.journal,
      wallClock: systemClock,
      timers: systemTimers,
      onFailure: ({ message }) => note(`the journal could not be written: ${message}`),
      onRecovered: () => undefined,
    });
    this.#edge = createBrokerEdge({
      config,
      address,
      tokenPath: paths.token,
      clockMap,
      journal: this.#journal,
      emergency: () => false,
      sink: { post: (event) => this.#take(event) },
      refuse: () => 'a recording sends nothing',
      alerts: new EdgeAlerts((severity, _, text) => note(`${severity}: ${text}`), note),
      onFrame: (text) => this.#recorder.frame(text),
    });
  }

  get result(): Recorded {
    const { frames, lost, path } = this.#recorder;
    return { frames, lost, path: path ?? this.#path };
  }

  /** Never returns while the recording goes on. */
  async run(): Promise<void> {
    const config = this.#config;
    const edge = this.#edge;
    edge.tokens.start();
    await awaitToken(edge.tokens, () => this.#isEnding);
    if (this.#isEnding) return;
    edge.reports.read('contracts');
    edge.stream.start();
    this.#stops.push(
      followSessionHours(config, edge, () => edge.reports.read('contracts')),
      startArchiver({
        ...this.#places,
        market: config,
        journal: null,
        programProblem: () => null,
        retention: config.retention,
        today: () => this.#recorder.today(),
        isClosed: () => false,
        timers: systemTimers,
        note: this.#note,
        onFailure: this.#note,
      }),
    );
    this.#noteStatus(0);
    await new Promise<void>(() => undefined);
  }

  async close(): Promise<void> {
    this.#isEnding = true;
    this.#status?.();
    for (const stop of this.#stops) await stop();
    await this.#edge.close();
    this.#path = this.#recorder.path ?? null;
    this.#recorder.close();
    this.#journal.close();
  }

  #take(event: Unsequenced<EngineEvent>): void {
    const { stream, table, reports } = this.#edge;
    if (event.kind === 'contracts') {
      stream.subscribe(table.listed);
      this.#note(`subscribed: ${table.listed.map(({ streamCode }) => streamCode).join(', ')}`);
    } else if (event.kind === 'read_failed' && event.what === 'contracts') {
      this.#note(`the contract list could not be read: ${event.reason}; again in 2 s`);
      systemTimers.after(CONTRACTS_RETRY, () => {
        if (!this.#isEnding) reports.read('contracts');
      });
    } else if (event.kind === 'stream') {
      this.#note(`stream ${event.state}: ${event.reason}`);
    }
  }

  #noteStatus(framesBefore: number): void {
    const { statusEvery } = this.#config.operator;
    this.#status = systemTimers.after(statusEvery, () => {
      const { frames, lost, path } = this.result;
      const rate = Math.round(((frames - framesBefore) * US_PER_SECOND) / statusEvery);
      const missing = lost === 0 ? '' : `, ${lost} LOST`;
      const into = path === null ? '' : ` into ${path}`;
      this.#note(
        `${formatNumber(frames)} frames (${rate}/s)${missing}${into}, stream ${this.#edge.stream.status().state}`,
      );
      if (!this.#isEnding) this.#noteStatus(frames);
    });
  }
}

interface FrameRecorderOptions {
  readonly dir: string;
  readonly calendar: TradingCalendar;
  readonly clock: Clock;
  /** Told when the disk refuses frames, and when it takes them again. */
  readonly note: (text: string) => void;
}

interface OpenDay {
  readonly day: TradingDay;
  readonly endUs: number;
  readonly log: FrameLog;
}

/** Appends each frame to the log of its trading day, with its number and the time of receipt. */
export class FrameRecorder {
  readonly #options: FrameRecorderOptions;
  #open: OpenDay | undefined = undefined;
  #seq = 0;
  #lastUs = tsUs(0);
  #frames = 0;
  #lost = 0;
  #isRefused = false;

  constructor(options: FrameRecorderOptions) {
    this.#options = options;
  }

  /** Frames written since the start. */
  get frames(): number {
    return this.#frames;
  }

  /** Frames that the disk did not take. */
  get lost(): number {
    return this.#lost;
  }

  /** Undefined before the first frame of a day. */
  get path(): string | undefined {
    return this.#open?.log.path;
  }

  /** Current trading day; closes the log of an earlier one. */
  today(): TradingDay {
    const now = this.#options.clock.nowUs();
    if (this.#open !== undefined && now >= this.#open.endUs) this.close();
    return this.#open?.day ?? tradingDayAt(this.#options.calendar, now);
  }

  frame(text: string): void {
    try {
      this.#write(text);
      this.#frames += 1;
      if (this.#isRefused) this.#options.note(`frames are recorded again; ${this.#lost} were lost`);
      this.#isRefused = false;
    } catch (error) {
      this.#lost += 1;
      const reason = errorText(error);
      if (!this.#isRefused) this.#options.note(`frames are NOT recorded: ${reason}`);
      this.#isRefused = true;
    }
  }

  close(): void {
    this.#open?.log.close();
    this.#open = undefined;
  }

  #write(text: string): void {
    const now = this.#options.clock.nowUs();
    if (this.#open !== undefined && now >= this.#open.endUs) this.close();
    const { log } = (this.#open ??= this.#openDay(now));
    const at = tsUs(Math.max(now, this.#lastUs));
    log.append(seq(this.#seq + 1), at, text);
    this.#seq += 1;
    this.#lastUs = at;
  }

  /** Continues the numbers of an earlier run of the same day. */
  #openDay(now: TsUs): OpenDay {
    const { dir, calendar } = this.#options;
    const day = tradingDayAt(calendar, now);
    this.#seq = 0;
    this.#lastUs = tsUs(0);
    for (const frame of readFrames(frameLogPath(dir, day))) {
      this.#seq = frame.seq;
      this.#lastUs = frame.tsUs;
    }
    const endUs = momentOf(day, 0, calendar.utcOffsetMinutes) + US_PER_DAY;
    return { day, endUs, log: openFrameLog(dir, day) };
  }
}
