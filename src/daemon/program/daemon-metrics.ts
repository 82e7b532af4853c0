/** Numbers of a running daemon for Prometheus. Seconds are real ones, whatever the speed of a paper market is. */
import { statfsSync, statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { phaseAt } from '../../domain/calendar.ts';
import { errorText, undefinedIfMissing } from '../../domain/failure.ts';
import type { OrderStatus } from '../../domain/order.ts';
import { durationUs, US_PER_SECOND } from '../../domain/units.ts';
import { type Sample, type Series, startMetricsServer } from '../../operator/metrics.ts';
import { tokenHours } from '../edge/broker-edge.ts';
import { readSecret } from '../../host/cluster-access.ts';
import { packageVersion } from '../../host/program-files.ts';
import { systemClock } from '../../host/system-clock.ts';
import type { Daemon } from '../daemon.ts';
import { healthOf } from './status.ts';

const LOOP_RESOLUTION_MS = 10;
const LOOP_SAMPLE_MS = 1_000;
const NS_PER_US = 1_000;

/** Trading goes on without it: an address that is taken is an alert. */
export async function startDaemonMetrics(daemon: Daemon) {
  const { config, address, screen } = daemon.options;
  const { metrics } = config.operator;
  if (metrics === undefined) return { close: () => Promise.resolve() };
  const token = readSecret(metrics.token);
  if (token !== undefined) address.secrets.keep(token);
  const stopLoop = watchLoop(daemon);
  try {
    const server = await startMetricsServer({
      ...metrics,
      token,
      contentType: daemon.metrics.contentType,
      text: () => daemon.metrics.text(samplesOf(daemon)),
      health: () => healthOf(daemon),
    });
    screen.note(`metrics: ${server.url}/metrics`);
    return {
      close: async () => {
        stopLoop();
        await server.close();
      },
    };
  } catch (error) {
    stopLoop();
    const text = `metrics are off: ${errorText(error)}; trading goes on; free the address or change operator.metrics, then restart`;
    daemon.alert('warning', 'metrics_off', text);
    return { close: () => Promise.resolve() };
  }
}

/** Notes the largest delay of each second. */
function watchLoop({ metrics }: Daemon): () => void {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  const timer = setInterval(() => {
    // Each sample includes the time since the one before.
    const us = delay.max / NS_PER_US - LOOP_RESOLUTION_MS * 1_000;
    metrics.loopDelay(durationUs(Math.max(0, Math.round(us))));
    delay.reset();
  }, LOOP_SAMPLE_MS).unref();
  return () => {
    clearInterval(timer);
    delay.disable();
  };
}

const HELP = {
  build_info: 'Version, mode and Node.js of the daemon; always 1.',
  session_open: '1 while a trading session is open.',
  exchange_open: '1 from the first to the last phase of a trading day of the calendar.',
  entries_halted: '1 while entries of the account are off until a person resumes.',
  program_changed: '1 while the program on disk is not the one that runs.',
  clock_trusted: '0 while market time is not to be trusted and entries wait.',
  session_phase: '1 for the phase of the trading day as the engine sees it.',
  engine_running: '1 while an engine answers.',
  engine_answer_age_seconds: 'Age of the last answer of the engine thread, which is asked every second.',
  positions_proven: "1 while our positions are proven to be the broker's.",
  money_differs: "1 while our money of the day differs from the broker's.",
  day_pnl_vnd: 'Profit of the trading day after costs, in VND.',
  day_fees_vnd: 'Fees of the trading day, in VND.',
  day_taxes_vnd: 'Tax of the trading day, in VND.',
  open_orders: 'Orders that are not final, by status.',
  engine_events_total: 'Events that the engine has processed.',
  strategy_stopped: '1 while the strategy does not run.',
  strategy_halted: '1 while entries of this strategy alone are off.',
  strategy_day_pnl_vnd: 'Profit of the strategy today after costs, in VND.',
  position_contracts: 'Signed position, in contracts.',
  uncovered_contracts: 'Contracts of a position that should have a stop at the broker now and have none.',
  limit_use_ratio:
    'Used part of a limit; 1 is the limit, for margin the broker’s. The strategy is empty for limits of the account.',
  stream_live: '1 while the price stream is connected and authenticated.',
  feed_stale: '1 while prices stay away on a connection that is alive.',
  feed_age_seconds:
    'Age of the last data frame that the engine was given; since the session opened while there was none.',
  frames_waiting: 'Data frames that wait for the engine.',
  frames_total: 'Data frames that the engine was given.',
  stream_connections_total:
    'Authenticated connections to the price stream; all but the first are reconnects.',
  frames_dropped_total: 'Data frames of connections that were over.',
  rest_calls_total: 'REST calls to the broker.',
  token_seconds_left: 'Seconds until the access token ends; 0 without one.',
  token_needed_seconds: 'Seconds until the close of the session that needs a token now; 0 outside of one.',
  token_exchanges_left: 'One-time passwords that the broker still takes today.',
  otp_awaited: '1 while the daemon waits for a one-time password.',
  journal_failing: '1 while the disk refuses rows of the journal.',
  journal_waiting_rows: 'Rows that wait for their commit.',
  journal_bytes: 'Size of the journal.',
  journal_wal_bytes: 'Size of the write-ahead log of the journal.',
  disk_free_bytes: 'Room on the disk of the state directory.',
  alerts_unacknowledged: 'Critical alerts that nobody has acknowledged.',
  channel_failing: '1 while an alert channel delivers nothing.',
  channel_waiting: 'Messages that wait in an alert channel.',
  resident_memory_bytes: 'Memory of the process.',
  heap_used_bytes: 'Memory of the main thread that JavaScript uses.',
  uptime_seconds: 'Seconds since the process started.',
  cpu_seconds_total: 'Processor time of the process.',
};

type Name = keyof typeof HELP;

const labelled = (name: Name, labels: readonly string[], samples: readonly Sample[]): Series => ({
  name,
  help: HELP[name],
  labels,
  samples,
  isCounter: name.endsWith('_total'),
});

/** Undefined: not known, and the series is absent rather than wrong. */
function plain<Plain extends Name>(
  values: Readonly<Record<Plain, number | boolean | undefined>>,
): readonly Series[] {
  const all: Series[] = [];
  for (const name in values) {
    const value = values[name];
    all.push(labelled(name, [], value === undefined ? [] : [{ labels: {}, value: Number(value) }]));
  }
  return all;
}

const labelledBy =
  <T extends { readonly id: string }>(label: string, all: readonly T[]) =>
  (name: Name, read: (each: T) => number | boolean): Series =>
    labelled(
      name,
      [label],
      all.map((each) => ({ labels: { [label]: each.id }, value: Number(read(each)) })),
    );

/** A session, or an engine that is rebuilt, restarts some counters: Prometheus handles that. */
export const samplesOf = (daemon: Daemon): readonly Series[] => [
  ...stateSeries(daemon),
  ...engineSeries(daemon),
  ...strategySeries(daemon),
  ...feedSeries(daemon),
  ...tokenSeries(daemon),
  ...journalSeries(daemon),
  ...processSeries(daemon),
];

function stateSeries(daemon: Daemon): readonly Series[] {
  const { halt, config, lastView: view } = daemon;
  const build = { version: packageVersion(), mode: config.mode, node: process.version };
  return [
    labelled('build_info', Object.keys(build), [{ labels: build, value: 1 }]),
    ...plain({
      session_open: daemon.sessionDay !== undefined,
      exchange_open: phaseAt(config.calendar, daemon.clock.nowUs()) !== 'closed',
      entries_halted: (halt.reason ?? view?.halted ?? null) !== null,
      program_changed: daemon.programProblem !== null,
      clock_trusted: daemon.clockProblem === null,
    }),
  ];
}

function engineSeries({ lastView: view, viewedUs }: Daemon): readonly Series[] {
  // Samples also while no order is open: a panel without any looks broken.
  const always: readonly OrderStatus[] = view === undefined ? [] : ['accepted', 'pending_trigger', 'unknown'];
  const statuses = new Map<string, number>(always.map((status) => [status, 0]));
  for (const { status } of view?.orders ?? []) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const phases = view === undefined ? [] : [{ labels: { phase: view.phase }, value: 1 }];
  const orders = [...statuses].map(([status, value]) => ({ labels: { status }, value }));
  return [
    labelled('session_phase', ['phase'], phases),
    labelled('open_orders', ['status'], orders),
    ...plain({
      engine_running: view !== undefined,
      engine_answer_age_seconds: view && (systemClock.nowUs() - viewedUs) / US_PER_SECOND,
      positions_proven: view && view.unproven === null,
      money_differs: view && view.money.state === 'differs',
      day_pnl_vnd: view?.dayPnl,
      day_fees_vnd: view?.fee,
      day_taxes_vnd: view?.tax,
      engine_events_total: view?.counts.events,
    }),
  ];
}

function strategySeries({ lastView: view, names }: Daemon): readonly Series[] {
  const { strategies = [], limits = [] } = view ?? {};
  const byStrategy = labelledBy('strategy', strategies);
  const held = strategies.flatMap(({ id, positions }) => positions.map((each) => ({ ...each, id })));
  const byPosition = (name: Name, key: 'qty' | 'uncoveredQty'): Series => {
    const samples = held.map(({ id, orderCode, [key]: value }) => ({
      labels: { strategy: id, contract: orderCode },
      value,
    }));
    return labelled(name, ['strategy', 'contract'], samples);
  };
  const uses = limits.map(({ limit, strategy, used, max }) => ({
    labels: { limit, strategy: strategy === null ? '' : names.nameOf(strategy) },
    value: used / max,
  }));
  return [
    byStrategy('strategy_stopped', ({ stopped }) => stopped !== null),
    byStrategy('strategy_halted', ({ halted }) => halted !== null),
    byStrategy('strategy_day_pnl_vnd', ({ dayPnl }) => dayPnl),
    byPosition('position_contracts', 'qty'),
    byPosition('uncovered_contracts', 'uncoveredQty'),
    labelled('limit_use_ratio', ['limit', 'strategy'], uses),
  ];
}

function feedSeries({ edge, cycle, clock, options }: Daemon): readonly Series[] {
  const inbox = cycle.session?.inbox;
  const { state, isStale, connections, framesDropped } = edge.stream.status();
  const ageUs = inbox && Math.max(0, (clock.nowUs() - inbox.lastFrameUs) / options.clockMap.speed);
  return plain({
    stream_live: state === 'live',
    feed_stale: isStale,
    feed_age_seconds: ageUs && ageUs / US_PER_SECOND,
    frames_waiting: inbox?.framesWaiting ?? 0,
    frames_total: inbox?.frames ?? 0,
    stream_connections_total: connections,
    frames_dropped_total: framesDropped,
    rest_calls_total: edge.calls.sent,
  });
}

function tokenSeries({ edge: { tokens }, clock, config, otpInbox, options }: Daemon): readonly Series[] {
  const now = systemClock.nowUs();
  const token = tokens.current();
  const hours = tokenHours(config, clock.nowUs(), options.clockMap);
  const neededUs = hours !== undefined && now >= hours.fromUs ? Math.max(0, hours.untilUs - now) : 0;
  return plain({
    token_seconds_left: token === undefined ? 0 : (token.expiresAt - now) / US_PER_SECOND,
    token_needed_seconds: neededUs / US_PER_SECOND,
    token_exchanges_left: tokens.budget.allowed - tokens.budget.used,
    otp_awaited: otpInbox.isWaiting,
  });
}

const journalSeries = ({ journal, options: { paths } }: Daemon): readonly Series[] =>
  plain({
    journal_failing: journal.isFailing,
    journal_waiting_rows: journal.waiting,
    journal_bytes: sizeOf(paths.journal),
    journal_wal_bytes: sizeOf(`${paths.journal}-wal`),
    disk_free_bytes: freeBytes(paths.dir),
  });

function processSeries({ alerting }: Daemon): readonly Series[] {
  const { channels, unseen } = alerting.state;
  const { user, system } = process.cpuUsage();
  const byChannel = labelledBy('channel', channels);
  return [
    byChannel('channel_failing', ({ trouble }) => trouble !== null),
    byChannel('channel_waiting', ({ waiting }) => waiting),
    ...plain({
      alerts_unacknowledged: unseen,
      resident_memory_bytes: process.memoryUsage.rss(),
      heap_used_bytes: process.memoryUsage().heapUsed,
      uptime_seconds: process.uptime(),
      cpu_seconds_total: (user + system) / US_PER_SECOND,
    }),
  ];
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Room for this user; 0 where the directory is gone. */
function freeBytes(dir: string): number {
  const disk = undefinedIfMissing(() => statfsSync(dir));
  return disk === undefined ? 0 : disk.bavail * disk.bsize;
}
