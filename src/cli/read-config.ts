import { CATALOG } from '../app/host/catalog.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatProblem } from '../config/problem.ts';
import { formatCount } from '../text/numbers.ts';
import { CliFailure, EXIT } from './cli-io.ts';

/** Exit code 2 with every problem: nothing starts on half a configuration. */
export function readConfig(file: string): Config {
  const loaded = loadConfig(file, CATALOG);
  if (loaded.ok) return loaded.config;
  throw refused(loaded.problems.map(formatProblem), 'in the configuration; nothing was started');
}

export const refused = (problems: readonly string[], where: string): CliFailure =>
  new CliFailure(EXIT.usage, [...problems, `${formatCount(problems.length, 'problem')} ${where}`].join('\n'));
