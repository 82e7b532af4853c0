/** Many seeds on several threads: each has a process-wide clock, disk and network of its own. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SeedNews, SeedWork } from './seed-worker.ts';
import { Sightings } from './sometimes.ts';

export interface ParallelOptions {
  readonly options: SeedWork['options'];
  readonly from: number;
  readonly count: number;
  readonly jobs: number;
  /** Goes on with other seeds after a failure. */
  readonly goesOn: boolean;
  readonly onFailure: (seed: number, story: string) => void;
}

export async function runParallel({
  options,
  from,
  count,
  jobs,
  goesOn,
  onFailure,
}: ParallelOptions): Promise<Sightings> {
  const seeds = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  seeds.set([from, from + count]);
  const seen = new Sightings();
  const work: SeedWork = { options, seeds, goesOn };
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      const worker = new Worker(new URL('./seed-worker.js', import.meta.url), { workerData: work });
      worker.on('message', (news: SeedNews) => {
        if (news.kind === 'seen') seen.add(news.counts);
        else onFailure(news.seed, news.story);
      });
      await once(worker, 'exit');
    }),
  );
  return seen;
}
