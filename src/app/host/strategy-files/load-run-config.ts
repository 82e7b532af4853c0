/**
 * Reads a configuration that is to run. Code of the user's own is loaded in a thread of its own first: where it hangs, throws or changes
 * what all code shares, nothing of this process is touched.
 */
import { Worker } from 'node:worker_threads';
import { loadConfig, type OthersRead, type ReadConfig } from '../../../config/load-config.ts';
import type { Problem } from '../../../config/problem.ts';
import { CATALOG } from '../catalog.ts';
import { isOwn } from './own-strategies.ts';
import { isInstalled, isStrategyFile } from './strategy-code.ts';

/** Until all strategies are loaded and their types are checked. */
const LOAD_MS_MAX = 60_000;

export async function loadRunConfig(file: string): Promise<ReadConfig> {
  const asWritten = loadConfig(file, CATALOG, (name) => isStrategyFile(name) || isInstalled(name, file));
  if (!asWritten.ok || !asWritten.config.strategies.some(({ strategy }) => isOwn(strategy))) return asWritten;
  const read = await readInThread(file);
  if (typeof read !== 'string') return loadConfig(file, CATALOG, read);
  return { ok: false, problems: [unreadable(file, read)] };
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

/** The reason where it failed. */
function readInThread(file: string): Promise<OthersRead | string> {
  const worker = new Worker(new URL('./own-strategies-worker.js', import.meta.url), { workerData: file });
  return new Promise((resolve) => {
    const end = (outcome: OthersRead | string): void => {
      clearTimeout(limit);
      resolve(outcome);
      void worker.terminate();
    };
    const limit = setTimeout(
      () => end(`code that did not load within ${LOAD_MS_MAX / 1_000} seconds`),
      LOAD_MS_MAX,
    );
    worker.once('message', end);
    worker.once('error', (error: Error) => end(`${error.name}: ${error.message}`));
    worker.once('exit', (code) => end(`code that ended with exit code ${code}`));
  });
}
