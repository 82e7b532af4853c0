/** The control API of a running daemon, and the file by which the command line finds it. */
import { resolve } from 'node:path';
import { thrownText } from '../../domain/failure.ts';
import { writeBlocks } from '../../host/state/state-paths.ts';
import { listDaemon } from '../../host/state/running-daemons.ts';
import { execute, type RunActions } from '../daemon-commands.ts';
import type { DaemonCockpit } from './daemon-cockpit.ts';
import type { Daemon } from '../daemon.ts';
import { randomBytes } from 'node:crypto';
import { type CommandResult, startControl } from '../../operator/control-server.ts';
import { healthOf, problemsFor, statusOf } from './status.ts';

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
