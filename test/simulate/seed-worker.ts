/** One thread of many seeds: takes the next seed until none is left. */
import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds, type SeedsOptions } from './run-seeds.ts';
import type { Sometimes } from './sometimes.ts';

export interface SeedWork {
  readonly options: Omit<SeedsOptions, 'next' | 'onFailure'>;
  /** Shared by all threads: the next seed, and the first one that is not lived through. */
  readonly seeds: Int32Array;
  readonly goesOn: boolean;
}

export type SeedNews =
  | { readonly kind: 'failure'; readonly seed: number; readonly story: string }
  | { readonly kind: 'seen'; readonly counts: ReadonlyMap<Sometimes, number> };

const { options, seeds, goesOn }: SeedWork = workerData; // oxlint-disable-line typescript/no-unsafe-assignment -- as `run-parallel.ts` gave it
const post = (news: SeedNews): void => parentPort?.postMessage(news); // oxlint-disable-line unicorn/require-post-message-target-origin -- a thread, not a window

const seen = await runSeeds({
  ...options,
  next: () => {
    const seed = Atomics.add(seeds, 0, 1);
    return seed < Atomics.load(seeds, 1) ? seed : undefined;
  },
  onFailure: (seed, story) => {
    post({ kind: 'failure', seed, story });
    if (!goesOn) Atomics.store(seeds, 1, 0);
    return goesOn;
  },
});
post({ kind: 'seen', counts: seen.counts });
