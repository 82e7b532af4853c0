/** `tickwright paper | live | dry-run`: one run from the lock to the summary, with its control API and the messages of its start and its end. */
import { setTimeout as pause } from 'node:timers/promises';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import {
  errorText,
  failureText,
  hasCode,
  isDiskFull,
  JournalFormatError,
  thrownText,
} from '../../domain/failure.ts';
import { isJournalThere } from '../../journal/journal-database.ts';
import { AlreadyRunning } from '../../journal/instance-lock.ts';
import { configuredFeed, FeedNotThere } from '../../host/cluster-access.ts';
import { configuredAddress, reachBroker } from '../edge/broker-address.ts';
import { missingSecrets, secretsInPm2 } from '../edge/secret-ref.ts';
import { CLOSE_READS_MAX } from '../schedule.ts';
import { withTimeout, systemClock, systemTimers } from '../../host/system-clock.ts';
import {
  isOfOtherAccount,
  mayHaveTradedMoney,
  readAgain,
  type RunOverrides,
  type RunPlan,
  runPlan,
  withFirstDayLimits,
} from '../../host/run-plan.ts';
import { sendAtOnce } from '../alerting.ts';
import { ProgramFiles, stopExit } from '../../host/program-files.ts';
import type { Shutdown } from '../../host/shutdown.ts';
import { createArchiver, type WrittenReport } from './archive-recordings.ts';
import { type EarlierRun, RunRecord } from '../../host/run-record.ts';
import {
  ForeignDirectory,
  forgetState,
  runSingle,
  type StatePaths,
  statePaths,
  writeBlocks,
} from '../../host/state/state-paths.ts';
import { listDaemon, takeAccountLock } from '../../host/state/running-daemons.ts';
import { execute, type RunActions } from '../daemon-commands.ts';
import { overLimits } from '../reload.ts';
import { type DaemonCockpit, startDaemonCockpit } from './daemon-cockpit.ts';
import { startDaemonMetrics } from './daemon-metrics.ts';
import { createDaemonScreen } from './daemon-screen.ts';
import { Daemon } from '../daemon.ts';
import { listenToPhones } from './phone.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import type { CancelTimer } from '../../domain/clock.ts';
import { seconds } from '../../domain/units.ts';
import { formatLocalSecond } from '../../text/dates.ts';
import { formatCount } from '../../text/numbers.ts';
import { bookFacts, comparisons, holdings, ownHoldings } from '../session/holdings.ts';
import { randomBytes } from 'node:crypto';
import { type CommandResult, startControl } from '../../operator/control-server.ts';
import { healthOf, problemsFor, statusOf } from './status.ts';
import { StrategyNames } from '../../domain/ids.ts';
import { dayClose } from '../../domain/calendar.ts';
import type { OrderStatus } from '../../domain/order.ts';

export interface DaemonRunOptions extends RunOverrides {
  readonly config: Config;
  /** Forgets the paper account, journal and token first; a replay always does. */
  readonly fresh: boolean;
  /** Ends by itself after this many real milliseconds, or null. */
  readonly durationMs: number | null;
  readonly jsonLogs: boolean;
}

const EXIT = { ok: 0, failed: 1, usage: 2, alreadyRunning: 3 } as const;

export async function runDaemon(options: DaemonRunOptions): Promise<number> {
  const plan = runPlan(options.config, options);
  const paths = statePaths(plan.config.stateDir);
  const missing = missingSecrets(plan.config);
  const problem =
    missing.length === 0
      ? journalMismatch(plan.config, paths)
      : missing.map((each) => `${plan.config.file}: ${each}; nothing was started`).join('\n');
  if (problem !== null) {
    process.stderr.write(`${problem}\n`);
    await alertNoStart(plan.config, problem);
    return EXIT.usage;
  }
  for (const text of secretsInPm2(plan.config)) process.stderr.write(`${text}\n`);
  try {
    return await runSingle(paths, (shutdown) => runWithRecord(plan, paths, options, shutdown));
  } catch (error) {
    const isForeign = error instanceof ForeignDirectory;
    if (!isForeign && !(error instanceof AlreadyRunning)) {
      const end = endAlert(plan.config, `failed: ${errorText(error)}`);
      await sendAtOnce(plan.config.alerts.channels, end);
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    return isForeign ? EXIT.usage : EXIT.alreadyRunning;
  }
}

/** Why this run leaves the journal alone, or null. Positions of the paper account are none of a broker's. */
function journalMismatch(config: Config, paths: StatePaths): string | null {
  const { mode } = config;
  const { dir, journal, simulator, backups, archive } = paths;
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === false)
    return `state directory ${dir}: it is a file, so nothing was changed; name a directory with --state`;
  try {
    const isLost = !isJournalThere(journal) && [backups, archive].some((path) => existsSync(path));
    if (mode !== 'paper' && isOfOtherAccount(journal, config))
      return `state directory ${dir}: its journal has the orders and positions of another account, so nothing was changed; name a directory of its own with --state`;
    if (mode !== 'paper' && isLost)
      return `state directory ${dir}: its journal is gone, and copies of it are there, so nothing was started: put the newest one of backups in its place, or name another directory with --state`;
  } catch (error) {
    if (error instanceof JournalFormatError) return error.message;
    if (hasCode(error, 'EACCES')) return failureText(error);
  }
  const isPaper = mode === 'paper';
  if (!(isPaper ? mayHaveTradedMoney(paths) : existsSync(simulator))) return null;
  return (
    `state directory ${dir}: its journal ${isPaper ? 'may have traded real money' : 'has traded on paper'}, so nothing was changed; ` +
    `${mode} needs a directory of its own: name another one with --state`
  );
}

/** A run that ends says so in its record, also one that fails; one that dies cannot. */
async function runWithRecord(
  plan: RunPlan,
  paths: StatePaths,
  options: DaemonRunOptions,
  shutdown: Shutdown,
) {
  if (plan.config.mode === 'paper' && (options.fresh || plan.tape !== null)) forgetState(paths);
  const runRecord = RunRecord.begin(paths.run, systemClock.nowUs());
  shutdown.onHurried = (text) => runRecord.end(text, systemClock.nowUs());
  let reason = 'failed';
  try {
    const end = await runLocked(plan, paths, options, shutdown, runRecord);
    reason = end.reason;
    return end.code;
  } catch (error) {
    reason = `failed: ${errorText(error)}`;
    throw error;
  } finally {
    runRecord.end(reason, systemClock.nowUs());
  }
}

async function runLocked(
  asked: RunPlan,
  paths: StatePaths,
  options: DaemonRunOptions,
  shutdown: Shutdown,
  runRecord: RunRecord,
) {
  const { config, remarks } = withFirstDayLimits(asked.config, paths.journal);
  const plan: RunPlan = { ...asked, config, remarks: [...asked.remarks, ...remarks] };
  if (config.mode === 'live' && process.env['TICKWRIGHT_ARM'] !== 'yes') return refuseUnarmed(config);
  const accountLock = config.mode === 'live' ? takeAccountLock(configuredAddress(config)) : undefined;
  const broker = await reachBrokerWithRoom(plan, paths, options.fresh, shutdown);
  try {
    if (broker === null || shutdown.isAsked) {
      const reason = await shutdown.wait();
      process.stderr.write(`${reason}: stopped before the first session was opened\n`);
      return { code: EXIT.ok, reason };
    }
    const { address, clockMap, lockstep } = broker;
    const names = new StrategyNames(config.strategies.map(({ id }) => id));
    const screen = createDaemonScreen(plan, names, options.jsonLogs, address.secrets);
    const program = new ProgramFiles();
    const parts = { config, names, paths, address, clockMap, lockstep, screen };
    const daemon = new Daemon({ ...parts, program, runRecord, feed: configuredFeed(config) });
    // Nothing can be sent any more, and no price comes.
    broker.onEnd((why) => {
      const reason = `the simulated broker has ended: ${why}`;
      daemon.alert('critical', 'simulator_ended', reason);
      daemon.command({ name: 'halt', reason }, 'process');
    });
    if (options.durationMs !== null) shutdown.askAfter(options.durationMs, 'the duration is over');
    if (plan.tape !== null) shutdown.askAt(clockMap, plan.tape.endUs, 'the tape is over');
    let code: number = EXIT.ok;
    const actions: RunActions = {
      stop: (reason) => {
        if (!shutdown.isAsked) code = stopExit();
        shutdown.ask(reason);
      },
      readAgain: () => readAgain(config, options, remarks.length > 0),
    };
    const { reason, isFailed } = await runServed(daemon, actions, { screen, runRecord, shutdown });
    return { code: isFailed ? EXIT.failed : code, reason };
  } finally {
    await broker?.close();
    accountLock?.release();
  }
}

interface RunParts {
  readonly screen: ReturnType<typeof createDaemonScreen>;
  readonly runRecord: RunRecord;
  readonly shutdown: Shutdown;
}

/** Runs the daemon from the moment at which it can be reached to its end. */
async function runServed(daemon: Daemon, actions: RunActions, { screen, runRecord, shutdown }: RunParts) {
  const cockpit = await startDaemonCockpit(daemon, actions);
  const control = await startDaemonControl(daemon, actions, cockpit);
  listenToPhones(daemon, actions, cockpit);
  const metrics = await startDaemonMetrics(daemon);
  // pm2: configuration valid, lock held, journal open, control reachable (rulings, 23).
  process.send?.('ready');
  const stopStatus = screen.watch(daemon, control.url, cockpit.note);
  const archiver = archiverOf(daemon);
  const notices = new RunNotices(daemon, runRecord);
  try {
    const reason = await Promise.race([daemon.run(archiver), shutdown.wait()]);
    await daemon.stop(reason);
    const end = await notices.stopped(reason);
    await screen.summary(daemon);
    return { reason: end, isFailed: false };
  } catch (error) {
    const text = `failed: ${failureText(error)}`;
    screen.note(text);
    await alertEnd(daemon, text);
    return { reason: text, isFailed: true };
  } finally {
    notices.close();
    stopStatus();
    await archiver.stop();
    await metrics.close();
    await cockpit.close();
    await control.close();
    await daemon.close();
  }
}

async function refuseUnarmed(config: Config) {
  const reason =
    'mode live: expected TICKWRIGHT_ARM=yes in the environment; without it no real order is sent';
  process.stderr.write(`${reason}\n`);
  await alertNoStart(config, reason);
  return { code: EXIT.usage, reason };
}

const ROOM_RETRY_MS = 10_000;

/** The simulated broker of a paper run needs the disk, or a feed: a start waits for it, or a supervisor would give up. Null: stopped meanwhile. */
async function reachBrokerWithRoom(plan: RunPlan, paths: StatePaths, fresh: boolean, shutdown: Shutdown) {
  for (let isLogged = false; !shutdown.isAsked; isLogged = true) {
    try {
      return await reachBroker(plan, paths, fresh);
    } catch (error) {
      const isFeed = error instanceof FeedNotThere;
      if (!isFeed && !isDiskFull(error)) throw error;
      const remedy = isFeed ? 'it starts once that feed can be read' : 'it starts once there is room';
      if (!isLogged) process.stderr.write(`${isFeed ? error.message : failureText(error)}; ${remedy}\n`);
      await Promise.race([pause(ROOM_RETRY_MS), shutdown.wait()]);
    }
  }
  return null;
}

const archiverOf = (daemon: Daemon, { config, paths, screen } = daemon.options) =>
  createArchiver({
    frames: paths.frames,
    data: paths.data,
    market: config,
    journal: { path: paths.journal, backups: paths.backups, store: daemon.journal },
    programProblem: () => daemon.programProblem,
    retention: config.retention,
    // Before its first view it is unknown whether it is closed.
    today: () => (daemon.lastView === undefined ? undefined : daemon.sessionDay),
    isClosed: () => isDayRead(daemon),
    timers: systemTimers,
    note: (text) => screen.note(text),
    onFailure: (text) => daemon.alert('warning', 'recordings', text),
    onDamage: (text) => daemon.alert('critical', 'journal_damaged', text),
    onReport: (report) => sendReport(daemon, report),
  });

/**
 * The market is closed, orders at the exchange have ended, and a later read has the fills of the last auction; without such a read, the
 * report shows the present state.
 */
export function isDayRead({ lastView, sessionDay, config, clock }: DayReportState): boolean {
  if (lastView?.phase !== 'closed' || sessionDay === undefined) return false;
  const close = dayClose(config.calendar, sessionDay);
  const now = clock.nowUs();
  // Before the open nothing of the day is to come either.
  if (close === undefined || now < close || now >= close + CLOSE_READS_MAX) return true;
  const { positionsReadUs, lastFillUs, money, orders } = lastView;
  // The auction may have filled them, and the book not show it yet.
  if (orders.some(({ status }) => !OUTLIVES_CLOSE.has(status))) return false;
  const since = Math.max(close, lastFillUs ?? close);
  const isMoneyRead = money.state === 'off' || (money.comparedUs ?? 0) >= since;
  return isMoneyRead && (positionsReadUs ?? 0) >= since;
}

/** It waits in the trigger book, or for a person. */
const OUTLIVES_CLOSE: ReadonlySet<OrderStatus> = new Set<OrderStatus>(['pending_trigger', 'presumed_absent']);

interface DayReportState extends Pick<Daemon, 'sessionDay' | 'clock'> {
  readonly lastView:
    | (Pick<EngineSnapshot, 'phase' | 'positionsReadUs' | 'lastFillUs' | 'money'> & {
        readonly orders: readonly Pick<EngineSnapshot['orders'][number], 'status'>[];
      })
    | undefined;
  readonly config: Pick<Config, 'calendar'>;
}

/** Sends the alert without a journal row, as the journal may belong to another program. It leaves while the daemon closes. */
async function alertEnd(daemon: Daemon, text: string): Promise<void> {
  const held = await heldBy(daemon);
  const end = endAlert(daemon.config, `${text}; ${held.text}`);
  daemon.alerting.send({ ...end, kind: 'alert', page: null, isUntilStart: true });
}

/** No daemon can report it: a position may be held, and a supervisor does not try again. At a terminal a person reads it. */
export async function alertNoStart(
  { mode, alerts }: Pick<Config, 'mode' | 'alerts'>,
  text: string,
): Promise<void> {
  if (process.stderr.isTTY) return;
  const title = `CRITICAL: the daemon does not start (${mode})`;
  const meaning = 'Nobody steers positions and orders at the broker; fix it and start again';
  const alert = { severity: 'critical', title, text: `${text}\n${meaning}` } as const;
  await sendAtOnce(alerts.channels, alert);
}

const endAlert = ({ mode }: Pick<Config, 'mode'>, text: string) =>
  ({
    severity: 'critical',
    title: `CRITICAL: the daemon ends (${mode})`,
    text:
      `${text}\nStrategies pause; orders and stops at the broker stay as they are. ` +
      'Without a supervisor such as pm2 start it again',
  }) as const;

/** Sends the report once for each session, also over restarts. */
export function sendReport({ journal, alerting, config }: Daemon, { day, path, text }: WrittenReport): void {
  if (!config.alerts.dailyReport || !alerting.isUsed || journal.counter('report_sent', day) > 0) return;
  journal.setCounterOrReport('report_sent', day, 1);
  const title = `trading day ${day} is over (${config.mode})`;
  alerting.send({ severity: 'info', kind: 'report', title, text, page: path });
}

// One message for each start and each end of a run: its cause, positions, waiting stops, and whether the books agree. Where a position is
// held, or a run died, every channel gets it.

const POLL_EVERY = seconds(1);
/** Books that do not agree by then are reported as they are. */
const POLLS_MAX = 60;
const ANSWER_MAX = seconds(3);

class RunNotices {
  readonly #daemon: Daemon;
  /** Null in the first run of a state directory. */
  readonly #runBefore: EarlierRun | null;
  #cancelPoll: CancelTimer | undefined;

  /** Reports the start once positions and stops are proven, or are not for a minute. */
  constructor(daemon: Daemon, runRecord: RunRecord) {
    this.#daemon = daemon;
    this.#runBefore = runRecord.earlier;
    const excluded = runRecord.excluded(daemon.config.strategies.map(({ id }) => id));
    if (excluded !== null)
      daemon.alert('critical', 'process_died', `${excluded.reason}; orders and stops at the broker stay`);
    this.#cancelPoll = systemTimers.after(POLL_EVERY, () => void this.#poll(1));
  }

  close(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  /** `reason`: the name of a signal, or a person's text. Returns it with what is left, for the record. */
  async stopped(reason: string): Promise<string> {
    this.close();
    const { isHolding, text } = await heldBy(this.#daemon);
    const by = reason.startsWith('SIG') ? `by the signal ${reason}` : `by request: ${reason}`;
    this.#daemon.alert(
      'info',
      isHolding ? 'stopped_with_a_position' : 'daemon_stopped',
      `stopped ${by}; until the next start nobody steers what is at the broker; ${text}`,
    );
    return `${reason}; ${this.#daemon.named(text)}`;
  }

  async #poll(polls: number): Promise<void> {
    const view = await viewOf(this.#daemon);
    if (this.#cancelPoll === undefined) return;
    const isProven = view?.unproven === null && view.stopsUnproven === null;
    if (isProven || polls >= POLLS_MAX) return this.#started();
    this.#cancelPoll = systemTimers.after(POLL_EVERY, () => void this.#poll(polls + 1));
  }

  async #started(): Promise<void> {
    const { isHolding, text } = await heldBy(this.#daemon);
    if (this.#cancelPoll === undefined) return;
    this.close();
    const earlier = this.#runBefore;
    const time = (us: number): string => formatLocalSecond(us, this.#daemon.config.calendar.utcOffsetMinutes);
    if (earlier?.ended === null) {
      const begun = earlier.startedUs === null ? '' : `, begun at ${time(earlier.startedUs)},`;
      const run = `the run before${begun} was killed or crashed`;
      return this.#daemon.alert('warning', 'started_after_a_crash', `${run}; ${text}`);
    }
    const before =
      earlier === null
        ? 'the first run of this state directory'
        : `the run before ended at ${time(earlier.ended.atUs)}: ${earlier.ended.reason.split('; ', 1).join()}`;
    const code = isHolding ? 'started_with_a_position' : 'daemon_started';
    this.#daemon.alert('info', code, `${before}; ${text}`);
  }
}

/** Positions and orders that the daemon leaves alone, or takes over: by the engine, or by the journal where no engine answers. */
export async function heldBy(daemon: Daemon) {
  const { contracts } = daemon.edge.table;
  const view = await viewOf(daemon);
  if (view !== undefined) {
    const held = holdings(view, contracts);
    const books = bookFacts(
      view,
      comparisons(view, daemon.config.calendar.utcOffsetMinutes, daemon.clock.nowUs()),
    );
    const compared = books.map(([label, text]) => `${label}: ${text}`);
    return stateOf(held, view.orders.length, [...compared, ...overLimitsOf(view, daemon.config)].join('; '));
  }
  const own = await daemon.cycle.readOwnBooks().catch(() => null);
  if (own === null) return { isHolding: true, text: 'the journal is not read: what is held is NOT known' };
  const open = own.orders.filter(({ isOpen }) => isOpen);
  const why = daemon.cycle.degraded ?? 'no engine answers';
  const books = `books: NOT compared, this is what our journal holds (${why})`;
  return stateOf(ownHoldings(own, daemon.names, contracts), open.length, books);
}

/** Of each strategy: no limit that is lowered between two runs takes back what rests. */
const overLimitsOf = (view: EngineSnapshot, { engine }: Config): readonly string[] =>
  engine.strategies.flatMap(({ id, risk }) => {
    const entry = view.strategies.find((each) => each.id === id);
    return entry === undefined ? [] : overLimits(entry, risk, view.orders).map((text) => `${id} ${text}`);
  });

const viewOf = (daemon: Daemon): Promise<EngineSnapshot | undefined> =>
  withTimeout(daemon.refreshView(), ANSWER_MAX);

const stateOf = (held: readonly string[], openOrders: number, books: string) => ({
  isHolding: held.length > 0,
  text: `${held.length === 0 ? 'nothing is held' : `held: ${held.join('; ')}`}; ${formatCount(openOrders, 'open order')}; ${books}`,
});

// The control API of a running daemon, and the file by which the command line finds it.

async function startDaemonControl(daemon: Daemon, run: RunActions, cockpit: Pick<DaemonCockpit, 'link'>) {
  const { config, paths, address } = daemon.options;
  const token = randomBytes(24).toString('base64url');
  const server = await startControl({
    port: config.operator.controlPort,
    token,
    secrets: address.secrets,
    handlers: {
      health: () => healthOf(daemon),
      ready: () => readiness(daemon),
      status: () => statusOf(daemon),
      command: (name, body) => execute(daemon, name, body, run),
      link: (role) => linkOf(cockpit.link(role)),
    },
  });
  const link = { port: server.port, token, pid: process.pid, stateDir: resolve(config.stateDir) };
  writeBlocks(paths.control, [JSON.stringify(link)]);
  const unlist = listDaemon(config.stateDir, config.mode);
  return {
    url: `http://127.0.0.1:${server.port}`,
    close: async () => {
      unlist();
      // A link that stays is to a process that has ended.
      void thrownText(() => writeBlocks(paths.control, ['']));
      await server.close();
    },
  };
}

const linkOf = (link: string | null): CommandResult & { readonly link: string | null } =>
  link === null
    ? {
        ok: false,
        message: 'this daemon has no cockpit: see operator.cockpit in its configuration, and its alerts',
        link,
      }
    : { ok: true, message: 'opens once, within ten minutes', link };

export function readiness(daemon: Daemon): { readonly ready: boolean; readonly reason: string } {
  const reason = problemsFor('entries', daemon)[0] ?? '';
  return { ready: reason === '', reason };
}
