/** Workers of a sweep in a process of their own, for the measurement: their trials sleep, so that a machine can hold a thousand of them. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openCluster } from '../../../src/cluster/connection.ts';
import { ColumnCache, runWorker } from '../../../src/cluster/searches/worker.ts';
import type { TrialPool } from '../../../src/research/sweep/trial-pool.ts';
import type { TrialFigures } from '../../../src/research/sweep/judgement.ts';

export interface WorkersTask {
  readonly url: string;
  readonly workers: number;
  readonly threads: number;
  readonly trialMs: number;
  /** The result of each trial. */
  readonly figures: TrialFigures;
}

function sleeping(trialMs: number, figures: TrialFigures): TrialPool {
  return {
    async run(tasks, onDone) {
      for (const task of tasks) {
        await pause(trialMs);
        onDone(task, figures);
      }
    },
    close: () => Promise.resolve(),
  };
}

const say = (text: string): void => {
  if (text.includes('cannot')) console.error(text);
};

process.on('message', ({ url, workers, threads, trialMs, figures }: WorkersTask) => {
  const cache = new ColumnCache(join(tmpdir(), `tickwright-bench-${process.pid}`), 1e9);
  const openPool = (): Promise<TrialPool> => Promise.resolve(sleeping(trialMs, figures));
  const opened = Array.from({ length: workers }, async (_, at) => {
    const cluster = await openCluster({ url }, `worker ${at}`);
    void runWorker(cluster, { threads, cache, say, signal: new AbortController().signal, openPool });
  });
  void Promise.all(opened).then(() => process.send?.('ready'));
});
