/** `--state` of the commands that read or command a daemon: without it, the daemon that runs. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { runningDaemons } from '../host/state/daemon-list.ts';
import { wrongUsage } from './cli-io.ts';

/** State directory of paper trading, where no daemon runs and none is named. */
const DEFAULT_STATE = 'var/paper';

export const withState = (command: Command): Command =>
  command.option('--state <dir>', `state directory of the daemon (the one that runs, else ${DEFAULT_STATE})`);

/** Refuses to choose between several: a halt of the wrong one stops nothing. */
export function stateOf({ state }: { readonly state?: string }): string {
  if (state !== undefined) return state;
  const running = runningDaemons();
  const [daemon] = running;
  if (daemon === undefined) return DEFAULT_STATE;
  if (running.length === 1) return daemon.stateDir;
  const ours = resolve(DEFAULT_STATE);
  const choices = running.map(
    ({ mode, stateDir, pid }) =>
      `  --state ${stateDir === ours ? DEFAULT_STATE : stateDir}   (${mode}, process ${pid})`,
  );
  throw wrongUsage([`${running.length} daemons are running; say which one is meant:`, ...choices].join('\n'));
}
