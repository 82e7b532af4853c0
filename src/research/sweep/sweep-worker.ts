/** A thread of a sweep: loads the backtest as the main thread did, and runs the trials it is given on the shared columns. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../domain/assert.ts';
import { loadAgain, withFreshCode } from '../spec/load-backtest.ts';
import {
  type FromSweepWorker,
  sweepFingerprint,
  type SweepWorkerData,
  TrialRunner,
  type TrialTask,
} from './trial-pool.ts';

async function work(port: MessagePort, { inputs, columns, running: memory }: SweepWorkerData) {
  const post = (message: FromSweepWorker): void => port.postMessage(message); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
  const backtest = await loadAgain(inputs);
  const runner = new TrialRunner(backtest, columns);
  const watched = { running: new Int32Array(memory) };
  const take = async (task: TrialTask): Promise<void> => {
    try {
      post({ kind: 'done', figures: runner.run(task, await withFreshCode(backtest), watched) });
    } catch (error) {
      post({
        kind: 'failed',
        reason: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  };
  port.on('message', (task: TrialTask) => void take(task));
  post({ kind: 'ready', fingerprint: sweepFingerprint(backtest) });
}

assert(parentPort !== null, 'this file runs as a thread');
await work(parentPort, workerData);
