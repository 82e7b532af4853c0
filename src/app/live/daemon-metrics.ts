/** Numbers of a running daemon for Prometheus. */
import { statfsSync, statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { errorText, ifThere } from '../../domain/failure.ts';
import { durationUs, US_PER_SECOND } from '../../domain/units.ts';
import type { EngineView } from '../../engine/engine-snapshot.ts';
import type { EngineReading, MetricsReading } from '../../operator/metrics.ts';
import { startMetricsServer } from '../../operator/metrics-server.ts';
import { tokenHours } from '../edge/broker-edge.ts';
import { packageVersion } from '../host/package-version.ts';
import { systemClock } from '../host/system-clock.ts';
import type { Daemon, DaemonOptions } from './daemon.ts';
import { healthOf } from './health.ts';
import { readSecret } from '../edge/secret-place.ts';

type Parts = Pick<DaemonOptions, 'config' | 'paths' | 'clockMap' | 'address' | 'screen'>;

export interface DaemonMetrics {
  close(): Promise<void>;
}

const LOOP_RESOLUTION_MS = 10;
const LOOP_LOOK_MS = 1_000;
const NS_PER_US = 1_000;

/** Trading goes on without it: an address that is taken is an alert. */
export async function startDaemonMetrics(daemon: Daemon, parts: Parts): Promise<DaemonMetrics> {
  const { metrics } = parts.config.operator;
  if (metrics === null) return { close: () => Promise.resolve() };
  const token = readSecret(metrics.token);
  if (token !== undefined) parts.address.secrets.keep(token);
  const version = packageVersion();
  const stopLoop = watchLoop(daemon);
  try {
    const server = await startMetricsServer({
      ...metrics,
      token,
      contentType: daemon.metrics.contentType,
      text: () => daemon.metrics.text(readingOf(daemon, parts, version)),
      health: () => healthOf(daemon),
    });
    parts.screen.note(`metrics: ${server.url}/metrics`);
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
    // It measures from one look to the next, which includes the time between them.
    const us = delay.max / NS_PER_US - LOOP_RESOLUTION_MS * 1_000;
    metrics.loopDelay(durationUs(Math.max(0, Math.round(us))));
    delay.reset();
  }, LOOP_LOOK_MS).unref();
  return () => {
    clearInterval(timer);
    delay.disable();
  };
}

function readingOf(daemon: Daemon, { config, paths, clockMap }: Parts, version: string): MetricsReading {
  const { edge, journal, lastView: view, feed } = daemon;
  const stream = edge.stream.status();
  const { channels, unseen } = daemon.alerting.state;
  const ageUs = feed === undefined ? null : (daemon.clock.nowUs() - feed.lastUs) / clockMap.speed;
  return {
    version,
    mode: config.mode,
    isSessionOpen: daemon.sessionDay !== undefined,
    isHalted: (daemon.halt.reason ?? view?.halted ?? null) !== null,
    isProgramChanged: daemon.programProblem !== null,
    isClockTrusted: daemon.clockProblem === null,
    engine: view === undefined ? null : engineReading(view, daemon),
    feed: {
      isLive: stream.state === 'live',
      isStale: stream.isStale,
      ageSeconds: ageUs === null ? null : Math.max(0, ageUs / US_PER_SECOND),
      frames: feed?.frames ?? 0,
      waiting: feed?.waiting ?? 0,
      connections: stream.connections,
      framesDropped: stream.framesDropped,
    },
    restCalls: edge.calls.sent,
    token: tokenReading(daemon, { config, clockMap }),
    journal: {
      isFailing: journal.isFailing,
      waitingRows: journal.waiting,
      bytes: sizeOf(paths.journal),
      walBytes: sizeOf(`${paths.journal}-wal`),
      diskFreeBytes: freeBytes(paths.dir),
    },
    alertsUnseen: unseen,
    channels: channels.map(({ id, trouble, waiting }) => ({ id, isFailing: trouble !== null, waiting })),
  };
}

function tokenReading(
  daemon: Daemon,
  { config, clockMap }: Pick<Parts, 'config' | 'clockMap'>,
): MetricsReading['token'] {
  const now = systemClock.nowUs();
  const { tokens } = daemon.edge;
  const token = tokens.current();
  const hours = tokenHours(config, daemon.clock.nowUs(), clockMap);
  const isNeeded = hours !== undefined && now >= hours.fromUs;
  const { used, allowed } = tokens.budget;
  return {
    secondsLeft: token === undefined ? 0 : (token.expiresAt - now) / US_PER_SECOND,
    neededSeconds: isNeeded ? Math.max(0, (hours.untilUs - now) / US_PER_SECOND) : 0,
    exchangesLeft: allowed - used,
    isOtpAwaited: daemon.otpDesk.isWaiting,
  };
}

function engineReading(view: EngineView, { names, viewedUs }: Daemon): EngineReading {
  const statuses = new Map<string, number>();
  for (const { status } of view.orders) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return {
    phase: view.phase,
    answerAgeSeconds: (systemClock.nowUs() - viewedUs) / US_PER_SECOND,
    events: view.counts.events,
    isProven: view.unproven === null,
    isMoneyDifferent: view.money.state === 'differs',
    dayPnl: view.dayPnl,
    fee: view.fee,
    tax: view.tax,
    openOrders: [...statuses].map(([status, count]) => ({ status, count })),
    strategies: view.strategies.map(({ id, stopped, halted, dayPnl, positions }) => ({
      id,
      isStopped: stopped !== null,
      isHalted: halted !== null,
      dayPnl,
      positions: positions.map(({ orderCode, qty }) => ({ code: orderCode, qty })),
    })),
    limits: view.limits.map(({ limit, strategy, used, max }) => ({
      limit,
      strategy: strategy === null ? '' : names.nameOf(strategy),
      ratio: used / max,
    })),
  };
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Room for this user; 0 where the directory is gone. */
function freeBytes(dir: string): number {
  const disk = ifThere(() => statfsSync(dir));
  return disk === undefined ? 0 : disk.bavail * disk.bsize;
}
