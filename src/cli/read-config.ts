/** Apart from the other helpers: it loads every strategy of this build. */
import { CATALOG } from '../app/host/catalog.ts';
import type { Config } from '../config/config.ts';
import type { ConfigFile } from '../config/config-schema.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatProblem } from '../config/problem.ts';
import { refused } from './cli-io.ts';

/** Exit code 2 with every problem: nothing starts on half a configuration. */
export function readConfigFile(file: string): { readonly config: Config; readonly read: ConfigFile } {
  const loaded = loadConfig(file, CATALOG);
  if (loaded.ok) return loaded;
  throw refused(loaded.problems.map(formatProblem), 'in the configuration; nothing was started');
}

export const readConfig = (file: string): Config => readConfigFile(file).config;
