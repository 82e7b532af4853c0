/** Threads that run trials. Which thread runs which, and which ends first, is chance; what comes of a trial is not. */
import { Worker } from 'node:worker_threads';
import type { TrialFigures } from '../../../backtest/research/trial-figures.ts';
import { isStrategyFile } from '../backtest/strategy-file.ts';
import type { Backtest } from '../backtest/load-backtest.ts';
import type { SharedColumns, TrialTask } from './trial-runner.ts';
import type { FromSweepWorker, SweepWorkerData } from './sweep-worker.ts';

export interface TrialPool {
  /** Told of each trial as it ends; rejects with the first that fails. */
  run(tasks: readonly TrialTask[], onDone: (task: TrialTask, figures: TrialFigures) => void): Promise<void>;
  close(): Promise<void>;
}

export interface PoolParts {
  readonly backtest: Backtest;
  readonly fingerprint: string;
  readonly columns: SharedColumns;
  readonly workers: number;
}

export async function openTrialPool(parts: PoolParts): Promise<TrialPool> {
  const { file, strategies } = parts.backtest;
  const data: SweepWorkerData = { file, columns: parts.columns };
  const threads = Array.from({ length: parts.workers }, () => new TrialThread(data, parts.fingerprint));
  try {
    if (strategies.some(({ strategy }) => isStrategyFile(strategy))) {
      // One after the other: each compiles the strategy into the same place.
      for (const thread of threads) await thread.start();
    } else await Promise.all(threads.map((thread) => thread.start()));
  } catch (error) {
    await closeAll(threads);
    throw error;
  }
  return {
    async run(tasks, onDone) {
      const left = tasks.values();
      const take = async (thread: TrialThread): Promise<void> => {
        for (const task of left) onDone(task, await thread.run(task));
      };
      await Promise.all(threads.map(take));
    },
    close: () => closeAll(threads),
  };
}

const closeAll = async (threads: readonly TrialThread[]): Promise<void> =>
  void (await Promise.all(threads.map((thread) => thread.close())));

interface Waiting {
  readonly resolve: (message: FromSweepWorker) => void;
  readonly reject: (error: Error) => void;
}

class TrialThread {
  readonly #data: SweepWorkerData;
  readonly #fingerprint: string;
  #worker: Worker | null = null;
  #waiting: Waiting | null = null;
  /** Why it no longer works, once it does not. */
  #lost: Error | null = null;

  constructor(data: SweepWorkerData, fingerprint: string) {
    this.#data = data;
    this.#fingerprint = fingerprint;
  }

  async start(): Promise<void> {
    const worker = new Worker(new URL('./sweep-worker.js', import.meta.url), { workerData: this.#data });
    this.#worker = worker;
    worker.on('message', (message: FromSweepWorker) => this.#waiting?.resolve(message));
    worker.on('error', (error: Error) => this.#lose(error));
    worker.on('exit', (code) => this.#lose(new Error(`a thread ended with code ${code}`)));
    const said = await this.#answer();
    if (said.kind === 'failed') throw new Error(said.reason);
    if (said.kind !== 'ready' || said.fingerprint !== this.#fingerprint)
      throw new Error(`${this.#data.file} or what it names has changed since the start: begin again`);
  }

  async run(task: TrialTask): Promise<TrialFigures> {
    this.#worker?.postMessage(task); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window
    const said = await this.#answer();
    if (said.kind === 'done') return said.figures;
    const reason = said.kind === 'failed' ? said.reason : 'a thread spoke out of turn';
    throw new Error(`the trial ${JSON.stringify(task.params)} failed: ${reason}`);
  }

  async close(): Promise<void> {
    this.#waiting = null;
    await this.#worker?.terminate();
  }

  #lose(error: Error): void {
    this.#lost ??= error;
    this.#waiting?.reject(error);
  }

  #answer(): Promise<FromSweepWorker> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== null) reject(this.#lost);
      this.#waiting = { resolve, reject };
    });
  }
}
