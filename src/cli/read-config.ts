/** Apart from the other helpers: it loads every strategy of this build. */
import { storedConfig } from '../host/strategy-files/own-strategies.ts';
import { loadRunConfig } from '../host/run-plan.ts';
import type { Config, ReadConfig } from '../config/config.ts';
import { formatProblem } from '../config/problem.ts';
import { refused } from './cli-io.ts';

type Valid = Extract<ReadConfig, { readonly ok: true }>;

/** For commands that run no strategy: a broken file of a strategy must not lock a person out of the account. */
export const readConfig = (file: string): Config => valid(storedConfig(file)).config;

export const readRunConfig = async (file: string): Promise<Valid> => valid(await loadRunConfig(file));

/** Exit code 2 with every problem: nothing starts on half a configuration. */
export function valid(loaded: ReadConfig): Valid {
  if (loaded.ok) return loaded;
  throw refused(loaded.problems.map(formatProblem), 'in the configuration; nothing was started');
}
