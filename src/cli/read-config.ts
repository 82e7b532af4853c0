import { CATALOG } from '../app/host/catalog.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load-config.ts';
import { formatProblem } from '../config/problem.ts';
import { CliFailure, EXIT } from './cli-failure.ts';

/** The configuration in `file`, or every problem of it and exit code 2: nothing is started on half of one. */
export function readConfig(file: string): Config {
  const loaded = loadConfig(file, CATALOG);
  if (loaded.ok) return loaded.config;
  const { problems } = loaded;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  throw new CliFailure(
    EXIT.usage,
    [...problems.map(formatProblem), `${count} in the configuration; nothing was started`].join('\n'),
  );
}
