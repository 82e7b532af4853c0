/** `--state` of the commands that read or command a daemon: without it, the daemon that runs. */
import { isAbsolute, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { runningDaemons } from '../host/state/state-paths.ts';
import { wrongUsage } from './cli-io.ts';

/** State directory of paper trading, where no daemon runs and none is named. */
const DEFAULT_STATE = 'var/paper';

const STATE = `state directory of the daemon (the one that runs, else ${DEFAULT_STATE})`;

export const example = (text: string): string => `\nExample:\n  ${text}\n`;

/** A command that reads or commands a daemon. */
export const stateCommand = (parent: Command, name: string, description: string, help: string): Command =>
  parent.command(name).description(description).option('--state <dir>', STATE).addHelpText('after', help);

/**
 * Refuses to choose between several: a halt of the wrong one stops nothing. A `change` reaches no daemon of another folder by itself:
 * it may be another person's.
 */
export function stateOf({ state }: { readonly state?: string }, use: 'any' | 'change' = 'any'): string {
  if (state !== undefined) return state;
  const running = runningDaemons();
  const [daemon] = running;
  if (daemon === undefined) return DEFAULT_STATE;
  if (running.length === 1) {
    const { stateDir, mode, pid } = daemon;
    const way = relative(process.cwd(), stateDir);
    if (use === 'any' || (!way.startsWith('..') && !isAbsolute(way))) return stateDir;
    throw wrongUsage(
      `nothing was done: the daemon that runs is of another folder (${mode}, process ${pid}); if it is meant, add --state ${stateDir}`,
    );
  }
  const ours = resolve(DEFAULT_STATE);
  const choices = running.map(
    ({ mode, stateDir, pid }) =>
      `  --state ${stateDir === ours ? DEFAULT_STATE : stateDir}   (${mode}, process ${pid})`,
  );
  throw wrongUsage([`${running.length} daemons are running; say which one is meant:`, ...choices].join('\n'));
}
