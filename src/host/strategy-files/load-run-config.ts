/**
 * Reads a configuration that is to run. The user's own code is loaded in a separate process first: where it hangs, throws, takes all memory
 * or changes shared objects, nothing of this process is touched.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadConfig, type OtherStrategies, type ReadConfig } from '../../config/load-config.ts';
import type { Problem } from '../../config/problem.ts';
import { CATALOG } from '../strategy-catalog.ts';
import { isOwn } from './own-strategies.ts';
import { isInstalled, isStrategyFile } from './strategy-code.ts';

/** Until all strategies are loaded and their types are checked. */
const LOAD_MS_MAX = 60_000;
const HEAP_MB_MAX = 512;

export async function loadRunConfig(file: string): Promise<ReadConfig> {
  const asWritten = loadConfig(file, CATALOG, (name) => isStrategyFile(name) || isInstalled(name, file));
  if (!asWritten.ok || !asWritten.config.strategies.some(({ strategy }) => isOwn(strategy))) return asWritten;
  const read = await readInProcess(file);
  if (typeof read !== 'string') return loadConfig(file, CATALOG, read);
  return { ok: false, problems: [unreadable(file, read)], reach: asWritten.config };
}

const unreadable = (file: string, received: string): Problem => ({
  file,
  line: 1,
  column: 1,
  path: 'strategies',
  expected: 'strategies that load',
  received,
  hint: 'code outside of connect() may neither wait nor end the program',
});

const PROGRAM = fileURLToPath(new URL('./own-strategies-process.js', import.meta.url));

/** The reason where it failed. */
function readInProcess(file: string): Promise<OtherStrategies | string> {
  const child = fork(PROGRAM, [file], {
    serialization: 'advanced',
    execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MB_MAX}`],
    // The standard output belongs to the program.
    stdio: ['ignore', 2, 2, 'ipc'],
  });
  return new Promise((resolve) => {
    const end = (outcome: OtherStrategies | string): void => {
      clearTimeout(limit);
      resolve(outcome);
      child.kill('SIGKILL');
    };
    const limit = setTimeout(
      () => end(`code that did not load within ${LOAD_MS_MAX / 1_000} seconds`),
      LOAD_MS_MAX,
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- sent by our own process
    child.once('message', (read) => end(read as OtherStrategies));
    child.once('error', (error) => end(`${error.name}: ${error.message}`));
    // After the last message.
    child.once('close', (code, signal) =>
      end(
        signal === null
          ? `code that ended with exit code ${code}`
          : `code that ended its process (${signal})`,
      ),
    );
  });
}
