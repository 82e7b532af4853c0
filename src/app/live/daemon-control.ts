/** The control API of a running daemon, and the file by which the command line finds it. */
import type { Secrets } from '../../operator/redact.ts';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import type { Config } from '../../config/config.ts';
import { failureOf } from '../../domain/failure.ts';
import { clientOrderId } from '../../domain/ids.ts';
import type { TradingDay } from '../../domain/civil-date.ts';
import type { CancelTimer } from '../../domain/clock.ts';
import { seconds } from '../../domain/units.ts';
import type { EngineView } from '../../engine/engine-snapshot.ts';
import type { StatusContent } from '../../operator/status-line.ts';
import type { Command } from '../../engine/ports/engine-event.ts';
import type { CommandBody, CommandName } from '../../operator/control-command.ts';
import { type CommandResult, startControl } from '../../operator/control-server.ts';
import { systemTimers } from '../host/market-clock.ts';
import { listDaemon } from '../restart/daemon-list.ts';
import type { Daemon } from './daemon.ts';
import { type ReadAgain, reload, startStrategy } from './reload.ts';
import { statusContent } from './daemon-screen.ts';

/** The answer of `GET /status`. */
export interface DaemonStatus {
  readonly mode: Config['mode'];
  readonly stateDir: string;
  /** The program on disk is not the one that runs, in words, or null. */
  readonly program: string | null;
  readonly session: TradingDay | null;
  /** Entries are off for this reason, or null. */
  readonly halted: string | null;
  readonly halt: Daemon['sweep']['progress'];
  /** Null until the engine has answered once. */
  readonly line: StatusContent | null;
  readonly stream: ReturnType<Daemon['edge']['stream']['status']>;
  readonly tokenExchanges: Daemon['edge']['tokens']['budget'];
  readonly engine: EngineView | null;
  /** As they were listed last; null between two sessions. */
  readonly strategies: Daemon['strategies'] | null;
}

/** Done by the run around the daemon. */
export interface RunActions {
  readonly stop: (reason: string) => void;
  readonly readAgain: ReadAgain;
}

export interface DaemonControl {
  readonly url: string;
  close(): Promise<void>;
}

export async function startDaemonControl(
  daemon: Daemon,
  config: Config,
  path: string,
  secrets: Secrets,
  run: RunActions,
): Promise<DaemonControl> {
  const token = randomBytes(24).toString('base64url');
  const server = await startControl({
    port: config.operator.controlPort,
    token,
    secrets,
    handlers: {
      ready: () => readiness(daemon),
      status: () => statusOf(daemon, config),
      command: (name, body) => obey(daemon, name, body, run),
    },
  });
  const link = { port: server.port, token, pid: process.pid, program: daemon.programDigest };
  writeFileSync(path, JSON.stringify(link), { mode: 0o600 });
  const unlist = listDaemon(config.stateDir, config.mode);
  return {
    url: `http://127.0.0.1:${server.port}`,
    close: async () => {
      unlist();
      rmSync(path, { force: true });
      await server.close();
    },
  };
}

const statusOf = (daemon: Daemon, config: Config): DaemonStatus => ({
  mode: config.mode,
  stateDir: config.stateDir,
  program: daemon.programProblem,
  session: daemon.sessionDay ?? null,
  halted: daemon.halt.reason,
  halt: daemon.sweep.progress,
  line:
    daemon.lastView === undefined
      ? null
      : statusContent(daemon, daemon.lastView, config.calendar.utcOffsetMinutes),
  stream: daemon.edge.stream.status(),
  tokenExchanges: daemon.edge.tokens.budget,
  engine: daemon.lastView ?? null,
  strategies: daemon.strategies ?? null,
});

function readiness(daemon: Daemon): { readonly ready: boolean; readonly reason: string } {
  const { state, isStale } = daemon.edge.stream.status();
  const { reason } = daemon.halt;
  if (reason !== null) return { ready: false, reason: `entries are off until tickwright resume: ${reason}` };
  if (daemon.sessionDay === undefined) return { ready: false, reason: 'no session is open yet' };
  if (state !== 'live') return { ready: false, reason: `the price stream is ${state.replaceAll('_', ' ')}` };
  if (isStale) return { ready: false, reason: 'no prices come, though the stream is connected' };
  const { clockProblem } = daemon;
  return clockProblem === null ? { ready: true, reason: '' } : { ready: false, reason: clockProblem };
}

function obey(
  daemon: Daemon,
  name: CommandName,
  body: CommandBody,
  { stop, readAgain }: RunActions,
): CommandResult | Promise<CommandResult> {
  const { reason } = body;
  switch (name) {
    case 'stop':
      stop(reason);
      return { ok: true, message: 'stopping: orders and positions as configured under stop' };
    case 'reconnect':
      daemon.edge.stream.resume();
      return { ok: true, message: 'connecting again' };
    case 'token':
      return renewToken(daemon);
    case 'halt':
      return halt(daemon, reason);
    case 'resume':
      return resume(daemon, body.strategy, reason);
    case 'rollover':
      return tell(daemon, { name, reason });
    case 'cancel-all':
      return seen(daemon, tell(daemon, { name: 'cancel_all', reason }));
    case 'flatten':
      return seen(daemon, flatten(daemon, body.strategy, reason));
    case 'stop-strategy':
      return stopStrategy(daemon, body.strategy ?? '', reason);
    case 'start-strategy':
      return startStrategy(daemon, body.strategy ?? '', reason);
    case 'reload':
    case 'check-reload':
      return reload(daemon, readAgain, reason, name === 'check-reload');
    case 'resolve-order': {
      const { clientOrderId: id, as } = body;
      if (id === null || as === null) return { ok: false, message: 'expected an order and absent or live' };
      return tell(daemon, { name: 'resolve_order', clientOrderId: clientOrderId(id), as, reason });
    }
  }
}

function tell(daemon: Daemon, command: Command): CommandResult {
  if (daemon.sessionDay === undefined) return { ok: false, message: 'no session is open yet' };
  daemon.command(command);
  return { ok: true, message: 'accepted; see tickwright journal for its effect' };
}

/** An engine that is busy for longer must not look like a command that was not taken. */
const SEEN_MAX = seconds(5);

/** Answers when the next status shows the effect: whoever asked follows it there. */
async function seen(daemon: Daemon, result: CommandResult): Promise<CommandResult> {
  let cancel: CancelTimer | undefined;
  const late = new Promise<void>((resolve) => {
    cancel = systemTimers.after(SEEN_MAX, resolve);
  });
  if (result.ok) await Promise.race([daemon.refreshView(), late]);
  cancel?.();
  return result;
}

/**
 * Of the account also without a session: the next one begins with entries allowed. A strategy whose loss has reached its limit
 * has a resume of its own.
 */
function resume(daemon: Daemon, id: string | null, reason: string): CommandResult {
  if (id !== null) {
    if (!daemon.names.all.includes(id)) return unknown(daemon, id);
    return tell(daemon, { name: 'resume', strategy: daemon.names.indexOf(id), reason });
  }
  const failure = failureOf(() => daemon.command({ name: 'resume', strategy: null, reason }));
  if (failure === null) {
    const halted = (daemon.lastView?.strategies ?? []).filter((each) => each.halted !== null);
    const rest = halted.map(
      (each) => `; those of ${each.id} stay off until tickwright resume --strategy ${each.id}`,
    );
    return {
      ok: true,
      message: `entries are allowed again, as far as limits and risk allow them${rest.join('')}`,
    };
  }
  return { ok: false, message: `entries stay off: the journal cannot take the resume: ${failure}` };
}

/** Stops entries at once; the books are swept whatever the engine is doing (rulings, 32), and the status shows how far that is. */
function halt(daemon: Daemon, reason: string): CommandResult {
  daemon.command({ name: 'halt', reason });
  return { ok: true, message: 'entries are off' };
}

async function renewToken(daemon: Daemon): Promise<CommandResult> {
  const result = await daemon.edge.tokens.refresh('operator');
  return result.ok
    ? { ok: true, message: 'a new token is in use' }
    : { ok: false, message: result.failure.reason };
}

/** `strategy` is null for the whole account; what was adopted belongs to `operator`. */
function flatten(daemon: Daemon, strategy: string | null, reason: string): CommandResult {
  if (strategy !== null && !daemon.names.has(strategy)) return unknown(daemon, strategy);
  const index = strategy === null ? null : daemon.names.indexOf(strategy);
  return tell(daemon, { name: 'flatten', strategy: index, reason });
}

function stopStrategy(daemon: Daemon, id: string, reason: string): CommandResult {
  if (!daemon.names.all.includes(id)) return unknown(daemon, id);
  return tell(daemon, { name: 'stop_strategy', strategy: daemon.names.indexOf(id), reason });
}

const unknown = ({ names }: Daemon, id: string): CommandResult => ({
  ok: false,
  message: `there is no strategy ${id}; those of this daemon: ${names.all.join(', ')}`,
});
