/** `tickwright paper | live | dry-run`: one run from the lock to the summary. */
import { setTimeout as pause } from 'node:timers/promises';
import { existsSync, statSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { errorText, failureText, hasCode, isDiskFull, JournalFormatError } from '../../domain/failure.ts';
import { isJournalThere } from '../../journal/journal-database.ts';
import { AlreadyRunning } from '../../journal/instance-lock.ts';
import { configuredFeed, FeedNotThere } from '../../host/cluster-access.ts';
import { configuredAddress, reachBroker } from '../edge/broker-address.ts';
import { missingSecrets, secretsInPm2 } from '../edge/secret-ref.ts';
import { CLOSE_READS_MAX } from '../schedule.ts';
import { systemClock, systemTimers } from '../../host/system-clock.ts';
import {
  isOfOtherAccount,
  mayHaveTradedMoney,
  readAgain,
  type RunOverrides,
  type RunPlan,
  runPlan,
  withFirstDayLimits,
} from '../../host/run-plan.ts';
import { sendAtOnce } from '../alert-channels.ts';
import { ProgramFiles, stopExit } from '../../host/program-files.ts';
import type { Shutdown } from '../../host/shutdown.ts';
import { createArchiver, type WrittenReport } from './archive-recordings.ts';
import { RunRecord } from '../../host/run-record.ts';
import {
  ForeignDirectory,
  forgetState,
  runSingle,
  type StatePaths,
  statePaths,
} from '../../host/state/state-paths.ts';
import { takeAccountLock } from '../../host/state/running-daemons.ts';
import type { RunActions } from '../daemon-commands.ts';
import { startDaemonCockpit } from './daemon-cockpit.ts';
import { startDaemonMetrics } from './daemon-metrics.ts';
import { createDaemonScreen } from './daemon-screen.ts';
import { Daemon } from '../daemon.ts';
import { listenToPhones } from './phone.ts';
import type { EngineSnapshot } from '../../engine/engine-snapshot.ts';
import { StrategyNames } from '../../domain/ids.ts';
import { dayClose } from '../../domain/calendar.ts';
import type { OrderStatus } from '../../domain/order.ts';
import { RunNotices, heldBy } from './run-notices.ts';
import { startDaemonControl } from './daemon-control.ts';

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
  planned: RunPlan,
  paths: StatePaths,
  options: DaemonRunOptions,
  shutdown: Shutdown,
  runRecord: RunRecord,
) {
  const { config, remarks } = withFirstDayLimits(planned.config, paths.journal);
  const plan: RunPlan = { ...planned, config, remarks: [...planned.remarks, ...remarks] };
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
