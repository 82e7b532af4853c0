/** The control API of a running daemon, and the file by which the command line finds it. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { tradingDayAt } from '../../domain/calendar.ts';
import { US_PER_MS } from '../../domain/units.ts';
import { type CommandResult, startControl } from '../../operator/control-server.ts';
import { writeBlocks } from '../../host/block-file.ts';
import { systemClock } from '../../host/system-clock.ts';
import { calendarEnd } from '../inspect/calendar-view.ts';
import { listDaemon } from '../../host/state/daemon-list.ts';
import type { Daemon } from '../daemon.ts';
import type { DaemonCockpit } from './daemon-cockpit.ts';
import { obey, type RunActions } from '../daemon-commands.ts';
import { engineHealth, healthOf, problemsFor } from './health.ts';
import { comparisons, holdings } from '../session/holdings.ts';
import { statusContent } from './daemon-screen.ts';

export async function startDaemonControl(
  daemon: Daemon,
  run: RunActions,
  cockpit: Pick<DaemonCockpit, 'link'>,
) {
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
      command: (name, body) => obey(daemon, name, body, run),
      link: (role) => linkOf(cockpit.link(role)),
    },
  });
  const program = daemon.options.program?.digest ?? null;
  const link = { port: server.port, token, pid: process.pid, program };
  writeBlocks(paths.control, [JSON.stringify(link)]);
  const unlist = listDaemon(config.stateDir, config.mode);
  return {
    url: `http://127.0.0.1:${server.port}`,
    close: async () => {
      unlist();
      writeBlocks(paths.control, ['']);
      await server.close();
    },
  };
}

export const statusOf = (daemon: Daemon) => ({
  mode: daemon.config.mode,
  /** Absolute: the reader may be in another folder. */
  stateDir: resolve(daemon.config.stateDir),
  /** The program on disk is not the one that runs, in words, or null. */
  program: daemon.programProblem,
  session: daemon.sessionDay ?? null,
  /** Why no engine runs though one should, or null. */
  degraded: daemon.degraded,
  /** That the calendar ends soon, or has ended, in words, or null. */
  calendar: calendarEnd(daemon.config.calendar, tradingDayAt(daemon.config.calendar, daemon.clock.nowUs())),
  /** Entries are off for this reason, or null. */
  halted: daemon.halt.reason,
  /** Why no entry may go now, the worst first; limits and risk aside. */
  blocked: problemsFor('entries', daemon),
  halt: daemon.sweep.progress,
  /** Null until the engine has answered once. */
  line: daemon.lastView === undefined ? null : statusContent(daemon, daemon.lastView),
  stream: daemon.edge.stream.status(),
  tokenExchanges: daemon.edge.tokens.budget,
  jobs: daemon.jobs,
  isOtpAwaited: daemon.otpDesk.isWaiting,
  alerts: daemon.alerting.state,
  engine: daemon.lastView ?? null,
  /** Positions in words, with entry, last price, result and stop. */
  held:
    daemon.lastView === undefined
      ? []
      : holdings(daemon.lastView, daemon.edge.table.contracts).map((line) => daemon.named(line)),
  contractNames: Object.fromEntries(
    daemon.edge.table.contracts.map(({ orderCode }) => [orderCode, daemon.named(orderCode)]),
  ),
  compared:
    daemon.lastView === undefined
      ? { positions: null, money: null }
      : comparisons(daemon.lastView, daemon.config.calendar.utcOffsetMinutes, daemon.clock.nowUs()),
  /** So long the engine has not answered and `engine` is old; null while it answers, or does not run. */
  engineSilentMs:
    engineHealth(daemon).state === 'hung'
      ? Math.floor((systemClock.nowUs() - daemon.viewedUs) / US_PER_MS)
      : null,
  /** As they were listed last; null between two sessions. */
  strategies: daemon.cycle.session?.strategies.present.configured ?? null,
});

export type DaemonStatus = Readonly<ReturnType<typeof statusOf>>;

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
